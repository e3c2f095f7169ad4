"""Quotas and capacity against what pools ask for, on each cloud."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from gpucluster.core.catalog.clouds import clouds
from gpucluster.sandbox.clouds.events.quotas import quota_kinds, shortage
from gpucluster.sandbox.clouds.events.scenario import Capacity, Quota, Scenario
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger, Operation

CLUSTER = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"


def _entry(type_: str, id_: str, inputs: dict[str, Any], *, scope: str = "us-east-1", **outputs: Any) -> Entry:
    return Entry(
        provider=type_.split(":", 1)[0],
        scope=scope,
        type=type_,
        id=id_,
        name=id_,
        urn=f"urn:pulumi:dev::small::{type_}::{id_}",
        inputs=inputs,
        outputs={**inputs, **outputs},
    )


def _in_aws(ledger: Ledger, nodes: int, name: str = "training", **inputs: Any) -> Entry:
    ledger.put(_entry("aws:ec2/subnet:Subnet", "subnet-1", {}, availabilityZone="us-east-1a"))
    ledger.put(_entry("aws:ec2/launchTemplate:LaunchTemplate", "lt-1", {"instanceType": "p5.48xlarge"}))
    given = {"subnetIds": ["subnet-1"], "launchTemplate": {"id": "lt-1"}, "scalingConfig": {"desiredSize": nodes}}
    return _entry("aws:eks/nodeGroup:NodeGroup", name, {**given, **inputs}, status="ACTIVE")


def _in_gcp(ledger: Ledger, nodes: int, **config: Any) -> Entry:
    del ledger
    given = {"nodeCount": nodes, "nodeLocations": ["us-central1-a"]}
    config = {"machineType": "a3-megagpu-8g", **config}
    return _entry("gcp:container/nodePool:NodePool", "training", {**given, "nodeConfig": config}, scope="p")


def _in_azure(ledger: Ledger, nodes: int, **inputs: Any) -> Entry:
    ledger.put(_entry("azure-native:containerservice:ManagedCluster", CLUSTER, {"location": "East US"}, scope="s"))
    given = {"vmSize": "Standard_ND96isr_H100_v5", "count": nodes, "availabilityZones": ["1"], **inputs}
    return _entry("azure-native:containerservice:AgentPool", f"{CLUSTER}/agentPools/training", given, scope="s")


P = Quota(cloud="aws", name="L-417A185B", region="us-east-1", limit=960)
SPOT = Quota(cloud="aws", name="L-C4BD4855", region="us-east-1", limit=960)
MEGA = Quota(cloud="gcp", name="NVIDIA_H100_MEGA_GPUS", region="us-central1", limit=40)
ALL = Quota(cloud="gcp", name="GPUS_ALL_REGIONS", region="", limit=40)
ND = Quota(cloud="azure", name="standardNDSH100v5Family", region="eastus", limit=480)
CORES = Quota(cloud="azure", name="cores", region="eastus", limit=480)
ROOMS = (
    Capacity(cloud="aws", zone="us-east-1a", machine="p5.48xlarge", available=5),
    Capacity(cloud="gcp", zone="us-central1-a", machine="a3-megagpu-8g", available=5),
    Capacity(cloud="azure", region="eastus", zone="1", machine="Standard_ND96isr_H100_v5", available=5),
    Capacity(cloud="azure", region="eastus", zone="none", machine="Standard_ND96isr_H100_v5", available=5),
)


@pytest.mark.parametrize(
    ("make", "quota", "kind", "requested"),
    [
        (_in_aws, P, "quota", 1152),
        (_in_gcp, MEGA, "quota", 48),
        (_in_gcp, ALL, "global-quota", 48),
        (_in_azure, ND, "quota", 576),
        (_in_azure, CORES, "quota", 576),
    ],
)
def test_five_nodes_fit_a_quota_and_six_do_not(
    make: Any, quota: Quota, kind: str, requested: int, ledger: Ledger
) -> None:
    scenario = Scenario(quotas=(quota,))
    assert shortage(make(ledger, 5), scenario, ledger) is None
    lacks = shortage(make(ledger, 6), scenario, ledger)
    assert lacks is not None
    assert (lacks.kind, lacks.requested, lacks.used, lacks.needed, lacks.limit) == (
        kind,
        requested,
        0,
        requested,
        quota.limit,
    )
    used = shortage(make(ledger, 5), Scenario(quotas=(replace(quota, usage=1),)), ledger)
    assert used is not None
    assert used.needed == quota.limit + 1


@pytest.mark.parametrize("make", [_in_aws, _in_gcp, _in_azure, partial(_in_azure, availabilityZones=None)])
def test_five_nodes_fit_a_zone_and_six_do_not(make: Any, ledger: Ledger) -> None:
    scenario = Scenario(capacity=ROOMS)
    assert shortage(make(ledger, 5), scenario, ledger) is None
    lacks = shortage(make(ledger, 6), scenario, ledger)
    assert lacks is not None
    assert (lacks.kind, lacks.requested, lacks.limit) == ("capacity", 6, 5)


def test_a_pool_that_names_no_zone_counts_in_its_region(ledger: Ledger) -> None:
    regional = _in_gcp(ledger, 6)
    given = {**regional.inputs, "nodeLocations": None, "location": "us-central1"}
    lacks = shortage(replace(regional, inputs=given, outputs=given), Scenario(quotas=(MEGA,), capacity=ROOMS), ledger)
    assert lacks is not None
    assert (lacks.kind, lacks.region, lacks.requested) == ("quota", "us-central1", 48)


def test_other_zones_with_enough_are_named(ledger: Ledger) -> None:
    more = tuple(replace(ROOMS[0], zone=zone, available=left) for zone, left in (("us-east-1b", 5), ("us-east-1c", 9)))
    lacks = shortage(_in_aws(ledger, 6), Scenario(capacity=(*ROOMS, *more)), ledger)
    assert lacks is not None
    assert (lacks.zone, lacks.zones) == ("us-east-1a", ("us-east-1c",))


def test_what_is_there_counts_and_of_a_failed_pool_the_machines_that_started(ledger: Ledger) -> None:
    standing = _in_aws(ledger, 4, "standing")
    ledger.put(standing)
    lacks = shortage(_in_aws(ledger, 2), Scenario(quotas=(P,)), ledger)
    assert lacks is not None
    assert (lacks.used, lacks.requested) == (768, 384)
    # A change of itself asks for what it then is.
    assert shortage(_in_aws(ledger, 5, "standing"), Scenario(quotas=(P,)), ledger) is None
    lacks = shortage(_in_aws(ledger, 2), Scenario(capacity=ROOMS), ledger)
    assert lacks is not None
    assert (lacks.used, lacks.requested, lacks.limit) == (4, 2, 5)
    failure = Operation(state="CREATING", ends=0, error="no", failed="CREATE_FAILED", machines=3)
    for started, short in ((3, False), (4, True), (None, True)):
        ledger.put(replace(standing, failure=replace(failure, machines=started)))
        assert (shortage(_in_aws(ledger, 2), Scenario(quotas=(P,)), ledger) is not None) == short


def test_markets_have_quotas_of_their_own_and_what_is_held_already_none(ledger: Ledger) -> None:
    spot, both = _in_aws(ledger, 6, capacityType="SPOT"), Scenario(quotas=(P, SPOT))
    lacks = shortage(spot, both, ledger)
    assert lacks is not None
    assert (lacks.kind, lacks.name) == ("spot-quota", "L-C4BD4855")
    block = _in_aws(ledger, 60, capacityType="CAPACITY_BLOCK")
    reserved = _in_gcp(ledger, 60, reservationAffinity={"consumeReservationType": "SPECIFIC_RESERVATION"})
    waits = _in_gcp(ledger, 60, flexStart=True)
    group = _in_azure(ledger, 60, capacityReservationGroupID="/g")
    everything = Scenario(quotas=(P, SPOT, MEGA, ALL, ND, CORES), capacity=ROOMS)
    assert [shortage(entry, everything, ledger) for entry in (block, reserved, group)] == [None] * 3
    waiting = shortage(waits, Scenario(quotas=(MEGA,), capacity=ROOMS), ledger)
    assert waiting is None


def test_things_are_counted_by_region(ledger: Ledger) -> None:
    one = Quota(cloud="aws", name="L-F678F1CE", region="us-east-1", limit=1)
    ledger.put(_entry("aws:ec2/vpc:Vpc", "vpc-1", {}, scope="us-west-2"))
    vpc = _entry("aws:ec2/vpc:Vpc", "vpc-2", {})
    assert shortage(vpc, Scenario(quotas=(one,)), ledger) is None
    ledger.put(vpc)
    lacks = shortage(_entry("aws:ec2/vpc:Vpc", "vpc-3", {}), Scenario(quotas=(one,)), ledger)
    assert lacks is not None
    assert (lacks.kind, lacks.used) == ("count", 1)


def test_a_pool_that_is_on_its_way_counts(ledger: Ledger) -> None:
    going = replace(
        _in_aws(ledger, 4, "standing"), operation=Operation(state="CREATING", ends=time.time() + 600, lasts=900)
    )
    ledger.put(going)
    assert shortage(_in_aws(ledger, 2), Scenario(quotas=(P,)), ledger) is not None


@pytest.mark.parametrize("cloud", clouds())
def test_every_quota_has_a_unit_and_counts_something(cloud: str) -> None:
    for kind in quota_kinds(cloud).values():
        assert kind.unit in ("vcpus", "gpus", "count")
        assert bool(kind.type) == (kind.unit == "count")
        assert bool(kind.machines) != bool(kind.type)


@pytest.mark.parametrize(("nodes", "fits"), [(5, True), (6, False)])
def test_use_of_a_stack_that_the_sandbox_has_too_counts_once(nodes: int, fits: bool, ledger: Ledger) -> None:
    """The account has 960 of 1,920 in use, all by the stack `other`, which has these five nodes here as well."""
    quota = replace(P, limit=1920, usage=960, stacks={"other": 960})
    there = replace(
        _in_aws(ledger, 5, "standing"), urn="urn:pulumi:other::small::aws:eks/nodeGroup:NodeGroup::standing"
    )
    assert shortage(there, Scenario(quotas=(quota,)), ledger) is None
    ledger.put(there)
    lacks = shortage(_in_aws(ledger, nodes), Scenario(quotas=(quota,)), ledger)
    assert (lacks is None, lacks and lacks.used) == (fits, None if fits else 960)
    grown = replace(there, inputs={**there.inputs, "scalingConfig": {"desiredSize": 11}})
    assert shortage(grown, Scenario(quotas=(quota,)), ledger) is not None


def test_use_of_others_beside_stacks_counts_on(ledger: Ledger) -> None:
    quota = replace(P, limit=1920, usage=961, stacks={"other": 960})
    assert shortage(_in_aws(ledger, 5), Scenario(quotas=(quota,)), ledger) is not None

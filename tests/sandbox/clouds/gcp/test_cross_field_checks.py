"""Every rule that ties fields of a cluster on Google Cloud to each other: a case that passes and one that is stopped.

A case is tried where its rule is kept: in the plan where a spec can break the rule, in an object of the cluster before
it is registered, and else by the simulated Google Cloud, which refuses what no spec of ours can ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.addresses import AddressPlan, address_problems
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.plan import plan_cluster
from gpucluster.components.planning import PlanError
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.fields import ValidationError
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

MakeStage = Callable[..., Any]
Try = Callable[[MakeStage], object]

RULES = (
    "machine and accelerator name",
    "number of additional networks",
    "MTU",
    "one zone when compact",
    "compact or queued",
    "flex-start has no fixed number of nodes",
    "flex-start has no repair",
    "flex-start has no reservation",
    "flex-start is not spot",
    "parts of a host are spot or flex-start",
    "a reservation has no placement of its own",
    "MIG size is in the table",
    "MIG has no GPU networks",
    "accelerator network profile has no networks beside it",
    "accelerator network profile is for RDMA machines",
    "RDMA has no Fast Socket",
    "number of local SSDs",
    "steps of Lustre",
    "ranges do not overlap",
)

TRIAL = yaml.safe_load((Path(__file__).parents[4] / "stacks/specs/trial.yaml").read_text())
RESERVATION = "projects/my-project/reservations/mega"
SCALED: dict[str, Any] = {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"}
COMPACT: dict[str, Any] = {"placementPolicy": {"type": "COMPACT"}}
MEGA = "a3-megagpu-8g"
ULTRA = "a3-ultragpu-8g"


@dataclass(frozen=True)
class Case:
    """said: words of the refusal."""

    rule: str
    passes: Try
    fails: Try
    said: str


def spec(machine: str | None = None, **changes: Any) -> Try:
    """A plan of the trial with these changes."""

    def run(_: MakeStage) -> object:
        here = Location(project="my-project", region="us-central1", zone="us-central1-b")
        asked = ClusterSpec.model_validate({**TRIAL, **changes})
        return plan_cluster(asked, here, stack="gcp-trial", machine=machine)

    return run


def pool(machine: str = MEGA, *, networks: int = 0, mtu: int = 8244, profile: str | None = None, **inputs: Any) -> Try:
    """A node pool in the simulated cloud. networks: VPCs for GPU interfaces; 9 are those of RoCE. profile: by which GKE
    makes the networks.
    """

    def run(make_stage: MakeStage) -> object:
        stage = make_stage(mtu=mtu)
        given = stage.roce_networks() if networks == 9 else stage.gpu_networks(networks)
        if profile is not None:
            config = {"acceleratorNetworkProfile": profile, "additionalNodeNetworkConfigs": given}
            return stage.pool(machine, networkConfig=config, **inputs)
        return stage.pool(machine, networks=given, **inputs)

    return run


def flex_start(*, config: Mapping[str, Any] | None = None, repair: bool = False, **inputs: Any) -> Try:
    return pool(
        config={"flexStart": True, "maxRunDuration": "604800s", **(config or {})},
        management={"autoRepair": repair, "autoUpgrade": True},
        autoscaling=SCALED,
        **inputs,
    )


def taking(name: str) -> dict[str, Any]:
    key = "compute.googleapis.com/reservation-name"
    return {"reservationAffinity": {"consumeReservationType": "SPECIFIC_RESERVATION", "key": key, "values": [name]}}


def in_reservation(**inputs: Any) -> Try:
    """A pool inside a reservation of the project that was made without a policy."""

    def run(make_stage: MakeStage) -> object:
        stage = make_stage()
        held = {"count": 2, "instanceProperties": {"machineType": MEGA}}
        stage.create("compute/reservation:Reservation", "r", name="r", zone="us-central1-a", specificReservation=held)
        return stage.pool(config=taking("r"), **inputs)

    return run


def sliced(size: str, networks: int = 0) -> Try:
    gpus = {"type": "nvidia-h100-80gb", "count": 8, "gpuPartitionSize": size}
    return pool("a3-highgpu-8g", networks=networks, config={"guestAccelerators": [gpus]})


def lustre(capacity_gib: int) -> Try:
    def run(make_stage: MakeStage) -> object:
        create: Callable[..., Entry] = make_stage().create
        vpc = create("compute/network:Network", "n", name="n", autoCreateSubnetworks=False)
        block = {"name": "g", "purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 20}
        create("compute/globalAddress:GlobalAddress", "g", network=vpc.id, **block)
        connection = {"service": "servicenetworking.googleapis.com", "reservedPeeringRanges": ["g"]}
        create("servicenetworking/connection:Connection", "c", network=vpc.id, **connection)
        return create(
            "lustre/instance:Instance",
            "l",
            instanceId="l",
            location="us-central1-a",
            filesystem="shared",
            capacityGib=str(capacity_gib),
            perUnitStorageThroughput="500",
            network="projects/p/global/networks/n",
        )

    return run


def addresses(**changes: str) -> Try:
    def run(_: MakeStage) -> object:
        problems = address_problems(AddressPlan(**changes, gpu=("10.8.0.0/20",)), gpu_nodes=5, other_nodes=3)
        if problems:
            raise PlanError(problems)
        return None

    return run


H100 = [{"type": "nvidia-h100-80gb", "count": 8}]
CASES = [
    Case(RULES[0], spec("a3-highgpu-8g"), spec(ULTRA), f"machine is '{ULTRA}'; with accelerator h100"),
    Case(RULES[0], pool(), pool(config={"guestAccelerators": H100}), "comes with 8 x nvidia-h100-mega-80gb"),
    Case(RULES[1], pool("a3-highgpu-8g", networks=4), pool("a3-highgpu-8g", networks=3), "needs 4 additional networks"),
    Case(RULES[1], pool(networks=8), pool(networks=7), "needs 8 additional networks"),
    Case(RULES[1], pool(ULTRA, networks=9), pool(ULTRA, networks=8), "needs 9 additional networks"),
    Case(RULES[2], pool(networks=8), pool(networks=8, mtu=1460), "needs an MTU of 8244"),
    Case(
        RULES[3],
        pool(**COMPACT),
        pool(**COMPACT, nodeLocations=["us-central1-a", "us-central1-b"]),
        "exactly one zone",
    ),
    Case(
        RULES[4],
        pool(queuedProvisioning={"enabled": True}, autoscaling=SCALED),
        pool(queuedProvisioning={"enabled": True}, autoscaling=SCALED, **COMPACT),
        "not supported with queued provisioning",
    ),
    Case(RULES[5], flex_start(), flex_start(nodeCount=2), "autoscaling instead of a fixed node_count"),
    Case(RULES[6], flex_start(), flex_start(repair=True), "requires node auto-repair to be disabled"),
    Case(
        RULES[7],
        spec(purchase={"kind": "flex-start"}, duration="7d"),
        spec(purchase={"kind": "flex-start"}, duration="7d", placement={"kind": "reservation", "id": RESERVATION}),
        "'flex-start', which does not use reservations",
    ),
    Case(RULES[7], flex_start(), flex_start(config=taking("r")), "not supported with reservations"),
    Case(RULES[8], flex_start(), flex_start(config={"spot": True}), "Flex-start and Spot VMs exclude each other"),
    Case(RULES[9], spec("a3-highgpu-8g"), spec("a3-highgpu-4g"), "sold as Spot or flex-start only"),
    Case(
        RULES[9],
        pool("a3-highgpu-1g", config={"spot": True}),
        pool("a3-highgpu-1g"),
        "must be created as Spot VMs or Flex-start VMs",
    ),
    Case(RULES[10], in_reservation(), in_reservation(**COMPACT), "was not created with the placement policy"),
    Case(
        RULES[11],
        spec(mig={"nodes": 1, "layout": "all-3g.40gb"}),
        spec(mig={"nodes": 1, "layout": "all-4g.40gb"}),
        "which GKE does not accept for h100; allowed: all-1g.10gb",
    ),
    Case(RULES[11], sliced("3g.40gb"), sliced("4g.40gb"), "4g.40gb is not a valid GPU partition size"),
    Case(RULES[12], sliced("1g.10gb"), sliced("1g.10gb", networks=4), "slices of GPUs never use the GPU networks"),
    Case(RULES[13], pool(ULTRA, profile="auto"), pool(ULTRA, profile="auto", networks=9), "exclude each other"),
    Case(RULES[14], pool(ULTRA, profile="auto"), pool(profile="auto"), f"not supported on machine type {MEGA}"),
    Case(
        RULES[15],
        pool(config={"fastSocket": {"enabled": True}}),
        pool(ULTRA, config={"fastSocket": {"enabled": True}}),
        "Fast Socket is not compatible with GPUDirect RDMA",
    ),
    Case(
        RULES[16],
        pool(),
        pool(config={"ephemeralStorageLocalSsdConfig": {"localSsdCount": 8}}),
        "has 16 local SSDs",
    ),
    Case(RULES[17], lustre(36_000), lustre(40_000), "in steps of 18000"),
    Case(
        RULES[18],
        spec(access={"kind": "private", "via": "vpn", "cidrs": ["192.168.0.0/16"]}),
        spec(access={"kind": "private", "via": "vpn", "cidrs": ["10.4.128.0/17"]}),
        "overlaps the cluster's pods (10.4.0.0/14)",
    ),
    Case(RULES[18], addresses(), addresses(services="10.4.0.0/20"), "services (10.4.0.0/20) and pods (10.4.0.0/14)"),
    Case(RULES[18], addresses(), addresses(pods="10.8.0.0/14"), "pods (10.8.0.0/14) and GPU network 0 (10.8.0.0/20)"),
]
EACH_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)


def test_no_cross_field_rule_is_left_out() -> None:
    assert tuple(dict.fromkeys(case.rule for case in CASES)) == RULES


@EACH_CASE
def test_a_program_that_keeps_a_cross_field_rule_passes(case: Case, make_stage: MakeStage) -> None:
    case.passes(make_stage)


@EACH_CASE
def test_what_breaks_the_rule_is_stopped_by_it(case: Case, make_stage: MakeStage) -> None:
    with pytest.raises((PlanError, CloudError, ValidationError)) as stopped:
        case.fails(make_stage)
    problems = list(map(str, stopped.value.problems)) if isinstance(stopped.value, PlanError) else [str(stopped.value)]
    assert case.said in "\n".join(problems)

"""Which changes replace a resource of Google Cloud."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import Change, Kind, Resource
from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount, Settings
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema

Asked = Callable[..., Resource]

POOL = "container/nodePool:NodePool"
CLUSTER = "container/cluster:Cluster"


def rows(name: str) -> list[dict[str, str]]:
    text = resources.files("gpucluster.sandbox.clouds.gcp").joinpath(name).read_text()
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize(
    ("token", "path", "answer"),
    [
        (POOL, "nodeCount", False),
        (POOL, "networkConfig.additionalNodeNetworkConfigs[0].network", True),
        (POOL, "networkConfig.enablePrivateNodes", False),
        (POOL, "nodeConfig.labels.team", False),
        (POOL, "nodeConfig.spot", True),
        (POOL, "nodeConfig.reservationAffinity.values[0]", True),
        (POOL, "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig.gpuDriverVersion", True),
        (POOL, "nodeConfig.ephemeralStorageLocalSsdConfig.localSsdCount", True),
        (POOL, "autoscaling.totalMaxNodeCount", False),
        (POOL, "networkConfig.additionalNodeNetworkConfigs[0].stackType", None),
        (CLUSTER, "enableMultiNetworking", False),
        (CLUSTER, "datapathProvider", True),
        (CLUSTER, "resourceLabels.team", False),
        (CLUSTER, "deletionProtection", False),
        ("compute/network:Network", "mtu", False),
        ("compute/network:Network", "networkProfile", True),
        ("compute/resourcePolicy:ResourcePolicy", "groupPlacementPolicy.maxDistance", False),
        ("lustre/instance:Instance", "capacityGib", False),
        ("lustre/instance:Instance", "perUnitStorageThroughput", True),
        ("lustre/instance:Instance", "targetVersion", None),
        ("projects/iAMMember:IAMMember", "role", True),
        ("redis/instance:Instance", "memorySizeGb", None),
    ],
)
def test_a_change_replaces_or_not(account: GcpAccount, gcp: Asked, token: str, path: str, answer: bool | None) -> None:
    assert account.replaces(gcp(token), Change(path, Kind.UPDATE)) is answer


@pytest.mark.parametrize(
    ("token", "name", "old", "new", "answer"),
    [
        ("compute/subnetwork:Subnetwork", "ipCidrRange", "10.0.0.0/24", "10.0.0.0/23", False),
        ("compute/subnetwork:Subnetwork", "ipCidrRange", "10.0.0.0/23", "10.0.0.0/24", True),
        ("compute/subnetwork:Subnetwork", "ipCidrRange", "10.0.0.0/24", "10.1.0.0/24", True),
        ("compute/disk:Disk", "size", 100, 200, False),
        ("compute/disk:Disk", "size", 200, 100, True),
        (CLUSTER, "enableL4IlbSubsetting", False, True, False),
        (CLUSTER, "enableL4IlbSubsetting", True, False, True),
    ],
)
def test_some_changes_replace_by_their_values(
    account: GcpAccount, gcp: Asked, token: str, name: str, old: Any, new: Any, answer: bool
) -> None:
    asked = replace(gcp(token, **{name: new}), old_inputs={name: old})
    assert account.replaces(asked, Change(name, Kind.UPDATE)) is answer


def test_every_row_is_a_property_of_the_sdk_and_has_a_source(schemas: dict[str, Schema]) -> None:
    for row in rows("replacements.csv"):
        found = schemas["gcp"].resource_type(row["type"])
        assert found is not None, row["type"]
        assert row["source"] and row["replace"] in ("yes", "no", "unknown")
        for path in row["properties"].split():
            properties: Any = found.inputs
            for name in path.split("."):
                assert name in properties, f"{row['type']}: {path}"
                type_ = properties[name].type
                while isinstance(type_, dict) and "ref" not in type_:
                    type_ = next(iter(type_.values()))
                properties = found.types[type_["ref"]] if isinstance(type_, dict) else {}


def test_every_default_is_an_input_of_the_sdk(schemas: dict[str, Schema]) -> None:
    for row in rows("defaults.csv"):
        found = schemas["gcp"].resource_type(row["type"])
        assert found is not None and row["property"] in found.inputs, row


def test_another_project_of_the_provider_replaces_what_it_holds(ledger: Ledger, gcp: Asked) -> None:
    there = replace(gcp("compute/network:Network", name="n"), outputs={"project": "old"})
    account = GcpAccount(ledger, Settings(project="new"))
    assert account.derived(there)["project"] == "new"
    assert account.replaces(there, Change("project", Kind.UPDATE)) is True

"""Control planes go up one minor version at a time; on the engine that is `tests/stacks/test_upgrade.py`."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.sandbox.clouds.aws.rules import upgrade as eks
from gpucluster.sandbox.clouds.azure.rules import upgrade as aks
from gpucluster.sandbox.clouds.azure.rules.snapshot import snapshot_fits
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.rules import upgrade as gke

Case = tuple[Any, dict[str, str], dict[str, str], str]

REFUSED: list[Case] = [
    (eks, {"version": "1.34"}, {"version": "1.36"}, "Unsupported Kubernetes minor version update from 1.34 to 1.36"),
    (eks, {"version": "1.36"}, {"version": "1.35"}, "Unsupported Kubernetes minor version update from 1.36 to 1.35"),
    (
        gke,
        {"masterVersion": "1.34.1-gke.1829001"},
        {"minMasterVersion": "1.36"},
        'Master cannot be upgraded to "1.36.2-gke.1498000": cannot upgrade the master more than a minor version',
    ),
    (
        aks,
        {"currentKubernetesVersion": "1.34.0"},
        {"kubernetesVersion": "1.36"},
        r"Upgrading Kubernetes version 1.34.0 to 1.36 is not allowed. Available upgrades: \[1.35\].",
    ),
    (aks, {"currentKubernetesVersion": "1.36.0"}, {"kubernetesVersion": "1.35"}, "1.36.0 to 1.35 is not allowed"),
]
TAKEN: list[Case] = [
    (eks, {"version": "1.35"}, {"version": "1.36"}, ""),
    (eks, {}, {"version": "1.36"}, ""),
    (gke, {"masterVersion": "1.35.2-gke.1842000"}, {"minMasterVersion": "1.36"}, ""),
    (gke, {"masterVersion": "1.35.2-gke.1842000"}, {"minMasterVersion": "1.34"}, ""),
    (aks, {"currentKubernetesVersion": "1.35.0"}, {"kubernetesVersion": "1.36"}, ""),
    (
        aks,
        {"currentKubernetesVersion": "1.34.0"},
        {"kubernetesVersion": "1.36", "supportPlan": "AKSLongTermSupport"},
        "",
    ),
]


SNAPSHOT = {
    "kubernetesVersion": "1.35.0",
    "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202511.07.0",
    "osSku": "Ubuntu2204",
    "vmSize": "Standard_ND96isr_H100_v5",
}
OLDER_IMAGE = "AKSUbuntu-2204gen2containerd-202510.03.0"


@pytest.mark.parametrize(
    ("snapshot", "pool", "inputs", "refusal"),
    [
        ({}, {}, {}, ""),
        ({}, {"currentOrchestratorVersion": "1.34.0", "nodeImageVersion": OLDER_IMAGE}, {}, ""),
        ({}, {}, {"vmSize": "Standard_NC40ads_H100_v5"}, "another family than Standard_NC40ads_H100_v5"),
        ({"nodeImageVersion": "AKSUbuntu-2204gen2containerd-202508.01.0"}, {}, {}, "is older than 90 days"),
        ({"nodeImageVersion": OLDER_IMAGE}, SNAPSHOT, {}, "is older than 1.35.0 on AKSUbuntu"),
        ({"kubernetesVersion": "1.34.2"}, SNAPSHOT, {}, "1.34.2 on AKSUbuntu"),
        ({}, {}, {"orchestratorVersion": "1.36"}, "has Kubernetes 1.35.0, and the pool requests 1.36"),
    ],
)
def test_a_pool_takes_a_snapshot_of_its_family_forward_only_and_at_most_90_days_old(
    snapshot: dict[str, str], pool: dict[str, str], inputs: dict[str, str], refusal: str
) -> None:
    managed = SimpleNamespace(
        inputs={"vmSize": SNAPSHOT["vmSize"], "creationData": {"sourceResourceId": "s"}, **inputs},
        previous=pool and {"currentOrchestratorVersion": SNAPSHOT["kubernetesVersion"], **pool},
        changed={"creationData"},
        at=lambda *_: SimpleNamespace(name="s", outputs={**SNAPSHOT, **snapshot}),
        token="a:b:AgentPool",
        name="training",
    )
    with pytest.raises(CloudError, match=refusal) if refusal else nullcontext():
        snapshot_fits(cast(Any, managed))


def judge(case: Case) -> None:
    cloud, previous, inputs, _ = case
    managed = SimpleNamespace(previous=previous, inputs=inputs, token="a:b/cluster:Cluster", name="trial", id="trial")
    cloud.one_minor_version_at_a_time(managed)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[3])
def test_a_skipped_minor_version_and_a_way_back_are_refused(case: Case) -> None:
    with pytest.raises(CloudError, match=case[3]):
        judge(case)


@pytest.mark.parametrize("case", TAKEN, ids=lambda case: f"{case[1]} {case[2]}")
def test_the_next_minor_version_is_taken(case: Case) -> None:
    judge(case)


@pytest.mark.parametrize(("version", "late"), [("1.31", True), ("1.32", False)])
def test_a_node_group_four_minor_versions_behind_stops_its_cluster_with_nodes_or_without(
    version: str, late: bool
) -> None:
    paused = SimpleNamespace(name="paused", inputs={"clusterName": "trial"}, outputs={"version": version})
    other = SimpleNamespace(name="other", inputs={"clusterName": "other"}, outputs={"version": "1.20"})
    managed = SimpleNamespace(
        previous={"version": "1.34"}, inputs={"version": "1.35"}, token="a:b/cluster:Cluster", name="trial", id="trial",
        others=lambda _: [paused, other],
    )  # fmt: skip
    told = r"Nodegroups paused must be updated to match cluster version 1\.34 before"
    with pytest.raises(CloudError, match=told) if late else nullcontext():
        eks.node_groups_keep_up(managed)

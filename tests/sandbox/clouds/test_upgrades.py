"""Control planes go up one minor version at a time; AKS' in `cases/azure/clusters.yaml`, on the engine all in
`tests/stacks/test_upgrade.py`.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.sandbox.clouds.aws.rules import upgrade as eks
from gpucluster.sandbox.clouds.azure.rules.upgrade import snapshot_fits
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
]
TAKEN: list[Case] = [
    (eks, {"version": "1.35"}, {"version": "1.36"}, ""),
    (eks, {}, {"version": "1.36"}, ""),
    (gke, {"masterVersion": "1.35.2-gke.1842000"}, {"minMasterVersion": "1.36"}, ""),
    (gke, {"masterVersion": "1.35.2-gke.1842000"}, {"minMasterVersion": "1.34"}, ""),
]


@pytest.mark.parametrize(("day", "refusal"), [("202508.01", "-202508.01.0 of snapshot s is older"), ("202510.03", "")])
def test_a_pool_takes_no_snapshot_with_an_image_of_more_than_90_days(day: str, refusal: str) -> None:
    image = f"AKSUbuntu-2204gen2containerd-{day}.0"
    outputs = {
        "kubernetesVersion": "1.35.0",
        "nodeImageVersion": image,
        "osSku": "Ubuntu2204",
        "vmSize": "Standard_D4s_v5",
    }
    inputs = {"vmSize": "Standard_D4s_v5", "creationData": {"sourceResourceId": "s"}}
    found = SimpleNamespace(name="s", outputs=outputs)
    managed = SimpleNamespace(inputs=inputs, previous={}, at=lambda *_: found)
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
    managed: Any = SimpleNamespace(
        previous={"version": "1.34"}, inputs={"version": "1.35"}, token="a:b/cluster:Cluster", name="trial", id="trial",
        others=lambda _: [paused, other],
    )  # fmt: skip
    told = r"Nodegroups paused must be updated to match cluster version 1\.34 before"
    with pytest.raises(CloudError, match=told) if late else nullcontext():
        eks.node_groups_keep_up(managed)

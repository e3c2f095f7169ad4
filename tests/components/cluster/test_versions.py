"""Versions are the user's, and refused with the reason where they can't be had."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from gpucluster.components.cluster.versions import KUBERNETES, VersionPlan, image_notes, plan_versions
from gpucluster.components.kubernetes.objects.charts import CHART_SET
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import Versions
from gpucluster.core.catalog.fabrics import releases_of
from gpucluster.core.catalog.kubernetes_versions import default_driver
from gpucluster.core.catalog.machines import machines
from tests.components.told import reports

MEGA = machines()["a3-megagpu-8g"]
SNAPSHOT = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers/Microsoft.ContainerService"
    "/snapshots/trial-1-35"
)


def planned(cloud: str = "gcp", machine: str = "a3-megagpu-8g", **asked: Any) -> tuple[VersionPlan, Planning[Any]]:
    """The versions on a cloud, and what their plan reports."""
    planning = reports()
    return plan_versions(Versions(**asked), cloud, machines()[machine], planning, fabrics=cloud == "gcp"), planning


def test_what_is_left_out_is_that_of_this_release() -> None:
    assert planned()[0] == VersionPlan(control_plane=KUBERNETES, system=None, nodes=None, extended=False)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_the_pin_and_the_version_above_it_can_be_had(cloud: str) -> None:
    for chosen in (KUBERNETES, "1.36"):
        assert planned(cloud, kubernetes=chosen, charts=CHART_SET)[1].problems == []


def test_the_name_of_the_set_of_charts_is_a_text_in_yaml_without_quotes() -> None:
    assert yaml.safe_load(f"charts: {CHART_SET}") == {"charts": CHART_SET}


@pytest.mark.parametrize(
    ("cloud", "asked", "told"),
    [
        (
            "aws",
            {"kubernetes": "1.99"},
            "versions.kubernetes is '1.99', which is not a known version on this cloud; allowed: ",
        ),
        ("aws", {"nodes": "1.36"}, "versions.nodes is '1.36', newer than the control plane, 1.35; raise versions.kub"),
        ("aws", {"kubernetes": "1.36", "system": "1.32"}, "versions.system is '1.32', too old for a control plane of "),
        (
            "gcp",
            {"kubernetes": "1.36", "nodes": "1.33.1-gke.1"},
            "too old for a control plane of 1.36; write 1.34 or n",
        ),
        ("gcp", {"nodes": "1.35"}, "versions.nodes is '1.35'; write a full version such as 1.35.2-gke.1842000"),
        ("aws", {"nodes": "1.35.2-gke.1"}, "versions.nodes is '1.35.2-gke.1'; write a minor version such as 1.35, or "),
        ("gcp", {"addons": {"coredns": "default"}}, "versions.addons names add-ons of EKS, which other clouds do not "),
        ("azure", {"nodes": "1.35.2-20260714"}, "write a minor or a patch version, such as 1.35 or 1.35.2"),
        ("aws", {"image": "ami-1"}, "versions.image is set, but only Azure has node pool snapshots; remove it"),
        ("azure", {"image": "trial-1-36", "nodes": "1.35"}, "write the id of a node pool snapshot, /subscriptions/ID/"),
        ("azure", {"image": SNAPSHOT}, "versions.nodes is missing; write that version as versions.nodes"),
        ("azure", {"system": "1.35"}, "is '1.35', but AKS upgrades its system pool by a request of its own; remove it"),
        (
            "aws",
            {"charts": "2025-01"},
            f"is '2025-01', but this release of gpucluster has the set {CHART_SET}; install",
        ),
    ],
)
def test_a_version_that_cannot_be_had_is_refused_with_the_reason(cloud: str, asked: dict[str, Any], told: str) -> None:
    [problem] = planned(cloud, **asked)[1].problems
    assert told in str(problem)


def test_a_fabric_that_needs_a_newer_version_refuses_an_older_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from gpucluster.components.cluster import versions

    newer = next(one for one in releases_of(MEGA) if one.kubernetes_from)
    monkeypatch.setattr(versions, "release_of", lambda *_: newer)
    [problem] = planned(kubernetes="1.32")[1].problems
    wanted = f"the fabric of a3-megagpu-8g needs {newer.kubernetes_from}; write a newer one"
    assert str(problem) == f"versions.kubernetes is '1.32', but {wanted}"


@pytest.mark.parametrize("value", ["1.35.2", "v1.35", "latest", "1.35\n"])
def test_a_control_plane_has_a_minor_version(value: str) -> None:
    with pytest.raises(ValueError, match=r"is not a minor version of Kubernetes; write one in quotes, such as '1\.35'"):
        Versions(kubernetes=value)


@pytest.mark.parametrize(
    ("cloud", "told"),
    [
        ("aws", "standard support until 2027-03-27, and extended support until 2028-03-27; its price, six times"),
        ("gcp", "until 2027-04-11, and extended support until an unknown day; its additional fee from then on"),
        ("azure", "until 2027-03-31, and extended support until 2028-03-31; the Premium tier, included in the cost"),
    ],
)
def test_long_term_support_says_until_when_and_what_it_costs(cloud: str, told: str) -> None:
    assert told in planned(cloud, support="extended")[1].notes[0]
    assert told not in planned(cloud)[1].notes


@pytest.mark.parametrize(
    ("cloud", "nodes", "told"),
    [
        (
            "aws",
            None,
            "EKS chooses its newest image when it creates a pool; write versions.nodes, such as '1.35.2-20260714'",
        ),
        (
            "aws",
            "1.35",
            "EKS chooses its newest image when it creates a pool; write versions.nodes, such as '1.35.2-20260714'",
        ),
        ("aws", "1.35.2-20260801", None),
        (
            "gcp",
            None,
            "GKE chooses a version when it creates a pool; write versions.nodes, such as '1.35.2-gke.1842000'",
        ),
        ("gcp", "1.35.2-gke.1842000", None),
        (
            "azure",
            "1.35.2",
            "AKS chooses its newest image when it creates or upgrades a pool; write versions.image, a snapshot",
        ),
    ],
)
def test_node_images_that_are_not_pinned_are_told(cloud: str, nodes: str | None, told: str | None) -> None:
    expected = [] if told is None else [f"node images are not pinned: {told} (docs/operate/upgrading-kubernetes.md)"]
    assert image_notes(planned(cloud, nodes=nodes)[0], cloud) == expected


@pytest.mark.parametrize(
    ("cloud", "machine", "asked", "told"),
    [
        (
            "gcp",
            "a3-megagpu-8g",
            {"fabric": "v1.0.17"},
            "versions.fabric is 'v1.0.17', which is not a release for a3-megagpu-8g with Kubernetes 1.35 and its GPU "
            "driver, 580; allowed: v1.0.16, v1.0.15, v1.0.14",
        ),
        (
            "gcp",
            "a3-ultragpu-8g",
            {"fabric": "v1.0.16"},
            "not a release for a3-ultragpu-8g with Kubernetes 1.35 and its",
        ),
        ("gcp", "a3-megagpu-8g", {"fabric": "v1.0.17", "kubernetes": "1.32"}, "with Kubernetes 1.32; allowed: v1.0.16"),
        ("gcp", "a2-ultragpu-8g", {"fabric": "v1.0.16"}, "is 'v1.0.16', but there is nothing to choose from"),
        ("aws", "p5.48xlarge", {"fabric": "v1.19.0"}, "fabric is 'v1.19.0', but there is nothing to choose from; rem"),
    ],
)
def test_a_release_of_the_fabric_that_does_not_fit_is_refused_with_those_that_do(
    cloud: str, machine: str, asked: dict[str, Any], told: str
) -> None:
    [problem] = planned(cloud, machine, **asked)[1].problems
    assert told in str(problem)


def test_a_release_that_may_fit_is_taken_and_what_is_not_known_is_said() -> None:
    (_, older), (_, newer) = planned(fabric="v1.0.15"), planned(fabric="v1.0.17", kubernetes="1.36")
    assert older.problems == newer.problems == []
    assert [note for note in (*older.notes, *newer.notes) if note.startswith("fabric ")] == [
        "fabric v1.0.17: the GPU driver of Kubernetes 1.36 is unknown; the fabric supports drivers from 595.71.05 "
        "below 596"
    ]


@pytest.mark.parametrize("machine", ["a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g"])
def test_the_release_that_clusters_get_takes_gkes_driver_and_has_the_others_network(machine: str) -> None:
    first, *others = releases_of(machines()[machine])
    driver = default_driver("gcp", KUBERNETES)
    assert driver is not None and first.driven_by(driver)
    assert {one.nccl_net for one in others} <= {first.nccl_net}


@pytest.mark.parametrize(
    ("cloud", "nodes", "told"), [("aws", "1.34", 1), ("aws", "1.35", 0), ("gcp", "1.34.1-gke.1", 0)]
)
def test_nodes_older_than_the_control_plane_must_exist_on_eks(cloud: str, nodes: str, told: int) -> None:
    assert len(planned(cloud, nodes=nodes)[1].before_up) == told


@pytest.mark.parametrize(
    ("machine", "notes"),
    [
        (
            "a3-highgpu-8g",
            [
                "images of jobs: PyTorch below 2.7, for the fabric's plugin v3.1.12 with NCCL 2.19.4; images with "
                "another version in their tag are refused; a job without an image uses "
                "nvcr.io/nvidia/pytorch:24.10-py3"
            ],
        ),
        (
            "a3-megagpu-8g",
            [
                "images of jobs: CUDA 12, for the fabric's plugin v1.0.16 with NCCL 2.28.7; images with another "
                "version in their tag are refused; a job without an image uses nvcr.io/nvidia/pytorch:25.06-py3; GPU "
                "driver from 580.65.06 below 581"
            ],
        ),
        ("a3-ultragpu-8g", []),
        ("p5.48xlarge", []),
        ("Standard_ND96isr_H100_v5", []),
        ("a3-highgpu-1g", []),
    ],
)
def test_the_plan_says_which_images_fit_where_not_all_do(machine: str, notes: list[str]) -> None:
    assert planned(machine=machine)[1].notes == notes

"""The builds of EKS add-ons are those of the spec, of this release, or of EKS."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.planning.addon_builds import plan_addons
from gpucluster.components.cluster.versions import KUBERNETES
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import Versions
from gpucluster.core.catalog.kubernetes_versions import builds_of, eks_addons
from tests.components.told import told

PINS = {name: pin for name in eks_addons() if (pin := builds_of(name, "1.35").pinned)}


def plan(asked: dict[str, Any], region: str = "us-east-1") -> tuple[dict[str, str], Planning[Any]]:
    """The builds, and what the plan reports."""
    location, _ = CLOUD.locate({"region": region, "zone": f"{region}a"})
    planning = CLOUD.planning(location, "s")
    versions = Versions(**asked)
    builds = plan_addons(versions, versions.kubernetes or KUBERNETES, planning, home=False)
    return dict(builds), planning


@pytest.mark.parametrize(
    ("asked", "region", "builds"),
    [
        ({}, "us-east-1", PINS),
        ({}, "us-gov-west-1", {}),
        ({"kubernetes": "1.36"}, "us-east-1", {}),
        ({"addons": {"coredns": "v1.14.6-eksbuild.4"}}, "us-east-1", PINS | {"coredns": "v1.14.6-eksbuild.4"}),
        ({"addons": {"coredns": "v1.14.6-eksbuild.4"}}, "us-gov-west-1", {"coredns": "v1.14.6-eksbuild.4"}),
        ({"addons": {"coredns": "default"}}, "us-east-1", {name: PINS[name] for name in PINS if name != "coredns"}),
    ],
)
def test_the_spec_comes_before_the_pins_and_default_leaves_the_choice_to_eks(
    asked: dict[str, Any], region: str, builds: dict[str, str]
) -> None:
    assert plan(asked, region)[0] == builds


def test_unknown_names_and_builds_that_cannot_be_are_refused_with_the_known_ones() -> None:
    asked = {"coredns": "1.13.2", "corends": "default", "kube-proxy": "v1.36.0-eksbuild.25", "vpc-cni": "default"}
    _, planning = plan({"addons": asked | {"aws-efs-csi-driver": "default"}})
    of = "which EKS does not offer for Kubernetes 1.35; write a build of it, such as"
    names = ", ".join(name for name in eks_addons() if name != "aws-efs-csi-driver")
    absent = f"is not an add-on of this cluster; allowed: {names}"
    assert set(told(planning.problems)) == {
        f"versions.addons.coredns is '1.13.2', {of} {', '.join(builds_of('coredns', '1.35').recorded)}, default",
        f"versions.addons.kube-proxy is 'v1.36.0-eksbuild.25', {of} v1.35.3-eksbuild.21, v1.35.3-eksbuild.29, default",
        f"versions.addons.corends {absent}",
        f"versions.addons.aws-efs-csi-driver {absent}",
    }


def test_a_build_that_no_source_has_is_noted() -> None:
    known, new = "v1.13.2-eksbuild.31", "v1.13.2-eksbuild.99"
    assert plan({"addons": {"coredns": known, "vpc-cni": "default"}})[1].before_up == []
    [note] = plan({"addons": {"coredns": new}}, "eu-west-1")[1].before_up
    assert note.startswith(f"coredns {new} is not among the known builds for Kubernetes 1.35 (v1.13.2-eksbuild.21, ")
    assert "--region eu-west-1 --kubernetes-version 1.35 --addon-name coredns" in note

"""What EKS offers for a version of Kubernetes. Botocore's model holds requests and answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws.versions import ask_addons, ask_images, ask_kubernetes
from tests.gpucluster.operate.preflight.aws.asked import all_said, question, said
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

FAMILY = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/nvidia"
NEWEST = f"{FAMILY}/recommended/release_version"
PINNED = f"{FAMILY}/amazon-eks-node-al2023-x86_64-nvidia-1.35-v20260714/image_id"
END = datetime(2027, 1, 26, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "needed", "found"),
    [
        ("STANDARD_SUPPORT", "standard support", ("fine", "standard support until 2027-01-26")),
        ("EXTENDED_SUPPORT", "standard support", ("stops up", "extended support until 2027-01-26")),
        ("EXTENDED_SUPPORT", "extended support", ("fine", "extended support until 2027-01-26")),
        ("UNSUPPORTED", "standard support", ("stops up", "EKS does not offer it")),
        ("", "standard support", ("stops up", "EKS does not offer it")),
    ],
)
def test_a_version_needs_support(
    status: str, needed: str, found: tuple[str, str], stubs: Stubs, caller: Caller
) -> None:
    ends = {"endOfStandardSupportDate": END, "endOfExtendedSupportDate": END}
    offered = [{"clusterVersion": "1.35", "versionStatus": status, **ends}] if status else []
    request = {"clusterVersions": ["1.35"], "includeAll": True}
    stubs.add("eks", "describe_cluster_versions", {"clusterVersions": offered}, request)
    assert said(ask_kubernetes(caller, question("kubernetes", "1.35", needed))) == found


def addon(name: str, *builds: str) -> dict[str, Any]:
    """The first build is the default."""
    return {
        "addonName": name,
        "addonVersions": [
            {"addonVersion": build, "compatibilities": [{"clusterVersion": "1.35", "defaultVersion": not at}]}
            for at, build in enumerate(builds)
        ],
    }


def test_builds_of_all_add_ons_come_from_one_answer_of_some_pages(stubs: Stubs, caller: Caller) -> None:
    request = {"kubernetesVersion": "1.35", "owners": ["aws"]}
    first = {"addons": [addon("coredns", "v1.13.2-eksbuild.30", "v1.13.2-eksbuild.21")], "nextToken": "more"}
    stubs.add("eks", "describe_addon_versions", first, request)
    second = {"addons": [addon("vpc-cni", "v1.23.0-eksbuild.1")]}
    stubs.add("eks", "describe_addon_versions", second, {**request, "nextToken": "more"})
    details = {"kubernetes": "1.35"}
    asked = [
        question("add-on", "coredns", "v1.13.2-eksbuild.21", details=details),
        question("add-on", "vpc-cni", "v1.22.4-eksbuild.3", details=details),
        question("add-on", "vpc-cni", details=details),
        question("add-on", "kube-proxy", details=details),
    ]
    found = ask_addons(caller, asked)
    assert all_said(found) == [
        ("fine", "offered; EKS' default is v1.13.2-eksbuild.30"),
        ("stops up", "not offered, but v1.23.0-eksbuild.1; EKS' default is v1.23.0-eksbuild.1"),
        ("fine", "EKS' default is v1.23.0-eksbuild.1"),
        ("stops up", "EKS does not offer it for Kubernetes 1.35"),
    ]
    assert found[1].fix == "write versions.addons: {vpc-cni: v1.23.0-eksbuild.1}"


@pytest.mark.parametrize(
    ("release", "names", "found"),
    [
        ("1.35", [NEWEST], ("fine", "1.35.6-20261120 is the newest")),
        ("1.35", [], ("stops up", "EKS has no image for Kubernetes 1.35")),
        ("1.35.2-20260714", [NEWEST, PINNED], ("fine", "ami-0123; 1.35.6-20261120 is the newest")),
        ("1.35.2-20260714", [NEWEST], ("stops up", "not offered; 1.35.6-20261120 is the newest")),
    ],
)
def test_a_release_of_the_image_is_offered(
    release: str, names: list[str], found: tuple[str, str], stubs: Stubs, caller: Caller
) -> None:
    values = {NEWEST: "1.35.6-20261120", PINNED: "ami-0123"}
    asked = sorted([NEWEST, PINNED] if "-" in release else [NEWEST])
    offered = [{"Name": name, "Value": values[name]} for name in names]
    stubs.add("ssm", "get_parameters", {"Parameters": offered}, {"Names": asked})
    assert all_said(ask_images(caller, [question("image", release, details={"kind": "nvidia"})])) == [found]

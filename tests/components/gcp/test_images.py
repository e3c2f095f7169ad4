"""Where the images come from that a cluster on Google Cloud runs by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
MIRROR = "us-central1-docker.pkg.dev/my-project/mirror"
SPECS = ("stacks/specs/trial.yaml", "examples/specs/gcp/a3-high.yaml", "examples/specs/gcp/ultra.yaml")
Registering = Callable[[Callable[[], object]], list[tuple[str, str, dict[str, Any]]]]


def images(value: Any) -> Iterator[str]:
    """Every image that something names, in a pod or in the values of a chart."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "image" and isinstance(item, str):
                yield item
            elif key == "image":
                yield f"{item['registry']}/{item.get('repository', '')}" if "registry" in item else item["repository"]
            yield from images(item)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for item in value:
            yield from images(item)


def named(registered: Registering, spec: ClusterSpec) -> set[str]:
    """Images of all but the fabric's installer, whose own tests say where it comes from."""
    from gpucluster.components.gcp.cluster import TrainingCluster

    plan = CLOUD.plan_cluster(spec, HERE, stack="gcp-trial")
    found = registered(lambda: TrainingCluster(plan.name, plan))
    return {image for _, name, inputs in found if "-fabric-" not in name for image in images(inputs)}


@pytest.mark.parametrize("path", SPECS)
def test_no_image_comes_from_docker_hub(registered: Registering, path: str) -> None:
    raw = {**yaml.safe_load((ROOT / path).read_text()), "telemetry": {"opencost": True, "collector": True}}
    found = named(registered, ClusterSpec.model_validate(raw))
    assert found
    hosts = {image.partition("/")[0] for image in found}
    assert {host for host in hosts if "." not in host or host.endswith("docker.io")} == set()


def test_karpenters_image_comes_from_the_mirror_where_there_is_one(registered: Registering) -> None:
    access = {"kind": "private", "via": "inside", "egress": "none", "registry": MIRROR}
    raw = {**yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text()), "access": access}
    assert f"{MIRROR}/cloudpilotai/gcp/karpenter" in named(registered, ClusterSpec.model_validate(raw))


def test_plugin_daemon_and_image_of_jobs_are_of_the_release_that_the_spec_names(registered: Registering) -> None:
    raw = yaml.safe_load((ROOT / "examples/specs/gcp/mega-on-demand.yaml").read_text())
    chosen = {**raw, "versions": {"kubernetes": "1.36", "fabric": "v1.0.17"}}
    wanted = (r"gpudirecttcpx-dev:(.*)", r"tcpgpudmarxd-dev:(.*)", r"nvidia/pytorch:(.*)")

    def versions(spec: Mapping[str, Any]) -> list[set[str]]:
        found = named(registered, ClusterSpec.model_validate(spec))
        return [{hit[1] for image in found if (hit := re.search(one, image))} for one in wanted]

    assert versions(raw) == [{"v1.0.16"}, {"v1.0.22"}, {"25.06-py3"}]
    assert versions(chosen) == [{"v1.0.17"}, {"v1.0.23"}, {"26.01-py3"}]

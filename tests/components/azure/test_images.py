"""No image of the platform comes from Docker Hub: one address may pull 100 in 6 hours, and all nodes leave by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.images import named

TRIAL = yaml.safe_load((Path(__file__).parents[3] / "stacks/specs/trial.yaml").read_text())
HERE = Location(subscription="00000000-0000-0000-0000-000000000000", region="eastus", number="1")

Registered = list[tuple[str, str, dict[str, Any]]]


def test_no_image_of_the_platform_comes_from_docker_hub(
    registered: Callable[[Callable[[], object]], Registered],
) -> None:
    from gpucluster.components.azure.cluster import TrainingCluster

    spec = ClusterSpec.model_validate({**TRIAL, "telemetry": {"collector": True}})
    plan = CLOUD.plan_cluster(spec, HERE, stack="azure-trial")
    found = {
        image
        for kind, _, inputs in registered(lambda: TrainingCluster(plan.name, plan))
        for image in named(inputs)
        # What jobs run is theirs.
        if kind.startswith("kubernetes:") and not kind.endswith("TrainingRuntime")
    }
    hosts = {image: image.partition("/")[0] if "/" in image else "" for image in found if "://" not in image}
    assert len(hosts) > 5
    assert {image: host for image, host in hosts.items() if "." not in host or host == "docker.io"} == {}

"""No image of the platform comes from Docker Hub: one address may pull 100 in 6 hours, and all nodes leave by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.components.images import named

HUB = {"docker.io", "registry-1.docker.io", "index.docker.io"}


@pytest.mark.parametrize(
    "changes",
    [{}, {"mig": {"nodes": 1, "layout": "all-1g.10gb"}}, {"telemetry": {"opencost": True, "collector": True}}],
    ids=["trial", "mig", "telemetry"],
)
def test_no_image_of_the_platform_comes_from_docker_hub(
    register: Callable[..., Mapping[str, Any]], changes: dict[str, Any]
) -> None:
    found = {
        image
        for item in register(**changes).values()
        for image in named(item.inputs)
        # What jobs run is theirs.
        if item.typ.startswith("kubernetes:") and not item.typ.endswith("TrainingRuntime")
    }
    hosts = {image: image.partition("/")[0] if "/" in image else "" for image in found if "://" not in image}
    assert len(hosts) >= 4
    assert {image: host for image, host in hosts.items() if "." not in host or host in HUB} == {}

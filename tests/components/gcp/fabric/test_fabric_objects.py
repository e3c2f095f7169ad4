"""The objects for the GPU interfaces of each machine type, typed out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.fabric.fabric_objects import FabricPlugin, GpuNetworks
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.label_transformation import labelled_objects
from tests.components.gcp.fabrics import FABRICS

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


@pytest.mark.parametrize(("machine", "count"), [("a3-highgpu-8g", 3), ("a3-megagpu-8g", 9), ("a3-ultragpu-8g", 8)])
def test_another_number_of_networks_is_refused(registered: Run, machine: str, count: int) -> None:
    subnets = [("n", f"s-{index}") for index in range(count)]
    with pytest.raises(PlanError, match=f"{machine} has {count} additional networks; .* requires exactly"):
        registered(lambda: GpuNetworks("nets", FABRICS[machine], subnets=subnets))


PAUSE = "gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830"
INJECTOR = (
    "gcr.io/gke-release/nri-device-injector@sha256:6e79483d52abdc28454bf186320b10a56b0f117a10e8d65d5c74dbb821a76970"
)
IMAGES = "us-docker.pkg.dev/gce-ai-infra"
HIGH, MEGA, ULTRA = (FABRICS[f"a3-{machine}-8g"] for machine in ("highgpu", "megagpu", "ultragpu"))


@pytest.fixture
def plugin(registered: Run) -> Callable[[Any], dict[str, dict[str, Any]]]:
    """What a fabric registers: (type: name) -> inputs."""

    def run(fabric: Any) -> dict[str, dict[str, Any]]:
        found = registered(
            lambda: FabricPlugin("fabric", fabric, after=[], opts=labelled_objects({"team": "ml"}, None))
        )
        return {f"{type_.rsplit(':', 1)[-1]} {name}": inputs for type_, name, inputs in found}

    return run


@pytest.mark.parametrize("fabric", [HIGH, MEGA, ULTRA])
def test_the_daemon_of_the_same_release_is_exposed_for_the_jobs(registered: Run, fabric: Any) -> None:
    made: list[FabricPlugin] = []
    registered(lambda: made.append(FabricPlugin("fabric", fabric, after=[])))
    assert (made[0].plugin, made[0].daemon) == (fabric.release.plugin, fabric.release.daemon or None)


@pytest.mark.parametrize("fabric", [HIGH, MEGA, ULTRA])
def test_no_image_comes_from_docker_hub_or_from_any_registry_but_googles(
    plugin: Callable[[Any], dict[str, Any]], fabric: Any
) -> None:
    pods = [made["spec"]["template"]["spec"] for made in plugin(fabric).values()]
    images = {one["image"] for pod in pods for one in (*pod.get("initContainers", []), *pod["containers"])}
    registries = {image.partition("/")[0] for image in images}
    assert registries <= {"us-docker.pkg.dev", "gke.gcr.io", "gcr.io"}


@pytest.mark.parametrize(("fabric", "folder"), [(HIGH, "tcpx"), (MEGA, "tcpxo")])
def test_the_plugin_and_its_settings_are_copied_to_where_jobs_look(
    plugin: Callable[[Any], dict[str, Any]], fabric: Any, folder: str
) -> None:
    made = plugin(fabric)
    [script] = made["DaemonSet fabric-installer"]["spec"]["template"]["spec"]["initContainers"][-1]["args"]
    assert "/scripts/container_entry.sh install --install-nccl\n" in script
    assert f"cp -r --remove-destination /var/lib/{folder}/lib64/. /usr/local/nvidia/lib64\n" in script
    assert "DaemonSet fabric-injector" in made

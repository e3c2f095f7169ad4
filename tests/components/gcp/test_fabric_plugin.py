"""What is put on the nodes of each fabric, typed out from Google's own manifests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.gcp.fabric import FABRICS
from gpucluster.components.gcp.fabric_plugin import FabricPlugin
from gpucluster.components.labelling import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

PAUSE = "gke.gcr.io/pause:3.8@sha256:880e63f94b145e46f1b1082bb71b85e21f16b99b180b9996407d61240ceb9830"
INJECTOR = (
    "gcr.io/gke-release/nri-device-injector@sha256:6e79483d52abdc28454bf186320b10a56b0f117a10e8d65d5c74dbb821a76970"
)
IMAGES = "us-docker.pkg.dev/gce-ai-infra"
HIGH, MEGA, ULTRA = (FABRICS[f"a3-{machine}-8g"] for machine in ("highgpu", "megagpu", "ultragpu"))


def daemon_set(
    name: str, accelerator: str, *, containers: dict[str, Any], host_paths: dict[str, str]
) -> dict[str, Any]:
    labels = {"team": "ml", "k8s-app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system", "labels": labels},
        "spec": {
            "selector": {"matchLabels": {"k8s-app": name}},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "priorityClassName": "system-node-critical",
                    "affinity": {
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {
                                        "matchExpressions": [
                                            {
                                                "key": "cloud.google.com/gke-accelerator",
                                                "operator": "In",
                                                "values": [accelerator],
                                            },
                                            {"key": "gpucluster/pool", "operator": "In", "values": ["training"]},
                                        ]
                                    }
                                ]
                            }
                        }
                    },
                    "tolerations": [{"operator": "Exists"}],
                    "hostNetwork": True,
                    "hostPID": True,
                    **containers,
                    "volumes": [
                        {"name": volume, "hostPath": {"path": path, "type": "DirectoryOrCreate"}}
                        for volume, path in host_paths.items()
                    ],
                },
            },
        },
    }


def installer(name: str, image: str, script: str, mounts: dict[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "command": ["/bin/sh", "-c"],
        "args": [script],
        "resources": {"requests": {"cpu": "150m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": volume, "mountPath": path} for volume, path in mounts.items()],
    }


def injector(accelerator: str) -> dict[str, Any]:
    container = {
        "name": "device-injector",
        "image": INJECTOR,
        "resources": {"requests": {"cpu": "150m"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "dev", "mountPath": "/dev"}, {"name": "nri", "mountPath": "/var/run/nri"}],
    }
    return daemon_set(
        "device-injector",
        accelerator,
        containers={"containers": [container]},
        host_paths={"dev": "/dev", "nri": "/var/run/nri"},
    )


def copied(fabric: str, version: str) -> str:
    return (
        "set -ex\nrm -f /usr/local/nvidia/lib64/fabric-release\n"
        "chmod 755 /scripts/container_entry.sh\n/scripts/container_entry.sh install --install-nccl\n"
        "mkdir -p /usr/local/nvidia/lib64\n"
        f"cp -r --remove-destination /var/lib/{fabric}/lib64/. /usr/local/nvidia/lib64\n"
        f"echo {version} > /usr/local/nvidia/lib64/fabric-release\n"
    )


@pytest.fixture
def plugin(registered: Run) -> Callable[[Any], dict[str, dict[str, Any]]]:
    """What a fabric registers: (type: name) -> inputs."""

    def run(fabric: Any) -> dict[str, dict[str, Any]]:
        found = registered(
            lambda: FabricPlugin("fabric", fabric, after=[], opts=labelled_objects({"team": "ml"}, None))
        )
        return {f"{type_.rsplit(':', 1)[-1]} {name}": inputs for type_, name, inputs in found}

    return run


def test_tcpx_has_an_installer_and_the_injector(plugin: Callable[[Any], dict[str, Any]]) -> None:
    assert plugin(HIGH) == {
        "DaemonSet fabric-installer": daemon_set(
            "nccl-tcpx-installer",
            "nvidia-h100-80gb",
            containers={
                "initContainers": [
                    installer(
                        "nccl-tcpx-installer",
                        f"{IMAGES}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.12",
                        copied("tcpx", "v3.1.12"),
                        {"var-lib": "/var/lib", "library": "/usr/local"},
                    )
                ],
                "containers": [{"name": "pause", "image": PAUSE}],
            },
            host_paths={"var-lib": "/var/lib", "library": "/home/kubernetes/bin"},
        ),
        "DaemonSet fabric-injector": injector("nvidia-h100-80gb"),
    }


def test_tcpxo_prepares_the_node_first_and_has_the_injector(plugin: Callable[[Any], dict[str, Any]]) -> None:
    found = plugin(MEGA)
    prepare = found["DaemonSet fabric-installer"]["spec"]["template"]["spec"]["initContainers"].pop(0)
    *command, script = prepare.pop("command")
    assert command == ["nsenter", "-at", "1", "--", "sh", "-c"]
    assert [
        line for line in ("modprobe import-helper", "1ae0:0084", "mount --bind", "iptables") if line not in script
    ] == []
    assert prepare == {
        "name": "pre-installation",
        # The plugin's own: a network without a way out reaches no other registry than Google's.
        "image": f"{IMAGES}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.16",
        "securityContext": {"privileged": True},
    }
    assert found == {
        "DaemonSet fabric-installer": daemon_set(
            "nccl-tcpxo-installer",
            "nvidia-h100-mega-80gb",
            containers={
                "initContainers": [
                    installer(
                        "nccl-tcpxo-installer",
                        f"{IMAGES}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.16",
                        copied("tcpxo", "v1.0.16"),
                        {"var-lib": "/var/lib", "library": "/usr/local"},
                    )
                ],
                "containers": [{"name": "pause", "image": PAUSE}],
            },
            host_paths={"var-lib": "/var/lib", "library": "/home/kubernetes/bin"},
        ),
        "DaemonSet fabric-injector": injector("nvidia-h100-mega-80gb"),
    }


def test_roce_has_an_installer_alone(plugin: Callable[[Any], dict[str, Any]]) -> None:
    library, gib = "/home/kubernetes/bin/nvidia/lib64", "/home/kubernetes/bin/gib"
    assert plugin(ULTRA) == {
        "DaemonSet fabric-installer": daemon_set(
            "nccl-rdma-installer",
            "nvidia-h200-141gb",
            containers={
                "initContainers": [
                    installer(
                        "nccl-rdma-installer",
                        f"{IMAGES}/gpudirect-gib/nccl-plugin-gib:v1.1.1",
                        f"set -ex\nrm -f /usr/local{library}/fabric-release\n/scripts/container_entry.sh install\n"
                        f"cp -r --remove-destination /var/lib/gib/lib64/. /usr/local{library}\n"
                        f"cp -r --remove-destination /var/lib/gib/. /usr/local{gib}\n"
                        f"echo v1.1.1 > /usr/local{library}/fabric-release\n",
                        {"library": f"/usr/local{library}", "gib": f"/usr/local{gib}"},
                    )
                ],
                "containers": [{"name": "pause", "image": PAUSE}],
            },
            host_paths={"library": library, "gib": gib},
        )
    }


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

"""Gives containers the devices that their pod's annotations name, so that the receive daemon needs no privileges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.apps import v1 as apps

from gpucluster.components.gcp.fabric import fabric_nodes
from gpucluster.components.kubernetes.node_daemon import node_daemon, privileged_container

_NAME: Final = "device-injector"
# Source: container-engine-accelerators, nri_device_injector/nri-device-injector.yaml.
_IMAGE: Final = (
    "gcr.io/gke-release/nri-device-injector@sha256:6e79483d52abdc28454bf186320b10a56b0f117a10e8d65d5c74dbb821a76970"
)


def device_injector(
    name: str,
    accelerator: str,
    *,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> apps.DaemonSet:
    """The plug-in of the container runtime that reads `devices.gke.io/container.<name>`."""
    return node_daemon(
        name,
        object_name=_NAME,
        nodes=fabric_nodes(accelerator),
        container=privileged_container(_NAME, _IMAGE, mounts={"dev": "/dev", "nri": "/var/run/nri"}, cpu="150m"),
        host_paths={"dev": "/dev", "nri": "/var/run/nri"},
        after=after,
        opts=opts,
    )

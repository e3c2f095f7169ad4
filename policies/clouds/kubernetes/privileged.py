"""Privileged containers of Kubernetes objects, and the ones that a GPU node cannot do without.

Names: GoogleCloudPlatform/container-engine-accelerators (2026-06-11), `gpudirect-tcpx/nccl-tcpx-installer.yaml`,
`gpudirect-tcpxo/nccl-tcpxo-installer.yaml`, `gpudirect-rdma/nccl-rdma-installer.yaml` and
`nri_device_injector/nri-device-injector.yaml`; kubernetes-sigs/azurelustre-csi-driver v0.4.0, `deploy/`; on AKS nothing
but a pod stripes and mounts the local disks of a node (AKS documentation, best-practices-storage-nvme). The
charts of the NVIDIA and EFA device plugins and of NVIDIA's operators are rendered inside the cluster, where no policy
sees their pods.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from gpucluster.policies.clouds.kubernetes.containers import CONTAINER_LISTS, containers
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import at, flag, text

__all__ = ["NODE_DAEMONS", "identity", "privileged_containers"]

_INSTALLS: Final = "it copies the NCCL plugin of the GPU fabric to the machine and mounts its devices"
_MOUNTS: Final = "it loads the Lustre client into the machine's kernel and mounts shared storage for its pods"

NODE_DAEMONS: Final[Mapping[str, str]] = {
    "DaemonSet kube-system/nccl-tcpx-installer": _INSTALLS,
    "DaemonSet kube-system/nccl-tcpxo-installer": _INSTALLS,
    "DaemonSet kube-system/nccl-rdma-installer": _INSTALLS,
    "DaemonSet kube-system/device-injector": "it gives GPU devices to containers, so that jobs need no privileges",
    "DaemonSet kube-system/scratch": "it makes one file system of the machine's local disks and mounts it as /scratch",
    "DaemonSet kube-system/csi-azurelustre-node-jammy": _MOUNTS,
    "DaemonSet kube-system/csi-azurelustre-node-noble": _MOUNTS,
}
"""`kind namespace/name` -> why it is privileged."""

# What leads to the containers of a built-in workload.
_WAY: Final = ("spec", "template", "jobTemplate")
_WORKLOADS: Final = (
    "Pod",
    "PodTemplate",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "ReplicaSet",
    "ReplicationController",
    "Job",
    "CronJob",
)


def identity(resource: Resource) -> str | None:
    """`kind namespace/name` of an object; None while its name is not known."""
    name = text(resource.inputs, "metadata", "name")
    namespace = text(resource.inputs, "metadata", "namespace")
    if not isinstance(name, str) or namespace is UNKNOWN:
        return None
    return f"{resource.type.rpartition(':')[2]} {namespace or 'default'}/{name}"


def privileged_containers(resource: Resource) -> list[str] | Unknown:
    """Names of the privileged containers anywhere in an object, also of kinds that are not built in.

    UNKNOWN when none is visible, but part of a built-in workload is not known yet.
    """
    found = [
        name
        for name, container in containers(resource.inputs)
        if flag(container, "securityContext", "privileged") is True
    ]
    if found or resource.type.rpartition(":")[2] not in _WORKLOADS:
        return found
    return UNKNOWN if _hidden(resource.inputs) else found


def _hidden(value: Mapping[str, Any]) -> bool:
    """Whether a container's privileges, or something on the way to them, are not known yet."""
    for key in (*_WAY, *CONTAINER_LISTS):
        inner = at(value, key)
        if inner is UNKNOWN:
            return True
        if isinstance(inner, Mapping) and _hidden(cast("Mapping[str, Any]", inner)):
            return True
        if isinstance(inner, list) and any(
            flag(container, "securityContext", "privileged") is UNKNOWN for container in cast("list[object]", inner)
        ):
            return True
    return False

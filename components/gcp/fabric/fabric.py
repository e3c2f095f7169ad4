"""Requirements of each GPU fabric of Google Cloud in a cluster: its networks and its release."""

from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.core.catalog.fabrics import Fabric as Hardware
from gpucluster.core.catalog.fabrics import FabricRelease, Kind, release_of
from gpucluster.core.catalog.fabrics import fabric_of as hardware_of
from gpucluster.core.catalog.machines import Machine, machines

MARKER: Final = "fabric-release"
"""File next to the plugin on a node with its version, which the installer writes last: jobs wait for it."""

POD_SECURITY: Final = "privileged"
"""The only pod security standard that a job over these fabrics can meet: it mounts the plugin's folder of its node,
with RxDM also /sys and /proc/sys, and adds NET_ADMIN.

Sources: container-engine-accelerators, the test pods of each fabric; Kubernetes documentation, "Pod Security
Standards".
"""


@dataclass(frozen=True, kw_only=True)
class DeviceNetwork:
    """An additional interface of every node, by its name for pods."""

    name: str
    device_mode: Literal["NetDevice", "RDMA"]


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """The fabric of one machine type, in one release.

    All pods of a job need the same plugin and a matching daemon: the daemon runs next to each job, so only this image
    of it is used.
    """

    machine_type: str
    release: FabricRelease

    @property
    def kind(self) -> Kind:
        return _hardware(self.machine_type).kind

    @property
    def accelerator(self) -> str:
        """Value of the node label cloud.google.com/gke-accelerator."""
        return machines()[self.machine_type].gke_gpu

    @property
    def networks(self) -> tuple[DeviceNetwork, ...]:
        """The additional networks, in the order of the node pool's own list.

        Source: container-engine-accelerators, the annotations of nccl-test-latest.yaml of each fabric.
        """
        count = _hardware(self.machine_type).gpu_networks
        if self.kind == "RoCE":
            host = DeviceNetwork(name="gvnic-1", device_mode="NetDevice")
            return (host, *(DeviceNetwork(name=f"rdma-{index}", device_mode="RDMA") for index in range(count)))
        return tuple(DeviceNetwork(name=f"vpc{index}", device_mode="NetDevice") for index in range(1, count + 1))


def _hardware(machine_type: str) -> Hardware:
    found = hardware_of(machines()[machine_type])
    assert found is not None
    return found


def fabric_of(shape: Machine, named: str | None = None) -> Fabric | None:
    """The fabric of a machine in the default or the named release; None for a machine without a fabric."""
    if hardware_of(shape) is None:
        return None
    return Fabric(machine_type=shape.machine_type, release=release_of(shape, named))

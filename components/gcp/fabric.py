"""What each GPU fabric of Google Cloud needs in a cluster: its networks, and its NCCL plugin and receive daemon, which
move as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.catalog.gpudirect import Fabric as Hardware
from gpucluster.catalog.gpudirect import Kind
from gpucluster.catalog.gpudirect import fabric_of as hardware_of
from gpucluster.catalog.machines import machines
from gpucluster.components.names import POOL, TRAINING_POOL
from gpucluster.components.plan import PlanError
from gpucluster.components.shapes import shapes

__all__ = ["FABRICS", "POD_SECURITY", "DeviceNetwork", "Fabric", "fabric_nodes", "fabric_of"]

POD_SECURITY: Final = "privileged"
"""The one pod security standard that a job over these fabrics can meet: it mounts the plugin's folder of its node, and
with RxDM /sys and /proc/sys as well, and adds NET_ADMIN.

Sources: container-engine-accelerators, the test pods of each fabric; Kubernetes documentation, "Pod Security
Standards".
"""

_IMAGES: Final = "us-docker.pkg.dev/gce-ai-infra"
_PLUGINS: Final[Mapping[Kind, str]] = {
    "TCPX": f"{_IMAGES}/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev",
    "TCPXO": f"{_IMAGES}/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev",
    "RoCE": f"{_IMAGES}/gpudirect-gib/nccl-plugin-gib",
}
_DAEMONS: Final[Mapping[Kind, str | None]] = {
    "TCPX": f"{_IMAGES}/gpudirect-tcpx/tcpgpudmarxd-dev",
    "TCPXO": f"{_IMAGES}/gpudirect-tcpxo/tcpgpudmarxd-dev",
    "RoCE": None,
}


@dataclass(frozen=True, kw_only=True)
class DeviceNetwork:
    """An additional interface of every node, as pods name it."""

    name: str
    device_mode: Literal["NetDevice", "RDMA"]


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """The fabric of one machine type, with its plugin and daemon as one version.

    All pods of a job need the same plugin, and a daemon that fits it: the daemon runs beside each job, so its image is
    taken from here and nowhere else.
    """

    machine_type: str
    plugin: str
    daemon: str | None = None

    @property
    def kind(self) -> Kind:
        return _hardware(self.machine_type).kind

    @property
    def accelerator(self) -> str:
        """Value of the node label cloud.google.com/gke-accelerator."""
        return machines()[self.machine_type].gke_gpu

    @property
    def plugin_image(self) -> str:
        return f"{_PLUGINS[self.kind]}:{self.plugin}"

    @property
    def daemon_image(self) -> str | None:
        """RxDM, which runs beside every job of TCPX and TCPXO."""
        return None if self.daemon is None else f"{_DAEMONS[self.kind]}:{self.daemon}"

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


def _newest(machine_type: str) -> Fabric:
    plugin, daemon = _hardware(machine_type).releases[0]
    return Fabric(machine_type=machine_type, plugin=plugin, daemon=daemon)


FABRICS: Final[Mapping[str, Fabric]] = {
    shape.machine_type: _newest(shape.machine_type) for shape in shapes() if hardware_of(shape) is not None
}
"""Machine type -> its fabric in the versions we install."""


def fabric_of(machine_type: str, *, plugin: str | None = None, daemon: str | None = None) -> Fabric:
    """The fabric of a machine type, in other versions where given. Raises PlanError where there is no such thing."""
    if machine_type not in FABRICS:
        raise PlanError(
            [f"{machine_type} has no GPU fabric between nodes; machine types that have one: {', '.join(FABRICS)}"]
        )
    if plugin is None and daemon is None:
        return FABRICS[machine_type]
    hardware = _hardware(machine_type)
    if plugin is None or (plugin, daemon) not in hardware.releases:
        pairs = ", ".join(_pair(*release) for release in hardware.releases)
        raise PlanError(
            [
                f"Fabric of {machine_type}: fabric has {_pair(plugin, daemon)}; allowed for {hardware.kind}: {pairs}; "
                "write one of these"
            ]
        )
    return Fabric(machine_type=machine_type, plugin=plugin, daemon=daemon)


def fabric_nodes(accelerator: str) -> dict[str, list[str]]:
    """Labels of the nodes with the fabric: elastic and sliced nodes have the same accelerator, and no fabric."""
    return {"cloud.google.com/gke-accelerator": [accelerator], POOL: [TRAINING_POOL]}


def _pair(plugin: str | None, daemon: str | None) -> str:
    named = f"plugin {plugin}" if plugin else "no plugin"
    return f"{named} with {f'daemon {daemon}' if daemon else 'no daemon'}"

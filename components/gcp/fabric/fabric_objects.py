"""Objects of the GPU fabric inside a cluster: networks that pods request, and NCCL's plugin on every node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.components.gcp.fabric.fabric import MARKER, DeviceNetwork, Fabric
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.planning.planning import PlanError

# Source: GKE documentation, "Set up multi-network support for Pods" and "Maximize GPU network bandwidth in Standard
# mode clusters".
_NETWORK: Final = Kind("networking.gke.io/v1", "Network")
_PARAMETERS: Final = Kind("networking.gke.io/v1", "GKENetworkParamSet")

Subnet = tuple[pulumi.Input[str], pulumi.Input[str]]
"""A network and its subnet, both by name."""


class GpuNetworks(pulumi.ComponentResource):
    """One Network and one GKENetworkParamSet for each additional interface of the training nodes.

    `ready`: all of them; the node pool depends on it.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        fabric: Fabric,
        *,
        subnets: Sequence[Subnet],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """subnets: in the order of the node pool's additional networks.

        Raises PlanError if their number is not that of the fabric's interfaces.
        """
        super().__init__("gpucluster:gcp:GpuNetworks", name, {}, opts)
        networks = fabric.networks
        if len(subnets) != len(networks):
            raise PlanError(
                [
                    f"{fabric.machine_type} has {len(subnets)} additional networks; {fabric.kind} requires exactly "
                    f"{len(networks)}: {', '.join(item.name for item in networks)}"
                ]
            )
        here = pulumi.ResourceOptions(parent=self)
        self.ready = []
        for network, (vpc, subnet) in zip(networks, subnets, strict=True):
            self.ready += _objects(name, network, vpc, subnet, here)
        self.register_outputs({"networks": [item.name for item in networks]})


def _objects(
    name: str,
    network: DeviceNetwork,
    vpc: pulumi.Input[str],
    subnet: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    parameters = Declared(
        f"{name}-{network.name}-parameters",
        manifest_of(
            _PARAMETERS, {"vpc": vpc, "vpcSubnet": subnet, "deviceMode": network.device_mode}, object_name=network.name
        ),
        opts,
    )
    reference = {"group": "networking.gke.io", "kind": _PARAMETERS.name, "name": network.name}
    device = Declared(
        f"{name}-{network.name}",
        manifest_of(_NETWORK, {"type": "Device", "parametersRef": reference}, object_name=network.name),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[parameters])),
    )
    return [parameters, device]


_MANIFESTS: Final = Path(__file__).with_name("manifests")
_INSTALLERS: Final = {"RoCE": "nccl-rdma-installer", "TCPX": "nccl-tcpx-installer", "TCPXO": "nccl-tcpxo-installer"}


class FabricPlugin(pulumi.ComponentResource):
    """Installs NCCL's plugin on every training node; with TCPX and TCPXO also the device injector. Each job's runtime
    adds the receive daemon and NCCL's settings (`fabric_pod.py`).

    Outputs: plugin and daemon, matching images (no daemon with RoCE).
    """

    plugin: str
    daemon: str | None

    def __init__(
        self,
        name: str,
        fabric: Fabric,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: must exist before the training nodes."""
        super().__init__("gpucluster:gcp:FabricPlugin", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        self.plugin = fabric.release.plugin
        self.daemon = fabric.release.daemon or None
        values = {
            "accelerator": fabric.accelerator,
            "plugin": self.plugin,
            "version": fabric.release.plugin_version,
            "marker": MARKER,
        }
        [installer] = manifests(_MANIFESTS / f"{_INSTALLERS[fabric.kind]}.yaml", values)
        Declared(f"{name}-installer", installer, here)
        if self.daemon:
            [injector] = manifests(_MANIFESTS / "device-injector.yaml", values)
            Declared(f"{name}-injector", injector, here)
        self.register_outputs({"plugin": self.plugin, "daemon": self.daemon})

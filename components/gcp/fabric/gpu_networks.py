"""The objects by which pods request the GPU interfaces of their node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi

from gpucluster.components.gcp.fabric.fabric import DeviceNetwork, Fabric
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
    made = Declared(
        f"{name}-{network.name}",
        manifest_of(_NETWORK, {"type": "Device", "parametersRef": reference}, object_name=network.name),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[parameters])),
    )
    return [parameters, made]

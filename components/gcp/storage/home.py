"""The file system for small files: code, environments, notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import filestore

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.network import Network
from gpucluster.components.gcp.storage.storage import filestore_volume
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.shared.file_systems import HomePlan

_SHARE: Final = "home"


class Home(pulumi.ComponentResource):
    """Outputs: instance_name, ip. Claims bind to `volume`."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: HomePlan,
        *,
        location: Location,
        network: Network,
        apis: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:gcp:Home", name, {}, opts)
        instance = filestore.Instance(
            f"{name}-files",
            tier="ZONAL",
            location=location.zone,
            protocol="NFS_V3",
            file_shares=filestore.InstanceFileSharesArgs(name=_SHARE, capacity_gb=plan.capacity_gib),
            networks=[
                filestore.InstanceNetworkArgs(
                    network=network.network_name,
                    modes=["MODE_IPV4"],
                    connect_mode="PRIVATE_SERVICE_ACCESS",
                    reserved_ip_range=network.private_range,
                )
            ],
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*apis, *network.private_services], protect=plan.protect
            ),
        )
        ip = instance.networks.apply(_address)
        self.volume = filestore_volume(
            location=location.zone,
            instance=instance.name,
            share=_SHARE,
            ip=ip,
            capacity_gib=max(1, int(plan.expected_gib)),
            after=[instance],
        )
        self.register_outputs({"instanceName": instance.name, "ip": ip})


def _address(networks: Sequence[filestore.outputs.InstanceNetwork] | None) -> str:
    """The server's address; empty if unknown in a preview or excluded from an update of other targets."""
    return next(iter((networks[0].ip_addresses if networks else None) or [""]))

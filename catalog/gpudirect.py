"""The networks of Google Cloud's GPU fabrics: `gpudirect.csv`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.rows import rows

Kind = Literal["TCPX", "TCPXO", "RoCE"]

MTU: Final = 8896
"""Maximum of a VPC network, used by clusters without a GPU fabric. Source: VPC documentation, "Maximum transmission
unit"."""


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """GPU network of multi-node jobs on a machine type.

    name: in words. host_networks: additional networks before those of the GPUs. gpu_networks: those of the GPUs:
    VPCs, with RoCE subnets of one VPC. device_mode: of the GPU networks. mtu: of the GPU networks, bytes; with
    TCPX and TCPXO of the cluster's own network too.
    """

    kind: Kind
    name: str
    host_networks: int
    gpu_networks: int
    device_mode: Literal["NetDevice", "RDMA"]
    mtu: int

    @property
    def networks(self) -> int:
        """The additional networks of a node."""
        return self.host_networks + self.gpu_networks

    @property
    def device_modes(self) -> tuple[str, ...]:
        """The device mode of each additional network, in the order of a node's interfaces."""
        return (*("NetDevice",) * self.host_networks, *(self.device_mode,) * self.gpu_networks)


def fabric_of(machine: Machine) -> Fabric | None:
    """The fabric of a machine, None if its nodes only have the network interface of every machine."""
    found = _fabrics().get(machine.fabric)
    return None if found is None else replace(found, gpu_networks=machine.network_cards)


@functools.cache
def _fabrics() -> Mapping[str, Fabric]:
    return {
        row["fabric"]: Fabric(
            kind=cast(Kind, row["fabric"]),
            name=row["name"],
            host_networks=int(row["host_networks"]),
            gpu_networks=0,
            device_mode=cast(Any, row["device_mode"]),
            mtu=int(row["mtu"]),
        )
        for row in rows("gpudirect")
    }

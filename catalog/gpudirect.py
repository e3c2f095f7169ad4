"""The networks of Google Cloud's GPU fabrics: `gpudirect.csv`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, cast

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.rows import rows
from gpucluster.record import record

Kind = Literal["TCPX", "TCPXO", "RoCE"]

MTU: Final = 8896
"""The most that a VPC network carries; a cluster without a GPU fabric takes it. Source: VPC documentation, "Maximum
transmission unit"."""


@record(kw_only=True)
class Fabric:
    """How the GPUs of several nodes of a machine type talk.

    name: in words. host_networks: additional networks that come before the GPUs' own. gpu_networks: those of the GPUs:
    VPCs, with RoCE subnets of one VPC. device_mode: of the GPUs' own. mtu: what the GPU networks carry, bytes; with
    TCPX and TCPXO the cluster's own network too.
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
        """Of each additional network, in the order of a node's interfaces."""
        return (*("NetDevice",) * self.host_networks, *(self.device_mode,) * self.gpu_networks)


def fabric_of(machine: Machine) -> Fabric | None:
    """The fabric of a machine, None where its nodes talk over the one network interface that every machine has."""
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

"""Google Cloud's GPU fabrics: `gpudirect.csv`, and the releases of their NCCL plugin and receive daemon, which move as
one: `gpudirect_releases.csv`, the newest first.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, cast

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.rows import rows

__all__ = ["MTU", "Fabric", "Kind", "Release", "fabric_of"]

Kind = Literal["TCPX", "TCPXO", "RoCE"]

MTU: Final = 8896
"""The most that a VPC network carries; a cluster without a GPU fabric takes it. Source: VPC documentation, "Maximum
transmission unit"."""


class Release(NamedTuple):
    """Plugin and daemon that were released together. RoCE has no daemon."""

    plugin: str
    daemon: str | None


@dataclass(frozen=True, kw_only=True)
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
    releases: tuple[Release, ...]

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
    releases: dict[str, list[Release]] = {}
    for row in rows("gpudirect_releases"):
        releases.setdefault(row["fabric"], []).append(Release(row["plugin"], row["daemon"] or None))
    return {
        row["fabric"]: Fabric(
            kind=cast(Kind, row["fabric"]),
            name=row["name"],
            host_networks=int(row["host_networks"]),
            gpu_networks=0,
            device_mode=cast(Any, row["device_mode"]),
            mtu=int(row["mtu"]),
            releases=tuple(releases[row["fabric"]]),
        )
        for row in rows("gpudirect")
    }

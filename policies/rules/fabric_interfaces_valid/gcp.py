"""GKE accepts a node pool with its additional networks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from gpucluster.catalog.gpudirect import Fabric
from gpucluster.policies.clouds.gcp.names import last
from gpucluster.policies.clouds.gcp.network_objects import LONGEST_NAME, NETWORK_OBJECT
from gpucluster.policies.clouds.gcp.written import Written, written_pools
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, flag, items, text

FIX: Final = (
    "Use the networks of the machine type, each once, or, on A3 Ultra and A4, accelerator_network_profile alone; no "
    "networks on nodes with sliced GPUs; gpudirect_strategy RDMA only on A3 Ultra and A4, without fast_socket."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, kubernetes:networking.gke.io/v1:Network"


def check(resource: Resource) -> Iterator[Finding]:
    if resource.type == NETWORK_OBJECT:
        yield from _name(resource)
    for pool in written_pools(resource):
        listed = items(pool.inputs, "networkConfig", "additionalNodeNetworkConfigs")
        if listed is UNKNOWN:
            if pool.known is not None:
                yield CannotTell(resource, "its additional networks are not known yet")
            continue
        if problems := [*_listed(pool, listed), *_fabric(pool, pool.fabric, listed)]:
            yield Violation(resource, "; ".join(problems))


def _name(network: Resource) -> Iterator[Finding]:
    name = text(network.inputs, "metadata", "name")
    if isinstance(name, str) and len(name) > LONGEST_NAME:
        what = f"name `{name}` has {len(name)} characters; GKE allows {LONGEST_NAME} for a Network"
        yield Violation(network, what, fix="Give it a shorter metadata.name.")


def _listed(pool: Written, listed: list[Any]) -> Iterator[str]:
    """Requirements for every machine type."""
    if pool.sliced and listed:
        yield f"{len(listed)} additional networks on nodes with sliced GPUs, which have no GPU networks"
    subnets = Counter(last(name) for entry in listed if isinstance(name := text(entry, "subnetwork"), str))
    for name, number in subnets.items():
        if number > 1:
            yield f"subnet `{name}` {number} times among its additional networks; each interface needs its own subnet"


def _fabric(pool: Written, fabric: Fabric | None, listed: list[Any]) -> Iterator[str]:
    if fabric is None:
        return
    if fabric.kind != "RoCE":
        networks = Counter(last(name) for entry in listed if isinstance(name := text(entry, "network"), str))
        for name, number in networks.items():
            if number > 1:
                yield (
                    f"network `{name}` {number} times among its additional networks; each interface needs its own "
                    "network"
                )
    profile = text(pool.inputs, "networkConfig", "acceleratorNetworkProfile")
    if isinstance(profile, str) and fabric.kind != "RoCE":
        yield f"acceleratorNetworkProfile `{profile}` on {pool.machine}; only A3 Ultra and A4 support it"
    elif isinstance(profile, str) and listed:
        yield (
            f"acceleratorNetworkProfile `{profile}`, with which GKE creates the networks, together with "
            f"{len(listed)} others"
        )
    strategy = at(pool.inputs, "nodeConfig", "gpudirectStrategy")
    if isinstance(strategy, str) and (strategy != "RDMA" or fabric.kind != "RoCE"):
        takes = "RDMA or none" if fabric.kind == "RoCE" else "none"
        yield f"gpudirectStrategy `{strategy}`; allowed on {pool.machine}: {takes}"
    if flag(pool.inputs, "nodeConfig", "fastSocket", "enabled") is True and fabric.kind == "RoCE":
        yield "NCCL Fast Socket, which RDMA does not support"

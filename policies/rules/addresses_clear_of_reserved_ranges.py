"""Networks do not overlap address ranges that the cloud itself uses."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gpucluster.core.catalog.azure_regions import INFINIBAND, azure_ranges
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.azure.declared_pools import CLUSTER
from gpucluster.policies.clouds.azure.networks import Range, ranges_of_cluster, ranges_of_network, virtual_networks
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation

_INFINIBAND: Final = {kept: owner for kept, owner in azure_ranges().items() if owner == INFINIBAND}
_AKS: Final = {kept: owner for kept, owner in azure_ranges().items() if owner != INFINIBAND}


def _azure(stack: Stack) -> Iterator[Finding]:
    """Addresses of an AKS cluster overlap no range of `core.catalog.azure`."""
    pools = [pool for pool in azure.machines_of(stack.resources) if pool.declared.managed or pool.infiniband]
    for cluster in stack.resources.of_type(CLUSTER):
        own = [pool for pool in pools if pool.cluster is cluster]
        yield from _clear(cluster, ranges_of_cluster(cluster), _reserved(own))
        yield from _networks(own, stack.resources)
    yield from _networks([pool for pool in pools if pool.cluster is None], stack.resources)


def _networks(pools: list[azure.AgentPool], resources: Resources) -> Iterator[Finding]:
    """The virtual networks of the pools of one cluster."""
    made: dict[str, Resource] = {}
    for pool in pools:
        for network in virtual_networks(pool.declared, resources):
            if isinstance(network, Resource):
                made[network.urn] = network
            elif pool.infiniband:
                yield CannotTell(pool.resource, f"{network} is not part of this stack: its addresses are unknown")
    for network in made.values():
        yield from _clear(network, ranges_of_network(network), _reserved(pools))


def _reserved(pools: list[azure.AgentPool]) -> Mapping[str, str]:
    infiniband = _INFINIBAND if any(pool.infiniband for pool in pools) else {}
    return {**infiniband, **(_AKS if not pools or any(pool.declared.managed for pool in pools) else {})}


def _clear(resource: Resource, ranges: Iterable[Range], reserved: Mapping[str, str]) -> Iterator[Finding]:
    problems: list[str] = []
    for given in ranges:
        if given.written is UNKNOWN:
            yield CannotTell(resource, f"the addresses of its {given.what} are not known yet")
            continue
        taken = [f"{name}'s {kept}" for kept, name in reserved.items() if _overlap(given.written, kept)]
        if taken:
            problems.append(f"{given.what} at {given.written}, which overlaps {' and '.join(taken)}")
    if problems:
        yield Violation(resource, "; ".join(problems))


def _overlap(written: str, kept: str) -> bool:
    """An invalid IPv4 range overlaps nothing."""
    try:
        return ipaddress.IPv4Network(written, strict=False).overlaps(ipaddress.IPv4Network(kept))
    except ValueError:
        return False


RULE: Final = StackRule(
    name="addresses-clear-of-reserved-ranges",
    title="Networks, pods and services avoid the address ranges that the cloud reserves",
    why="Packets to such an address end in the cloud's own network: nodes start and are billed, and some of them do "
    "not reach each other. The ranges of a cluster can't be changed later.",
    spec="network",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=60,
    **pool_checks(
        azure=CloudCheck(
            check=_azure,
            reads=f"{azure.READS}, azure-native:network:VirtualNetwork, azure-native:network:Subnet",
            fix="Choose ranges for the virtual network, pod_cidr and service_cidr that do not overlap "
            f"{', '.join(_AKS)}, nor, with sizes that have InfiniBand, {next(iter(_INFINIBAND))}.",
        ),
        single=True,
    ),
)

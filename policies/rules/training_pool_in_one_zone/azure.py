"""Nodes of one training pool are in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.azure_regions import azure_regions
from gpucluster.policies.clouds.azure.pools import READS as MACHINES
from gpucluster.policies.clouds.azure.pools import AgentPool, training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import items

FIX: Final = (
    "Set availability_zones of the node pool to one zone that offers the size; if AKS offers it in no zone of a region "
    "that has zones, accept this by an exemption."
)
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            region = stack.resources.region(nodes.cluster or nodes.resource)
            if not (isinstance(region, str) and azure_regions().get(region.replace(" ", "").lower()) is False):
                yield from _of_nodes(nodes)


def _of_nodes(nodes: AgentPool) -> Iterator[Finding]:
    """Pools of one training pool in different zones are two scale sets, which another rule reports. A region without
    zones is one failure domain.
    """
    zones = items(nodes.written.inputs, "availabilityZones")
    if zones is UNKNOWN:
        yield CannotTell(nodes.resource, f"the zones of {nodes.label} are not known yet")
    elif not zones:
        yield nodes.finding(f"{nodes.label} without a zone: Azure chooses their zones")
    elif len(zones) > 1:
        named = ", ".join("one not known yet" if zone is UNKNOWN else str(zone) for zone in zones)
        yield nodes.finding(f"{nodes.label} in {len(zones)} zones: {named}")

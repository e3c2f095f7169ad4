"""Shared storage is in the zone of the machines that read from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resources, Unknown
from gpucluster.policies.clouds.aws import networks as aws
from gpucluster.policies.clouds.azure import networks as azure
from gpucluster.policies.clouds.file_systems import TYPES, file_systems
from gpucluster.policies.clouds.gcp import networks as gcp
from gpucluster.policies.clouds.opaque_pools import opaque_pools
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ZONE_ID: Final = r"\w+-az\d+"


def check(stack: Stack) -> Iterator[Finding]:
    zones = _pool_zones(stack.resources)
    if zones is not UNKNOWN and not zones:
        return
    for found in file_systems(stack.resources):
        if found.zone is None:
            continue
        if zones is UNKNOWN or found.zone is UNKNOWN:
            yield CannotTell(found.resource, "whether it is in the zone of the training pool is not known yet")
        elif found.zone not in zones and len({_is_id(zone) for zone in (found.zone, *zones)}) > 1:
            yield CannotTell(found.resource, f"zone {found.zone} is not comparable with {', '.join(sorted(zones))}")
        elif found.zone not in zones:
            yield Violation(
                found.resource, f"in zone {found.zone}, and the training pool in {', '.join(sorted(zones))}"
            )


def _is_id(zone: str) -> bool:
    """Whether it is an AWS zone id such as use1-az1, whose zone name differs between accounts."""
    return re.fullmatch(_ZONE_ID, zone) is not None


def _pool_zones(resources: Resources) -> set[str] | Unknown:
    """Zones of the training pools; UNKNOWN while one of them is."""
    found = aws.pool_zones(resources) | gcp.pool_zones(resources) | azure.pool_zones(resources)
    known = {zone for zone in found if isinstance(zone, str)}
    return UNKNOWN if UNKNOWN in found or any(opaque_pools(resources)) else known


RULE: Final = StackRule(
    name="storage-in-pool-zone",
    title="Shared storage is in the zone of the training pool",
    why="Traffic between zones has a higher latency and, on AWS and Google Cloud, is billed in each direction; a job "
    "that reads its data set in every epoch pays for it every time.",
    fix="Put the file system into a subnet or location of the training pool's zone; its zone cannot be changed later.",
    reads=f"{TYPES}; the machines of training pools and their subnets",
    severity=Severity.MEDIUM,
    order=50,
    check=check,
)

"""Networks with access to the API of a GKE cluster.

Source: GKE page "Customize your network isolation": without authorized networks the external endpoint is open to every
address; a private or disabled endpoint is open to none from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.open_ranges import reached_from
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import at, flag, items, text

FIX: Final = (
    "List your ranges in master_authorized_networks_config, or set enable_private_endpoint of private_cluster_config."
)
READS: Final = "gcp:container/cluster:Cluster"

_AUTHORIZED: Final = "masterAuthorizedNetworksConfig"


def check(stack: Stack) -> Iterator[Finding]:
    for cluster in stack.resources.of_type(READS):
        yield from _of(cluster)


def _of(cluster: Resource) -> Iterator[Finding]:
    private = flag(cluster.inputs, "privateClusterConfig", "enablePrivateEndpoint")
    by_address = flag(cluster.inputs, "controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled")
    if private is True or by_address is False:
        return
    authorized = at(cluster.inputs, _AUTHORIZED)
    ranges = items(authorized, "cidrBlocks")
    if UNKNOWN in (private, by_address, authorized) or ranges is UNKNOWN:
        yield CannotTell(cluster, "the ranges that reach its endpoint are not known yet")
        return
    if authorized is None:
        yield Violation(cluster, f"an external endpoint without {_AUTHORIZED} (default: every address)")
        return
    given = [text(entry, "cidrBlock") for entry in ranges]
    yield from reached_from(cluster, given, "an external endpoint")

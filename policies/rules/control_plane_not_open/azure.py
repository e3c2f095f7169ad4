"""Networks with access to the API of an AKS cluster.

Source: AKS page "Use authorized IP ranges to limit access to the API server": without them every address.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.open_ranges import reached_from
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag, items

FIX: Final = (
    "List your ranges in authorized_ip_ranges of api_server_access_profile, or set enable_private_cluster there, "
    "which cannot be changed later."
)
READS: Final = "azure-native:containerservice:ManagedCluster"


def check(stack: Stack) -> Iterator[Finding]:
    for cluster in stack.resources.of_type(READS):
        private = flag(cluster.inputs, "apiServerAccessProfile", "enablePrivateCluster")
        ranges = items(cluster.inputs, "apiServerAccessProfile", "authorizedIPRanges")
        if private is True:
            continue
        if private is UNKNOWN or ranges is UNKNOWN:
            yield CannotTell(cluster, "the ranges that reach its endpoint are not known yet")
        elif not ranges:
            yield Violation(cluster, "a public endpoint without authorizedIPRanges (default: every address)")
        else:
            yield from reached_from(cluster, ranges, "a public endpoint")

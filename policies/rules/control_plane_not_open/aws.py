"""Networks with access to the API of an EKS cluster.

Source: pulumi-aws 7.51.1, ClusterVpcConfigArgs: the public endpoint is on, for 0.0.0.0/0, by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.open_ranges import reached_from
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag, items

FIX: Final = "Set endpointPublicAccess to false, or publicAccessCidrs to the ranges of your office or VPN."
READS: Final = "aws:eks/cluster:Cluster"


def check(stack: Stack) -> Iterator[Finding]:
    for cluster in stack.resources.of_type(READS):
        public = flag(cluster.inputs, "vpcConfig", "endpointPublicAccess")
        ranges = items(cluster.inputs, "vpcConfig", "publicAccessCidrs")
        if public is False:
            continue
        if public is UNKNOWN or ranges is UNKNOWN:
            yield CannotTell(cluster, "the ranges that reach its public endpoint are not known yet")
        elif not ranges:
            yield Violation(cluster, "a public endpoint without publicAccessCidrs (default: 0.0.0.0/0)")
        else:
            yield from reached_from(cluster, ranges, "a public endpoint")

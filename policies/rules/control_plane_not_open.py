"""The control plane is open to listed networks only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import at, flag, items, text
from gpucluster.policies.clouds.open_ranges import reached_from
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_EKS: Final = "aws:eks/cluster:Cluster"
_GKE: Final = "gcp:container/cluster:Cluster"
_AKS: Final = "azure-native:containerservice:ManagedCluster"


def _aws(stack: Stack) -> Iterator[Finding]:
    """Networks with access to the API of an EKS cluster.

    Source: pulumi-aws 7.51.1, ClusterVpcConfigArgs: the public endpoint is on, for 0.0.0.0/0, by default.
    """
    for cluster in stack.resources.of_type(_EKS):
        public = flag(cluster.inputs, "vpcConfig", "endpointPublicAccess")
        ranges = items(cluster.inputs, "vpcConfig", "publicAccessCidrs")
        if public is not False:
            yield from _public(cluster, public, ranges, "publicAccessCidrs (default: 0.0.0.0/0)")


def _public(cluster: Resource, public: object, ranges: Sequence[Any] | Unknown, unset: str) -> Iterator[Finding]:
    """Of an endpoint that may be public. unset: what its ranges are without any."""
    if public is UNKNOWN or ranges is UNKNOWN:
        yield CannotTell(cluster, _NOT_KNOWN)
    elif not ranges:
        yield Violation(cluster, f"a public endpoint without {unset}")
    else:
        yield from reached_from(cluster, ranges, "a public endpoint")


_NOT_KNOWN: Final = "the ranges that reach its endpoint are not known yet"
_AUTHORIZED: Final = "masterAuthorizedNetworksConfig"


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Networks with access to the API of a GKE cluster.

    Source: GKE page "Customize your network isolation": without authorized networks the external endpoint is open to
    every address; a private or disabled endpoint is open to none from outside.
    """
    for cluster in stack.resources.of_type(_GKE):
        yield from _of(cluster)


def _of(cluster: Resource) -> Iterator[Finding]:
    private = flag(cluster.inputs, "privateClusterConfig", "enablePrivateEndpoint")
    by_address = flag(cluster.inputs, "controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled")
    if private is True or by_address is False:
        return
    authorized = at(cluster.inputs, _AUTHORIZED)
    ranges = items(authorized, "cidrBlocks")
    if UNKNOWN in (private, by_address, authorized) or ranges is UNKNOWN:
        yield CannotTell(cluster, _NOT_KNOWN)
        return
    if authorized is None:
        yield Violation(cluster, f"an external endpoint without {_AUTHORIZED} (default: every address)")
        return
    given = [text(entry, "cidrBlock") for entry in ranges]
    yield from reached_from(cluster, given, "an external endpoint")


def _azure(stack: Stack) -> Iterator[Finding]:
    """Networks with access to the API of an AKS cluster.

    Source: AKS page "Use authorized IP ranges to limit access to the API server": without them every address.
    """
    for cluster in stack.resources.of_type(_AKS):
        private = flag(cluster.inputs, "apiServerAccessProfile", "enablePrivateCluster")
        ranges = items(cluster.inputs, "apiServerAccessProfile", "authorizedIPRanges")
        if private is not True:
            yield from _public(cluster, private, ranges, "authorizedIPRanges (default: every address)")


RULE: Final = StackRule(
    name="control-plane-not-open",
    title="The API of a Kubernetes cluster is not open to the whole internet",
    why="One leaked token, or one flaw of the API server, gives every GPU you pay for to anyone, from anywhere. "
    "Ranges count together: one in 32 of all addresses (eight networks of /8) is as good as open.",
    spec="access.cidrs",
    severity=Severity.HIGH,
    order=110,
    **per_cloud(
        aws=CloudCheck(
            check=_aws,
            reads=_EKS,
            fix="Set endpointPublicAccess to false, or publicAccessCidrs to the ranges of your office or VPN.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=_GKE,
            fix="List your ranges in master_authorized_networks_config, or set enable_private_endpoint of "
            "private_cluster_config.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=_AKS,
            fix="List your ranges in authorized_ip_ranges of api_server_access_profile, or set enable_private_cluster "
            "there, which cannot be changed later.",
        ),
    ),
)

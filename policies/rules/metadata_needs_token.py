"""A machine does not give its credentials to every requester."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import at, flag, text
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_MACHINES: Final = (aws.LAUNCH_TEMPLATE, aws.LAUNCH_CONFIGURATION, aws.INSTANCE)
_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


def _aws(stack: Stack) -> Iterator[Finding]:
    """Version 2 of EC2's metadata service, which requires a session token.

    Sources: pulumi-aws 7.51.1, LaunchTemplateMetadataOptionsArgs (default of httpTokens: `optional`); Karpenter,
    EC2NodeClass spec.metadataOptions (default of httpTokens: `required`).
    """
    for resource in stack.resources.of_type(*_MACHINES, _CLASS):
        options = at(resource.inputs, *(("spec",) if resource.type == _CLASS else ()), "metadataOptions")
        tokens = text(options, "httpTokens")
        if text(options, "httpEndpoint") == "disabled" or tokens == "required":
            continue
        if tokens is UNKNOWN:
            yield CannotTell(resource, "whether its metadata service requires a token is not known yet")
        elif tokens is not None:
            yield Violation(resource, f"httpTokens `{tokens}`: its metadata service answers without a token")
        elif resource.type in _MACHINES and at(resource.inputs, "launchTemplate") is None:  # else inherited from it
            yield Violation(resource, "httpTokens is not set: the image decides whether a token is required")


_MODE: Final = ("nodeConfig", "workloadMetadataConfig", "mode")


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Data that pods can read from a GKE node's metadata server.

    Source: GKE page "Protecting cluster metadata": mode GCE_METADATA shows every pod the node's own service account,
    and legacy endpoints answer without the header Metadata-Flavor; GKE disables them unless the metadata enables them.
    """
    for pool in gcp.gke_pools(stack.resources):
        mode = text(pool.inputs, *_MODE)
        legacy = flag(pool.inputs, "nodeConfig", "metadata", "disable-legacy-endpoints")
        problems = [
            *(["mode GCE_METADATA: every pod gets the credentials of the node"] if mode == "GCE_METADATA" else ()),
            *(["legacy endpoints answer without a header"] if legacy is False else ()),
        ]
        if problems:
            yield Violation(pool.resource, "; ".join(problems))
        elif mode is UNKNOWN or legacy is UNKNOWN:
            yield CannotTell(pool.resource, "its metadata settings are not known yet")


RULE: Final = StackRule(
    name="metadata-needs-token",
    title="The metadata service requires a token or header",
    why="A notebook or job that can be tricked into fetching an address gets the node's credentials there, and with "
    "them images, buckets and more machines.",
    severity=Severity.HIGH,
    order=140,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, {_CLASS}",
            fix="Set httpTokens to `required` in metadataOptions, with httpPutResponseHopLimit 1.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster",
            fix="Set workload_metadata_config mode GKE_METADATA (with workload_identity_config on the cluster), and "
            "metadata disable-legacy-endpoints true.",
        ),
        types=False,
        template=True,
    ),
)

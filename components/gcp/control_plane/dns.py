"""The scaled-down kube-dns of a cluster that uses Cloud DNS.

GKE keeps kube-dns running next to Cloud DNS, and nodes older than the switch still query it. Its autoscaler creates a
replica for each 256 vCPUs of all nodes: one for every 1.2 nodes of 208 vCPUs, which send almost no queries. At their
priority, system-cluster-critical, they would evict the controllers of jobs from the system nodes.
Sources: GKE documentation, "Use Cloud DNS for GKE" (restrictions) and "About kube-dns for GKE";
kubernetes-sigs/cluster-proportional-autoscaler, README.md (linear mode accepts either of the two).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import pulumi

from gpucluster.components.kubernetes.objects.kinds import CONFIG_MAP
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of
from gpucluster.components.planning.names import SYSTEM_NAMESPACE

_BY_NODES: Final = {"nodesPerReplica": 16, "preventSinglePointFailure": True, "includeUnschedulableNodes": True}
"""GKE's own setting without `coresPerReplica`."""


def kube_dns_by_nodes(name: str, *, after: Sequence[pulumi.Resource], opts: pulumi.ResourceOptions) -> None:
    """Lets the autoscaler of kube-dns count only nodes. GKE creates its settings only if there are none yet."""
    Declared(
        name,
        manifest_of(
            CONFIG_MAP,
            {"data": {"linear": json.dumps(_BY_NODES, separators=(",", ":"))}},
            object_name="kube-dns-autoscaler",
            namespace=SYSTEM_NAMESPACE,
            annotations={"pulumi.com/patchForce": "true"},
        ),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after))),
        patch=True,
    )

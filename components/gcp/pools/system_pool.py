"""CPU nodes for system software, and the scaled-down kube-dns on them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp.control_plane import ControlPlane
from gpucluster.components.gcp.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.machines import SystemPlan
from gpucluster.components.gcp.pools.node_pool import node_config, pool_autoscaling
from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, Declared, manifest_of
from gpucluster.components.planning.names import SYSTEM_NAMESPACE, SYSTEM_POOL


class SystemPool(pulumi.ComponentResource):
    """Outputs: node_pool_name. In-cluster software depends on `ready`."""

    node_pool_name: pulumi.Output[str]
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: SystemPlan,
        *,
        location: Location,
        control_plane: ControlPlane,
        nodes: NodeIdentity,
        version: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:gcp:SystemPool", name, {}, opts)
        pool = container.NodePool(
            f"{name}-nodes",
            name=SYSTEM_POOL,
            cluster=control_plane.cluster_name,
            location=location.region,
            # Not only in the GPU nodes' zone: a zone full of GPUs is often out of other machines.
            node_locations=list(location.system_zones),
            version=version,
            # Per zone, at the pool's creation; afterwards GKE decides.
            node_count=plan.nodes // len(location.system_zones),
            autoscaling=pool_autoscaling(plan.most, least=plan.nodes, anywhere=False),
            management=container.NodePoolManagementArgs(auto_repair=True, auto_upgrade=True),
            upgrade_settings=container.NodePoolUpgradeSettingsArgs(max_surge=1, max_unavailable=0),
            network_config=container.NodePoolNetworkConfigArgs(enable_private_nodes=True),
            node_config=node_config(
                plan.machine_type,
                pool=SYSTEM_POOL,
                disk_type="pd-balanced",
                root_gib=plan.root_gib,
                account=nodes.email,
            ),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=control_plane.before_nodes,
                delete_before_replace=True,
                ignore_changes=["nodeCount"],
            ),
        )
        self.node_pool_name = pool.name
        self.ready = [pool]
        self.register_outputs({"nodePoolName": pool.name})


_BY_NODES: Final = {"nodesPerReplica": 16, "preventSinglePointFailure": True, "includeUnschedulableNodes": True}
"""GKE's own setting without `coresPerReplica`."""


def kube_dns_by_nodes(name: str, *, after: Sequence[pulumi.Resource], opts: pulumi.ResourceOptions) -> None:
    """Lets the autoscaler of kube-dns count only nodes. GKE creates its settings only if there are none yet.

    GKE keeps kube-dns running next to Cloud DNS, and nodes older than the switch still query it. Its autoscaler creates
    a replica for each 256 vCPUs of all nodes: one for every 1.2 nodes of 208 vCPUs, which send almost no queries. At
    their priority, system-cluster-critical, they would evict the controllers of jobs from the system nodes.
    Sources: GKE documentation, "Use Cloud DNS for GKE" (restrictions) and "About kube-dns for GKE";
    kubernetes-sigs/cluster-proportional-autoscaler, README.md (linear mode accepts either of the two).
    """
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

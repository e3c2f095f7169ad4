"""Elastic pools with GKE's autoscaler: for each, a ComputeClass and the node pool that it tries first."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.gcp.control_plane.control_plane import ControlPlane
from gpucluster.components.gcp.control_plane.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.elastic import ElasticPlan
from gpucluster.components.gcp.pools.elastic_class import ElasticMachine, elastic_class
from gpucluster.components.gcp.pools.elastic_nodes import elastic_nodes


class NativePools(pulumi.ComponentResource):
    """A queue adds the class of its pool to a job."""

    def __init__(
        self,
        name: str,
        plan: ElasticPlan,
        *,
        location: Location,
        control_plane: ControlPlane,
        nodes: NodeIdentity,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:gcp:ElasticPools", name, {}, opts)
        machine = ElasticMachine(
            zone=location.zone,
            machine_type=plan.shape.machine_type,
            accelerator=plan.shape.gke_gpu,
            gpus=plan.shape.gpus,
            node_account=nodes.email,
            boot_gb=plan.root_gib,
        )
        for pool in plan.pools:
            existing = elastic_nodes(
                f"{name}-{pool.name}-nodes",
                plan,
                pool,
                location=location,
                control_plane=control_plane,
                nodes=nodes,
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
            )
            elastic_class(
                f"{name}-{pool.name}-pool",
                pool,
                machine,
                fallbacks=plan.fallbacks(pool),
                opts=pulumi.ResourceOptions(parent=self, depends_on=[existing]),
            )
        self.register_outputs({"maxGpus": {pool.name: pool.max_gpus for pool in plan.pools}})

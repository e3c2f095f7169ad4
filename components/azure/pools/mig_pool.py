"""The MIG pool: nodes with sliced GPUs for development and inference; no fabric, no multi-node training."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.azure.planning.pools import MigPlan
from gpucluster.components.azure.pools.gpu_software import mig_node_labels
from gpucluster.components.azure.pools.node_pool import GpuNodes
from gpucluster.components.planning.names import MIG_POOL
from gpucluster.components.resources.node_replacement import RollGuard


class MigPool(pulumi.ComponentResource):
    """Outputs: node_pool_name.

    If AKS owns the drivers, it slices them, uniformly and permanently; else the MIG manager slices them as the nodes'
    label says.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: MigPlan,
        *,
        nodes: GpuNodes,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        kind = "gpucluster:azure:MigPool"
        inputs = {"machineType": plan.shape.machine_type, "profile": plan.profile, "spot": plan.spot}
        guard = RollGuard(kind, name, inputs, plan, field="mig.roll")
        super().__init__(kind, name, inputs, guard.over(opts))
        pool = nodes.declare(
            f"{name}-nodes",
            pool=MIG_POOL,
            shape=plan.shape,
            root_gib=plan.root_gib,
            count=plan.nodes,
            spot=plan.spot,
            # When scaled from zero, the scheduler would bind pods before the GPUs are sliced.
            enable_auto_scaling=False,
            gpu_instance_profile=plan.profile,
            sliced=mig_node_labels(plan.layout) if plan.profile is None else {},
            opts=guard.over(pulumi.ResourceOptions(parent=self, depends_on=list(after))),
        )
        self.ready = [pool]
        self.register_outputs({"nodePoolName": pool.name})

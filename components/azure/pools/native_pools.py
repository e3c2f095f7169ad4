"""Elastic pools with the cluster autoscaler: a scale set for each pool and purchase option, scaled from 0."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_azure_native import containerservice

from gpucluster.components.azure.planning.elastic import ElasticPlan, agent_pools
from gpucluster.components.azure.pools.node_pool import GpuNodes
from gpucluster.components.planning.names import EXPECTED_GPUS
from gpucluster.components.shared.pools.elastic import PoolPlan


class NativePools(pulumi.ComponentResource):
    """Outputs: node_pool_names, by pool. A queue of Kueue requests the nodes of a whole job; spot machines have an
    additional taint.

    Never together with node auto provisioning, with which AKS refuses autoscaled pools.
    """

    def __init__(
        self,
        name: str,
        plan: ElasticPlan,
        *,
        nodes: GpuNodes,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:ElasticPools", name, {}, opts)
        made = {
            pool.name: [
                _scale_set(
                    name,
                    plan,
                    pool,
                    purchase,
                    nodes=nodes,
                    opts=pulumi.ResourceOptions(parent=self, depends_on=list(after), ignore_changes=["count"]),
                )
                for purchase in pool.purchase
            ]
            for pool in plan.pools
        }
        self.register_outputs({"nodePoolNames": {pool: [each.name for each in sets] for pool, sets in made.items()}})


def _scale_set(
    name: str, plan: ElasticPlan, pool: PoolPlan, purchase: str, *, nodes: GpuNodes, opts: pulumi.ResourceOptions
) -> containerservice.AgentPool:
    first = purchase == pool.purchase[0]
    return nodes.declare(
        f"{name}-{pool.name}-nodes{'' if first else f'-{purchase}'}",
        pool=agent_pools(pool)[purchase],
        kind=pool.name,
        shape=plan.shape,
        root_gib=plan.root_gib,
        # Required at creation; the autoscaler controls it afterwards.
        count=0,
        enable_auto_scaling=True,
        min_count=0,
        max_count=plan.nodes(pool),
        spot=purchase == "spot",
        # Average use is counted once, on the first purchase option.
        node_labels={EXPECTED_GPUS: pool.expected_gpus if first else "0"} if pool.expected_gpus else None,
        opts=opts,
    )

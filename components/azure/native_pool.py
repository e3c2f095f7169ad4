"""The elastic pool by the cluster autoscaler: a scale set for each way to buy, from nothing to the limit."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from components.azure.elastic import ElasticPlan
from components.azure.node_pool import GpuNodes
from components.kubernetes.names import ELASTIC_POOL, EXPECTED_GPUS

__all__ = ["NativePool"]


class NativePool(pulumi.ComponentResource):
    """Outputs: node_pool_names. A queue of Kueue asks for the nodes of a whole job; spot machines have a taint of their
    own besides.

    Never beside node auto provisioning: AKS takes no autoscaled pool there.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: ElasticPlan,
        *,
        nodes: GpuNodes,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:ElasticPool", name, {}, opts)
        made = [
            nodes.declare(
                f"{name}-nodes" if index == 0 else f"{name}-{purchase}-nodes",
                pool=ELASTIC_POOL if index == 0 else f"{ELASTIC_POOL}{purchase.replace('-', '')[:5]}",
                kind=ELASTIC_POOL,
                shape=plan.shape,
                root_gib=plan.root_gib,
                # It has to be sent and is the autoscaler's from then on.
                count=0,
                enable_auto_scaling=True,
                min_count=0,
                max_count=plan.most_nodes,
                spot=purchase == "spot",
                # What runs on average is counted once, on the kind that comes first.
                node_labels={EXPECTED_GPUS: plan.expected_gpus if index == 0 else "0"} if plan.expected_gpus else None,
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(after), ignore_changes=["count"]),
            )
            for index, purchase in enumerate(plan.purchase)
        ]
        self.ready = list(made)
        self.register_outputs({"nodePoolNames": [pool.name for pool in made]})

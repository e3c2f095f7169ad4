"""Elastic pools: with the cluster autoscaler a scale set for each purchase option, or node auto provisioning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import pulumi
from pulumi_azure_native import containerservice

from gpucluster.components.azure.planning.pools import ElasticPlan, agent_pools, karpenter_problems
from gpucluster.components.azure.pools.node_pool import GpuNodes
from gpucluster.components.azure.pools.node_storage import STARTUP_TAINT
from gpucluster.components.kubernetes.karpenter import node_pool
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.planning.names import ELASTIC, EXPECTED_GPUS
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.elastic import PoolPlan


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
        scale_sets = {
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
        self.register_outputs(
            {"nodePoolNames": {pool: [each.name for each in sets] for pool, sets in scale_sets.items()}}
        )


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


# Source: Azure/karpenter-provider-azure v1.14.2, pkg/apis/v1beta1/aksnodeclass.go. AKS documentation prints the modes
# of `gpu` in lower case; the CRD accepts them as here.
_NODE_CLASS: Final = Kind("karpenter.azure.com/v1beta1", "AKSNodeClass")
# A pool is deleted after its last machine, which may take longer than Pulumi's default wait of ten minutes.
_DRAIN = pulumi.CustomTimeouts(delete="30m")


@dataclass(frozen=True, kw_only=True)
class KarpenterPoolsArgs:
    """zone: as in node labels; None for any, or for none in a region without zones, where no node has such a label.
    subnet_id: of the nodes. driver_owner: installs the GPU driver.

    image_family: that of the other pools, because the GPU Operator builds its driver for one system per cluster.
    lustre: whether jobs mount the shared file system. os_disk_gb: GB.
    """

    zone: str | None
    subnet_id: pulumi.Input[str]
    machine_types: Sequence[str]
    pools: Sequence[PoolPlan]
    driver_owner: Literal["operators", "aks"]
    image_family: Literal["Ubuntu", "Ubuntu2204", "Ubuntu2404"]
    lustre: bool
    os_disk_gb: int = 200


class KarpenterPools(pulumi.ComponentResource):
    """One node class, and a node pool for each of the plan's, in a cluster with node auto provisioning, which includes
    Karpenter.

    Its machines are in no scale set: an InfiniBand size has no InfiniBand here, so it is refused.
    """

    def __init__(
        self,
        name: str,
        args: KarpenterPoolsArgs,
        *,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the cluster, and the GPU software that its machines need. Raises PlanError for pools that Karpenter
        can't run here.
        """
        super().__init__("gpucluster:azure:ElasticPools", name, {}, opts)
        problems = [
            problem
            for pool in args.pools
            for problem in karpenter_problems(args.machine_types, pool=pool.name, purchase=pool.purchase)
        ]
        if problems:
            raise PlanError(problems)
        spec = {
            "vnetSubnetID": args.subnet_id,
            "imageFamily": args.image_family,
            "osDiskSizeGB": args.os_disk_gb,
            "gpu": {"mode": "None" if args.driver_owner == "operators" else "Driver"},
            "tags": {"name": f"{name}-node"},
        }
        nodes = Declared(
            f"{name}-class",
            manifest_of(_NODE_CLASS, spec, object_name=ELASTIC),
            pulumi.ResourceOptions(parent=self, depends_on=list(after), custom_timeouts=_DRAIN),
        )
        for pool in args.pools:
            node_pool(
                f"{name}-{pool.name}-pool",
                pool,
                node_class=("karpenter.azure.com", _NODE_CLASS.name, ELASTIC),
                machine_types=args.machine_types,
                zone=args.zone,
                # No job starts on a machine that can't mount the file system yet.
                startup_taints=[STARTUP_TAINT] if args.lustre else [],
                opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes], custom_timeouts=_DRAIN),
            )
        self.register_outputs({"maxGpus": {pool.name: pool.max_gpus for pool in args.pools}})

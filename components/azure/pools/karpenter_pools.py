"""Elastic pools with node auto provisioning: single-node GPU machines, started for a job and removed after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import pulumi

from gpucluster.components.azure.planning.elastic import karpenter_problems
from gpucluster.components.azure.storage.lustre_driver import STARTUP_TAINT
from gpucluster.components.kubernetes.nodes.karpenter import node_pool
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.planning.names import ELASTIC
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.pools.elastic import PoolPlan

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

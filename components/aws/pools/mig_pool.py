"""The MIG pool: nodes with sliced GPUs for development and inference; no fabric, no multi-node training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi
from pulumi_aws import eks, iam

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import node_role
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.planning.pools import MigPlan
from gpucluster.components.aws.pools.node_pool import (
    held_without_nodes,
    label_machines,
    node_launch_template,
    node_repair,
    node_versions,
)
from gpucluster.components.aws.pools.user_data import gpu_user_data
from gpucluster.components.kubernetes.node_health.plan import most_drained
from gpucluster.components.planning.names import GPU, GPU_PRESENT, MIG_POOL, MIG_SHOWN, POOL
from gpucluster.components.resources.node_replacement import RollGuard


class MigPool(pulumi.ComponentResource):
    """Outputs: node_group_name.

    A fixed number of nodes: Karpenter counts GPUs but not slices. Each slices its GPUs before its kubelet starts, so no
    pod ever uses a whole one.
    """

    node_role: iam.Role

    def __init__(
        self,
        name: str,
        plan: MigPlan,
        *,
        zone: str,
        network: Network,
        control_plane: ControlPlane,
        after: Sequence[pulumi.Resource],
        repair: bool = True,
        version: str | None = None,
        labels: Mapping[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        kind, inputs = (
            "gpucluster:aws:MigPool",
            {"zone": zone, "spot": plan.spot, "slices": list(plan.slices_of_a_gpu)},
        )
        guard = RollGuard(kind, name, inputs, plan, field="mig.roll")
        super().__init__(kind, name, inputs, guard.over(opts))
        here = pulumi.ResourceOptions(parent=self)
        role, attachments = node_role(f"{name}-role", control_plane.region, here)
        self.node_role = role
        template = node_launch_template(
            f"{name}-template",
            node_name=name,
            machine_type=plan.shape.machine_type,
            root_gib=plan.root_gib,
            user_data=gpu_user_data(plan.slices_of_a_gpu),
            roll=plan.roll,
            opts=guard.over(here),
        )
        nodes = eks.NodeGroup(
            f"{name}-nodes",
            cluster_name=control_plane.cluster_name,
            node_role_arn=role.arn,
            # The zone of the shared storage.
            subnet_ids=[network.gpu_subnet_id],
            ami_type="AL2023_x86_64_NVIDIA",
            capacity_type="SPOT" if plan.spot else "ON_DEMAND",
            **node_versions(version),
            scaling_config=eks.NodeGroupScalingConfigArgs(
                # EKS requires a maximum of at least one. Source: EKS API, NodegroupScalingConfig.
                desired_size=plan.nodes,
                min_size=plan.nodes,
                max_size=max(plan.nodes, 1),
            ),
            update_config=eks.NodeGroupUpdateConfigArgs(max_unavailable=1, update_strategy="MINIMAL"),
            node_repair_config=node_repair(enabled=repair, most=most_drained(plan.nodes)),
            launch_template=eks.NodeGroupLaunchTemplateArgs(id=template.id, version=template.latest_version.apply(str)),
            labels={
                POOL: MIG_POOL,
                GPU_PRESENT: "true",
                MIG_SHOWN: plan.pool.layout.name(plan.pool.gpu),
            },
            taints=[eks.NodeGroupTaintArgs(key=GPU, value="true", effect="NO_SCHEDULE")],
            opts=guard.over(
                held_without_nodes(
                    plan.nodes,
                    pulumi.ResourceOptions(
                        parent=self,
                        depends_on=[*attachments, *control_plane.before_nodes, *after],
                        # The old group holds quota and capacity until it is deleted.
                        delete_before_replace=True,
                    ),
                )
            ),
        )
        label_machines(f"{name}-label", nodes, labels, here)
        self.register_outputs({"nodeGroupName": nodes.node_group_name})

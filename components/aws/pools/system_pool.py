"""CPU nodes for system software, and the add-ons that depend on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_aws import eks, iam

from gpucluster.components.aws.control_plane import ControlPlane, addon
from gpucluster.components.aws.identity import node_role
from gpucluster.components.aws.planning.machines import SystemPlan
from gpucluster.components.aws.pools.node_pool import label_machines, node_launch_template, node_versions
from gpucluster.components.planning.names import ALL_TAINTS, POOL, SYSTEM_POOL

# EKS adds replicas with nodes and cores. Their priority is the system's and can't be set in the add-on.
# Sources: Amazon EKS user guide, coredns-autoscaling; aws/containers-roadmap issue 2711.
_DNS: Final = {"autoScaling": {"enabled": True, "minReplicas": 2, "maxReplicas": 10}}

# The agent reads GPUs from this server on the same node, which tolerates no taint by default. Without it the agent
# reports every GPU node as broken (DCGMError), and no XID.
# Source: aws/eks-node-monitoring-agent v1.6.4, charts/configuration.schema.json, monitors/nvidia/dcgm.
_MONITORING: Final = {"dcgmAgent": {"tolerations": [ALL_TAINTS]}}


class SystemPool(pulumi.ComponentResource):
    """Outputs: node_group_name. In-cluster software depends on `ready`."""

    node_role: iam.Role
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: SystemPlan,
        *,
        control_plane: ControlPlane,
        version: str | None = None,
        labels: Mapping[str, str],
        subnet_ids: Sequence[pulumi.Input[str]],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:aws:SystemPool", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        role, attachments = node_role(f"{name}-role", control_plane.region, here)
        self.node_role = role
        template = node_launch_template(
            f"{name}-template",
            node_name=name,
            machine_type=plan.machine_type,
            root_gib=plan.root_gib,
            opts=here,
        )
        group = eks.NodeGroup(
            f"{name}-nodes",
            cluster_name=control_plane.cluster_name,
            node_role_arn=role.arn,
            subnet_ids=list(subnet_ids),
            ami_type="AL2023_x86_64_STANDARD",
            capacity_type="ON_DEMAND",
            **node_versions(version),
            # An update starts new nodes beyond the maximum: EKS raises it temporarily
            # (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html).
            scaling_config=eks.NodeGroupScalingConfigArgs(
                desired_size=plan.nodes, min_size=plan.nodes, max_size=plan.nodes
            ),
            update_config=eks.NodeGroupUpdateConfigArgs(max_unavailable=1),
            launch_template=eks.NodeGroupLaunchTemplateArgs(id=template.id, version=template.latest_version.apply(str)),
            labels={POOL: SYSTEM_POOL},
            # A node joins only if its network plug-in is installed first.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[*attachments, *control_plane.before_nodes]),
        )
        label_machines(f"{name}-label", group, labels, here)
        # CoreDNS stays pending, and its add-on degraded, until a node exists.
        dns = addon(
            f"{name}-coredns",
            "coredns",
            cluster_name=control_plane.cluster_name,
            builds=control_plane.builds,
            configuration=_DNS,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[group]),
        )
        # Reports broken GPUs, disks and links, on which node repair acts.
        addon(
            f"{name}-node-monitoring",
            "eks-node-monitoring-agent",
            cluster_name=control_plane.cluster_name,
            builds=control_plane.builds,
            configuration=_MONITORING,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[group]),
        )
        self.ready = [group, dns]
        self.register_outputs({"nodeGroupName": group.node_group_name})

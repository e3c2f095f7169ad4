"""The training pool: a fixed number of GPU nodes in one co-location domain with the fabric on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pulumi
from pulumi_aws import ec2, eks, iam, vpc

from gpucluster.components.aws.identity import node_role
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.planning.training import TrainingPart, TrainingPlan
from gpucluster.components.aws.pools.node_pool import (
    held_without_nodes,
    label_machines,
    node_launch_template,
    node_repair,
    node_versions,
)
from gpucluster.components.aws.pools.user_data import gpu_user_data
from gpucluster.components.planning.names import EFA_PRESENT, GPU, GPU_PRESENT, POOL, TRAINING_POOL
from gpucluster.components.resources.node_replacement import BLOCKS, RollGuard


class TrainingPool(pulumi.ComponentResource):
    """Outputs: node_group_name, of several the first; placement_group_name, None without a group. fabric_group_id:
    security group of its EFA interfaces.
    """

    node_role: iam.Role
    ready: list[pulumi.Resource]
    fabric_group_id: pulumi.Output[str]
    node_group_name: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: TrainingPlan,
        *,
        location: Location,
        cluster_name: pulumi.Input[str],
        cluster_group_id: pulumi.Input[str],
        vpc_id: pulumi.Input[str],
        subnet_id: pulumi.Input[str],
        after: Sequence[pulumi.Resource],
        repair: bool = True,
        version: str | None = None,
        labels: Mapping[str, str],
        pool: str = TRAINING_POOL,
        facts: Mapping[str, Any] | None = None,
        gpu_hour_usd: Decimal | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """cluster_group_id: the security group that EKS created for control plane and nodes. subnet_id: private, in the
        pool's only zone. after: must exist before the first node starts. repair: whether EKS repairs broken nodes.
        pool: its name in the nodes' label. facts: to register if the pool is outside a cluster of this toolkit.
        gpu_hour_usd: price of a GPU-hour, for the report of an update that ends jobs. version: of the nodes; None keeps
        it.
        """
        kind = "gpucluster:aws:TrainingPool"
        inputs: dict[str, Any] = {"zone": location.zone, "capacityBlock": plan.capacity_block}
        if facts is not None:
            inputs |= {"clusterName": cluster_name, "subnetId": subnet_id}
        field = "training.roll"
        guard = RollGuard(kind, name, inputs, plan, field=field, optional=[BLOCKS], gpu_hour_usd=gpu_hour_usd)
        blocks = {BLOCKS: dict(plan.placement.blocks)} if plan.placement.blocks else {}
        super().__init__(kind, name, {**inputs, **blocks, **(facts or {})}, guard.over(opts))
        here = pulumi.ResourceOptions(parent=self)
        fabric = _fabric_security_group(f"{name}-efa", vpc_id, here)
        group = _group(f"{name}-group", here) if plan.placement.kind == "group" else None
        role, attachments = node_role(f"{name}-role", location.region, here)
        self.node_role = role
        # The old group holds quota, capacity and its part of a reservation until it is deleted.
        last = pulumi.ResourceOptions(parent=self, depends_on=[*attachments, *after], delete_before_replace=True)
        groups: list[eks.NodeGroup] = []
        for part in plan.parts:
            base = f"{name}{part.suffix}"
            template = _template(base, plan, part, [cluster_group_id, fabric.id], group, guard.over(here), name)
            started = part.nodes if plan.started else 0
            nodes = eks.NodeGroup(
                f"{base}-nodes",
                cluster_name=cluster_name,
                node_role_arn=role.arn,
                # One subnet, so one zone: the fabric can't span two.
                subnet_ids=[subnet_id],
                ami_type="AL2023_x86_64_NVIDIA",
                capacity_type="CAPACITY_BLOCK" if plan.capacity_block else "ON_DEMAND",
                **node_versions(version),
                # EKS scales the group of a capacity block to 0 before the block ends.
                scaling_config=eks.NodeGroupScalingConfigArgs(
                    desired_size=started, min_size=0 if plan.capacity_block else started, max_size=part.nodes
                ),
                # Replace in place: there is no spare node of this kind to surge to.
                update_config=eks.NodeGroupUpdateConfigArgs(max_unavailable=1, update_strategy="MINIMAL"),
                node_repair_config=node_repair(enabled=repair, most=part.most_broken),
                launch_template=eks.NodeGroupLaunchTemplateArgs(
                    id=template.id, version=template.latest_version.apply(str)
                ),
                labels={POOL: pool, GPU_PRESENT: "true", EFA_PRESENT: "true"},
                taints=[eks.NodeGroupTaintArgs(key=GPU, value="true", effect="NO_SCHEDULE")],
                opts=guard.over(held_without_nodes(started, last)),
            )
            label_machines(f"{base}-label", nodes, labels, here)
            groups.append(nodes)
        self.ready = [*groups]
        self.fabric_group_id = fabric.id
        self.node_group_name = groups[0].node_group_name
        self.register_outputs(
            {
                **(facts or {}),
                "nodeGroupName": self.node_group_name,
                "placementGroupName": group.name if group is not None else plan.placement.group_name,
            }
        )


def _fabric_security_group(name: str, vpc_id: pulumi.Input[str], opts: pulumi.ResourceOptions) -> ec2.SecurityGroup:
    """A group open to itself both ways: EFA traffic has no IP address, so a rule for 0.0.0.0/0 does not match it."""
    group = ec2.SecurityGroup(name, vpc_id=vpc_id, description="EFA between the nodes of one training pool", opts=opts)
    for suffix, rule in (("in", vpc.SecurityGroupIngressRule), ("out", vpc.SecurityGroupEgressRule)):
        rule(
            f"{name}-{suffix}",
            security_group_id=group.id,
            referenced_security_group_id=group.id,
            ip_protocol="-1",
            description="EFA within the pool",
            opts=opts,
        )
    vpc.SecurityGroupEgressRule(
        f"{name}-internet",
        security_group_id=group.id,
        cidr_ipv4="0.0.0.0/0",
        ip_protocol="-1",
        description="Images and APIs",
        opts=opts,
    )
    return group


def _group(name: str, opts: pulumi.ResourceOptions) -> ec2.PlacementGroup:
    return ec2.PlacementGroup(name, strategy="cluster", opts=opts)


def _template(
    base: str,
    plan: TrainingPlan,
    part: TrainingPart,
    groups: Sequence[pulumi.Input[str]],
    placement: ec2.PlacementGroup | None,
    opts: pulumi.ResourceOptions,
    node_name: str,
) -> ec2.LaunchTemplate:
    """base: of its name. groups: security groups of its interfaces."""
    return node_launch_template(
        f"{base}-template",
        node_name=node_name,
        machine_type=plan.shape.machine_type,
        root_gib=plan.root_gib,
        user_data=gpu_user_data(lustre_cards=plan.lustre_cards),
        network_interfaces=[
            ec2.LaunchTemplateNetworkInterfaceArgs(
                network_card_index=interface.card,
                device_index=interface.device,
                interface_type=interface.kind,
                # If a template names groups, EKS does not add the cluster's own.
                security_groups=list(groups),
                delete_on_termination="true",
            )
            for interface in plan.interfaces
        ],
        placement=_placement(plan, placement),
        market=_market(plan),
        reservation=_reservation(part.reservation),
        roll=plan.roll,
        opts=opts,
    )


def _placement(plan: TrainingPlan, group: ec2.PlacementGroup | None) -> ec2.LaunchTemplatePlacementArgs | None:
    """The pool's own group, or the one that its reservation was created in; another reservation gets no group."""
    if group is not None:
        return ec2.LaunchTemplatePlacementArgs(group_name=group.name)
    if plan.placement.group_name is not None:
        return ec2.LaunchTemplatePlacementArgs(group_name=plan.placement.group_name)
    return None


def _market(plan: TrainingPlan) -> ec2.LaunchTemplateInstanceMarketOptionsArgs | None:
    return ec2.LaunchTemplateInstanceMarketOptionsArgs(market_type="capacity-block") if plan.capacity_block else None


def _reservation(target: str | None) -> ec2.LaunchTemplateCapacityReservationSpecificationArgs | None:
    """The launch into a reservation; one into a resource group would become on demand where the group has no room.

    Source: Amazon EC2 user guide, cr-groups-launch.
    """
    if target is None:
        return None
    by_group = target.startswith("arn:")
    return ec2.LaunchTemplateCapacityReservationSpecificationArgs(
        capacity_reservation_preference="capacity-reservations-only" if by_group else None,
        capacity_reservation_target=ec2.LaunchTemplateCapacityReservationSpecificationCapacityReservationTargetArgs(
            capacity_reservation_id=None if by_group else target,
            capacity_reservation_resource_group_arn=target if by_group else None,
        ),
    )

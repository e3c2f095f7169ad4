"""What node groups share: launch template, version, repair; and labels of machines outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_aws import autoscaling, ec2, eks

from gpucluster.components.aws.planning.machines import HARDWARE, HARMLESS_REASONS
from gpucluster.components.planning.labels import RESERVED_LABELS


def node_launch_template(
    name: str,
    *,
    node_name: str,
    machine_type: str,
    root_gib: int,
    opts: pulumi.ResourceOptions,
    roll: bool = False,
    user_data: str | None = None,
    network_interfaces: Sequence[ec2.LaunchTemplateNetworkInterfaceArgs] | None = None,
    placement: ec2.LaunchTemplatePlacementArgs | None = None,
    market: ec2.LaunchTemplateInstanceMarketOptionsArgs | None = None,
    reservation: ec2.LaunchTemplateCapacityReservationSpecificationArgs | None = None,
) -> ec2.LaunchTemplate:
    """A launch template with an encrypted root disk, session tokens for instance metadata, and labels on everything
    it creates. node_name: name of its nodes. root_gib: size of the root disk, GiB. roll: its nodes may be replaced.

    Its tags and user data stay as created, unless nodes may be replaced: they are part of a version, whose change
    replaces every node of a managed group, and the provider also shows the template's own tags as a new version. So an
    upgrade of this project that configures nodes differently stops no jobs and no updates.
    Sources: Amazon EKS user guide, "Customize managed nodes with launch templates"; hashicorp/terraform-provider-aws
    internal/service/ec2/ec2_launch_template.go, CustomizeDiff.
    """
    frozen = [] if roll else ["tags", "tagSpecifications", "userData"]
    return ec2.LaunchTemplate(
        name,
        instance_type=machine_type,
        update_default_version=True,
        block_device_mappings=[
            ec2.LaunchTemplateBlockDeviceMappingArgs(
                device_name="/dev/xvda",
                ebs=ec2.LaunchTemplateBlockDeviceMappingEbsArgs(
                    volume_size=root_gib, volume_type="gp3", encrypted="true", delete_on_termination="true"
                ),
            )
        ],
        # A hop limit of one keeps pods from the node's credentials.
        metadata_options=ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
        ),
        network_interfaces=network_interfaces,
        placement=placement,
        instance_market_options=market,
        capacity_reservation_specification=reservation,
        user_data=user_data,
        tag_specifications=[
            ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags={"Name": node_name})
            for kind in ("instance", "volume", "network-interface")
        ],
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=frozen)),
    )


def label_machines(
    name: str, nodes: eks.NodeGroup, labels: Mapping[str, str], opts: pulumi.ResourceOptions
) -> list[pulumi.Resource]:
    """Labels for the machines that a node group starts from now on: they override those of its template.

    Tags of its Auto Scaling group, which EKS creates and does not manage further; disks and network interfaces do not
    get them.
    Sources: pulumi-aws 7.51.1, `aws.autoscaling.Tag`; Amazon EC2 Auto Scaling API, CreateAutoScalingGroup, Tags.
    """
    group = nodes.resources.apply(_group_name)
    return [
        autoscaling.Tag(
            f"{name}-{key}",
            autoscaling_group_name=group,
            tag=autoscaling.TagTagArgs(key=key, value=value, propagate_at_launch=True),
            opts=opts,
        )
        for key, value in labels.items()
        if key not in RESERVED_LABELS
    ]


def _group_name(made: Sequence[Any] | None) -> str:
    """Empty in an update of other targets only, which creates no nodes and so no tags of them."""
    return str(made[0].autoscaling_groups[0].name) if made else ""


_VERSION: Final = ("launchTemplate.version", "releaseVersion", "version")


def node_versions(version: str | None) -> dict[str, Any]:
    """Arguments of a node group. version: a minor version, whose newest image EKS uses when nodes change to it; a
    release of the image, such as 1.35.2-20260714, which fixes kernel and driver; None to keep the version of its
    creation.

    Source: Amazon EKS API, UpdateNodegroupVersion.
    """
    if version is None:
        return {}
    if "-" not in version:
        return {"version": version}
    return {"version": ".".join(version.split(".")[:2]), "release_version": version}


def held_without_nodes(nodes: int, opts: pulumi.ResourceOptions) -> pulumi.ResourceOptions:
    """The options of a node group whose version waits for the update that starts nodes.

    The provider changes the version first: in the update that removes all nodes it would replace each of them before,
    hours of machines that may not be available. In the update that starts nodes there are none yet.
    Source: hashicorp/terraform-provider-aws@012e0a32:internal/service/eks/node_group.go, resourceNodeGroupUpdate.
    """
    if nodes:
        return opts
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(ignore_changes=[*_VERSION]))


# The service requires a number even if it does nothing; this is its default.
_MINUTES: Final = 10


def node_repair(*, enabled: bool, most: int) -> eks.NodeGroupNodeRepairConfigArgs:
    """Broken nodes are rebooted or replaced, except for faults that harm no other program. most: broken nodes above
    which none is.

    Repair stops where `node-health` stops draining. Without a threshold EKS stops at 20 % too, but never in a group of
    five nodes or fewer; a percentage would end repair in groups of four, where one node is more. One at a time: if the
    new node breaks as well, that shows before the next one is replaced.
    Source: Amazon EKS user guide dbc0b729, node-repair (defaults, "maxUnhealthyNodeThresholdCount",
    "nodeRepairConfigOverrides").
    """
    if not enabled:
        return eks.NodeGroupNodeRepairConfigArgs(enabled=False)
    return eks.NodeGroupNodeRepairConfigArgs(
        enabled=True,
        max_unhealthy_node_threshold_count=most,
        max_parallel_nodes_repaired_count=1,
        node_repair_config_overrides=[
            eks.NodeGroupNodeRepairConfigNodeRepairConfigOverrideArgs(
                node_monitoring_condition=HARDWARE,
                node_unhealthy_reason=reason,
                min_repair_wait_time_mins=_MINUTES,
                repair_action="NoAction",
            )
            for reason in HARMLESS_REASONS
        ],
    )

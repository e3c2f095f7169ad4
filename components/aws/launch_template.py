"""Common parts of the launch templates of all node pools, and labels of machines outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_aws import ec2, eks

from gpucluster.components.aws import autoscaling
from gpucluster.components.labels import OWN_LABELS


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
        if key not in OWN_LABELS
    ]


def _group_name(made: Sequence[Any] | None) -> str:
    """Empty in an update of other targets only, which creates no nodes and so no tags of them."""
    return str(made[0].autoscaling_groups[0].name) if made else ""

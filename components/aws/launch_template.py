"""What the launch templates of all node pools have in common."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_aws import ec2

from components.aws.identity import Tagger

__all__ = ["node_launch_template"]


def node_launch_template(
    name: str,
    *,
    node_name: str,
    machine_type: str,
    root_gib: int,
    tags: Tagger,
    opts: pulumi.ResourceOptions,
    tagged: Sequence[str] = ("instance", "volume", "network-interface"),
    user_data: str | None = None,
    network_interfaces: Sequence[ec2.LaunchTemplateNetworkInterfaceArgs] | None = None,
    placement: ec2.LaunchTemplatePlacementArgs | None = None,
    market: ec2.LaunchTemplateInstanceMarketOptionsArgs | None = None,
    reservation: ec2.LaunchTemplateCapacityReservationSpecificationArgs | None = None,
) -> ec2.LaunchTemplate:
    """A launch template with an encrypted root disk, session tokens for instance metadata, and labels on everything
    it makes. node_name: what its nodes are called. root_gib: size of the root disk, GiB.
    """
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
        # One hop keeps pods away from the node's credentials.
        metadata_options=ec2.LaunchTemplateMetadataOptionsArgs(
            http_endpoint="enabled", http_tokens="required", http_put_response_hop_limit=1
        ),
        network_interfaces=network_interfaces,
        placement=placement,
        instance_market_options=market,
        capacity_reservation_specification=reservation,
        user_data=user_data,
        tag_specifications=[
            ec2.LaunchTemplateTagSpecificationArgs(resource_type=kind, tags=tags(node_name)) for kind in tagged
        ],
        tags=tags(name),
        opts=opts,
    )

"""The machines of a Karpenter pool on EC2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.aws.interfaces import Interface
from gpucluster.components.aws.user_data import karpenter_user_data
from gpucluster.components.kubernetes.objects import Declared, Kind, manifest_of

# Source: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go.
EC2_NODE_CLASS: Final = Kind("karpenter.k8s.aws/v1", "EC2NodeClass")

# Pinned: @latest would replace nodes whenever AWS publishes an image.
# Source: awslabs/amazon-eks-ami, release v20260714.
_IMAGE: Final = "20260714"


def node_class(
    name: str,
    *,
    object_name: str,
    machine_name: str,
    identity: Mapping[str, pulumi.Input[str]],
    subnet_id: pulumi.Input[str],
    security_group_ids: Sequence[pulumi.Input[str]],
    root_gib: int,
    interfaces: Sequence[Interface] = (),
    placement_group: pulumi.Input[str] | None = None,
    image: str | None = None,
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Private machines with encrypted root disks, their NVMe disks as one RAID0, and the Lustre client.

    machine_name: what EC2 shows its machines by. identity: `role`, or `instanceProfile` where Karpenter can't make one.
    interfaces, placement_group (its name): for a pool with a fabric. Karpenter attaches EFA by itself only where a pod
    asks for it at the machine's start, so such a pool lists its interfaces; its security groups must be open to
    themselves both ways; its pool must require the group's zone and one machine type.
    image: the day of EKS' release, by default that of this package.
    """
    fabric: dict[str, Any] = {}
    if interfaces:
        fabric["networkInterfaces"] = [
            {"networkCardIndex": item.card, "deviceIndex": item.device, "interfaceType": item.kind}
            for item in interfaces
        ]
    if placement_group is not None:
        fabric["placementGroupSelector"] = {"name": placement_group}
    spec = {
        **identity,
        # Source: Karpenter documentation, "Managing AMIs".
        "amiSelectorTerms": [{"alias": f"al2023@v{image or _IMAGE}"}],
        "subnetSelectorTerms": [{"id": subnet_id}],
        "securityGroupSelectorTerms": [{"id": id_} for id_ in security_group_ids],
        **fabric,
        "instanceStorePolicy": "RAID0",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "rootVolume": True,
                "ebs": {
                    "volumeSize": f"{root_gib}Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        "userData": karpenter_user_data(),
        "tags": {"Name": machine_name},
    }
    return Declared(
        name,
        manifest_of(EC2_NODE_CLASS, spec, object_name=object_name),
        opts,
    )

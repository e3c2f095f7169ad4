"""The machines of a Karpenter pool on EC2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pulumi

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
    image: str | None = None,
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Private machines with encrypted root disks, their NVMe disks as one RAID0, and the Lustre client.

    machine_name: name of its machines in EC2. identity: `role`, or `instanceProfile` if Karpenter can't create one.
    image: the day of the EKS release, by default that of this package.
    """
    spec = {
        **identity,
        # Source: Karpenter documentation, "Managing AMIs".
        "amiSelectorTerms": [{"alias": f"al2023@v{image or _IMAGE}"}],
        "subnetSelectorTerms": [{"id": subnet_id}],
        "securityGroupSelectorTerms": [{"id": id_} for id_ in security_group_ids],
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

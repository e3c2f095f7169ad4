"""The file system for small files: code, environments, notebooks. It grows and shrinks with its content."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_aws import ec2, efs, vpc

from gpucluster.components.aws.control_plane import ControlPlane, csi_driver
from gpucluster.components.aws.location import partition
from gpucluster.components.aws.planning.plan import HomePlan
from gpucluster.components.planning.names import EXPECTED_GIB

_NFS = 2049


class Home(pulumi.ComponentResource):
    """Outputs: file_system_id. Pods that mount it depend on `ready`."""

    file_system_id: pulumi.Output[str]
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: HomePlan,
        *,
        vpc_id: pulumi.Input[str],
        subnet_ids: Sequence[pulumi.Input[str]],
        control_plane: ControlPlane,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """subnet_ids: one for each zone with nodes; a zone has one mount target, which serves all its subnets.
        after: the nodes that the driver's controller needs.
        """
        super().__init__("gpucluster:aws:Home", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        file_system = efs.FileSystem(
            f"{name}-files",
            encrypted=True,
            # Throughput grows with the stored data, at no extra cost.
            throughput_mode="bursting",
            tags={EXPECTED_GIB: plan.expected_gib},
            opts=pulumi.ResourceOptions(parent=self, protect=plan.protect),
        )
        group = ec2.SecurityGroup(f"{name}-nfs", vpc_id=vpc_id, description="NFS of the home folders", opts=here)
        rule = vpc.SecurityGroupIngressRule(
            f"{name}-nfs-in",
            security_group_id=group.id,
            referenced_security_group_id=control_plane.security_group_id,
            ip_protocol="tcp",
            from_port=_NFS,
            to_port=_NFS,
            description="NFS from the nodes",
            opts=here,
        )
        targets = [
            efs.MountTarget(
                f"{name}-target-{letter}",
                file_system_id=file_system.id,
                subnet_id=subnet,
                security_groups=[group.id],
                opts=pulumi.ResourceOptions(parent=self, depends_on=[rule]),
            )
            for letter, subnet in zip("abc", subnet_ids, strict=False)
        ]
        driver = csi_driver(
            f"{name}-csi",
            "efs",
            reads={
                f"{_arns(control_plane.region)}:file-system/*": [
                    "elasticfilesystem:DescribeAccessPoints",
                    "elasticfilesystem:DescribeFileSystems",
                    "elasticfilesystem:DescribeMountTargets",
                ],
                f"{_arns(control_plane.region)}:access-point/*": [
                    "elasticfilesystem:DescribeAccessPoints",
                    "elasticfilesystem:DescribeMountTargets",
                ],
                "*": ["ec2:DescribeAvailabilityZones"],
            },
            cluster_name=control_plane.cluster_name,
            builds=control_plane.builds,
            after=after,
            parent=self,
        )
        self.file_system_id = file_system.id
        self.ready = [driver, *targets]
        self.register_outputs({"fileSystemId": file_system.id})


def _arns(region: str) -> str:
    """Prefix of EFS ARNs in a region, in any account: so permissions are known before the file system exists."""
    return f"arn:{partition(region)}:elasticfilesystem:{region}:*"

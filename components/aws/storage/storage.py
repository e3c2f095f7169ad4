"""The shared file system, the bucket behind it, the driver that mounts it, and EBS volumes."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_aws import ec2, fsx, vpc

from gpucluster.components.aws.control_plane import ControlPlane, addon, csi_driver
from gpucluster.components.aws.identity import managed_pod_role
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.planning.storage import LustrePlan
from gpucluster.components.aws.storage.cluster_bucket import OwnBucket
from gpucluster.components.kubernetes.objects.objects import STORAGE_CLASS, Declared, manifest_of
from gpucluster.components.planning.names import SYSTEM_NAMESPACE
from gpucluster.components.shared.file_systems import ExistingStoragePlan
from gpucluster.components.spec.storage import OWN

_EVERY_CHANGE = ["NEW", "CHANGED", "DELETED"]

# Path of the linked bucket's objects on the file system.
BUCKET_PATH = "/bucket"

# Lustre's ports, among file servers and clients, both ways. Source: FSx for Lustre user guide, cannot-create-fs.
_PORTS = ((988, 988), (1018, 1023))


class Storage(pulumi.ComponentResource):
    """Outputs: file_system_id, dns_name, mount_name (not "fsx" for this deployment type)."""

    file_system_id: pulumi.Output[str]
    dns_name: pulumi.Output[str]
    mount_name: pulumi.Output[str]
    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: LustrePlan | ExistingStoragePlan,
        *,
        network: Network,
        control_plane: ControlPlane,
        client_cidr: str,
        fabric_group_id: pulumi.Input[str],
        own_bucket: OwnBucket | None,
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """client_cidr: addresses of the nodes. fabric_group_id: security group of their EFA interfaces.
        after: the nodes that the driver's controller needs.
        """
        super().__init__("gpucluster:aws:Storage", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        if isinstance(plan, ExistingStoragePlan):
            self.file_system_id = pulumi.Output.from_input(plan.files.id)
            self.dns_name = pulumi.Output.from_input(plan.files.host)
            self.mount_name = pulumi.Output.from_input(plan.files.share)
        else:
            made = _file_system(name, plan, network, control_plane, client_cidr, fabric_group_id, own_bucket, here)
            self.file_system_id, self.dns_name, self.mount_name = made.id, made.dns_name, made.mount_name
        driver = csi_driver(
            f"{name}-csi",
            "fsx",
            reads={"*": ["fsx:DescribeFileSystems"]},
            cluster_name=control_plane.cluster_name,
            builds=control_plane.builds,
            after=after,
            parent=self,
        )
        self.ready = [driver]
        self.register_outputs(
            {"fileSystemId": self.file_system_id, "dnsName": self.dns_name, "mountName": self.mount_name}
        )


def _file_system(
    name: str,
    plan: LustrePlan,
    network: Network,
    control_plane: ControlPlane,
    client_cidr: str,
    fabric_group_id: pulumi.Input[str],
    own_bucket: OwnBucket | None,
    here: pulumi.ResourceOptions,
) -> fsx.LustreFileSystem:
    """Creates the cluster's own file system, the rules that admit its clients, and its bucket link."""
    group, rules = _security_group(f"{name}-lustre", network.vpc_id, client_cidr, control_plane.security_group_id, here)
    if plan.fabric:
        rules += _fabric_rules(f"{name}-lustre", group.id, fabric_group_id, here)
    file_system = fsx.LustreFileSystem(
        f"{name}-shared",
        deployment_type=plan.deployment,
        storage_type="SSD",
        storage_capacity=plan.capacity_gib,
        per_unit_storage_throughput=plan.tier,
        file_system_type_version="2.15",
        data_compression_type="LZ4",
        # Can't be changed later; FSx requires a metadata configuration with it.
        efa_enabled=True if plan.fabric else None,
        metadata_configuration=(
            fsx.LustreFileSystemMetadataConfigurationArgs(mode="AUTOMATIC") if plan.fabric else None
        ),
        automatic_backup_retention_days=0,
        subnet_ids=network.gpu_subnet_id if plan.in_gpu_zone else network.cluster_subnet_ids[0],
        security_group_ids=[group.id],
        # The rules are created first: later changes of the group do not reach the file servers.
        opts=pulumi.ResourceOptions(parent=here.parent, depends_on=rules, protect=plan.protect),
    )
    if plan.bucket is not None:
        fsx.DataRepositoryAssociation(
            f"{name}-bucket",
            file_system_id=file_system.id,
            file_system_path=BUCKET_PATH,
            data_repository_path=plan.bucket if own_bucket is None or plan.bucket != OWN else own_bucket.address,
            batch_import_meta_data_on_create=True,
            s3=fsx.DataRepositoryAssociationS3Args(
                auto_import_policy=fsx.DataRepositoryAssociationS3AutoImportPolicyArgs(events=_EVERY_CHANGE),
                auto_export_policy=(
                    fsx.DataRepositoryAssociationS3AutoExportPolicyArgs(events=_EVERY_CHANGE)
                    if plan.write_back
                    else None
                ),
            ),
            opts=here,
        )
    return file_system


def _security_group(
    name: str,
    vpc_id: pulumi.Input[str],
    client_cidr: str,
    client_group_id: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> tuple[ec2.SecurityGroup, list[pulumi.Resource]]:
    """The file servers' group, open on Lustre's ports to itself and to the clients' addresses, and its rules.

    Addresses, not the clients' group, which is the EKS cluster's: a protected file system keeps everything it refers
    to, and would keep the control plane and its bill.
    """
    servers = ec2.SecurityGroup(name, vpc_id=vpc_id, description="Lustre file servers", opts=opts)
    rules: list[pulumi.Resource] = []

    def allow(
        suffix: str,
        rule: type[vpc.SecurityGroupIngressRule] | type[vpc.SecurityGroupEgressRule],
        group: pulumi.Input[str],
        *,
        peer: pulumi.Input[str] | None = None,
        cidr: str | None = None,
    ) -> list[pulumi.Resource]:
        return [
            rule(
                f"{name}-{suffix}-{first}",
                security_group_id=group,
                referenced_security_group_id=peer,
                cidr_ipv4=cidr,
                ip_protocol="tcp",
                from_port=first,
                to_port=last,
                description="Lustre",
                opts=opts,
            )
            for first, last in _PORTS
        ]

    rules += allow("in-self", vpc.SecurityGroupIngressRule, servers.id, peer=servers.id)
    rules += allow("out-self", vpc.SecurityGroupEgressRule, servers.id, peer=servers.id)
    rules += allow("in-clients", vpc.SecurityGroupIngressRule, servers.id, cidr=client_cidr)
    rules += allow("out-clients", vpc.SecurityGroupEgressRule, servers.id, cidr=client_cidr)
    # The servers open connections to the clients as well; the file system need not wait for this one.
    allow("clients-in", vpc.SecurityGroupIngressRule, client_group_id, peer=servers.id)
    return servers, rules


def _fabric_rules(
    name: str,
    servers: pulumi.Input[str],
    clients: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """All traffic among the file servers and between them and the EFA clients, both ways: EFA has no ports.

    Source: FSx for Lustre user guide, "EFA-enabled file systems" and "Unable to create an EFA-enabled file system".
    """
    peers = (("self", servers, servers), ("efa", servers, clients), ("efa-clients", clients, servers))
    kinds = (("in", vpc.SecurityGroupIngressRule), ("out", vpc.SecurityGroupEgressRule))
    return [
        rule(
            f"{name}-fabric-{direction}-{suffix}",
            security_group_id=group,
            referenced_security_group_id=peer,
            ip_protocol="-1",
            description="Lustre over EFA",
            opts=opts,
        )
        for suffix, group, peer in peers
        for direction, rule in kinds
    ]


BLOCK_CLASS = "gp3"
"""Storage class of EBS volumes, the only one of the cluster."""


class BlockStorage(pulumi.ComponentResource):
    """EBS volumes for claims without a storage class: EKS installs neither the driver nor a class.

    Outputs: storageClass, which is the default one. A volume is billed from the creation of its claim to its
    deletion.
    """

    def __init__(
        self,
        name: str,
        *,
        control_plane: ControlPlane,
        after: list[pulumi.Resource],
        volume_tags: Mapping[str, str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the nodes the driver's controller runs on. volume_tags: of the volumes that it creates.
        opts: with the provider of Kubernetes.
        """
        super().__init__("gpucluster:aws:BlockStorage", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        # The driver may neither change nor delete volumes without its own tags.
        role, grants = managed_pod_role(
            f"{name}-role",
            "service-role/AmazonEBSCSIDriverPolicy",
            cluster_name=control_plane.cluster_name,
            region=control_plane.region,
            namespace=SYSTEM_NAMESPACE,
            service_account="ebs-csi-controller-sa",
            opts=here,
        )
        driver = addon(
            f"{name}-driver",
            "aws-ebs-csi-driver",
            cluster_name=control_plane.cluster_name,
            builds=control_plane.builds,
            # The driver names each volume itself.
            configuration={"controller": {"extraVolumeTags": _without_name(volume_tags)}},
            opts=pulumi.ResourceOptions(parent=self, depends_on=[role, *grants, *after]),
        )
        volumes = {
            "provisioner": "ebs.csi.aws.com",
            "parameters": {"type": "gp3", "encrypted": "true"},
            # A volume is in one zone: that of the node of its pod.
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowVolumeExpansion": True,
            "reclaimPolicy": "Delete",
        }
        Declared(
            f"{name}-class",
            manifest_of(
                STORAGE_CLASS,
                volumes,
                object_name=BLOCK_CLASS,
                annotations={"storageclass.kubernetes.io/is-default-class": "true"},
            ),
            pulumi.ResourceOptions(parent=self, depends_on=[driver]),
        )
        self.register_outputs({"storageClass": BLOCK_CLASS})


def _without_name(tags: Mapping[str, str]) -> dict[str, str]:
    return {key: tags[key] for key in sorted(tags) if key.lower() != "name"}  # mappings of some languages keep no order

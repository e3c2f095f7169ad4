"""The shared storage on Azure, and its file systems as volumes of a cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pulumi
from pulumi_azure_native import storage as blobs
from pulumi_azure_native import storagecache

from gpucluster.components.azure.arm import container_id, storage_account_id
from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.azure.identity import propagation, role_assignment, shared_role_assignment
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.planning.storage import Bucket, LustrePlan
from gpucluster.components.azure.pools.node_storage import DRIVER
from gpucluster.components.azure.settings import GRANTED
from gpucluster.components.azure.storage.cluster_bucket import (
    CONTAINER,
    OwnBucket,
    node_subnet_rules,
    private_container,
)
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import ExistingStoragePlan

# Roles of the service principal in the account. Source: Azure Managed Lustre documentation, "Prerequisites".
_ROLES = {"account": "Storage Account Contributor", "data": "Storage Blob Data Contributor"}
# The service takes a quarter of an hour to create one; longer for a large one.
_HOUR = pulumi.CustomTimeouts(create="1h", update="1h", delete="1h")


def shared_storage(
    name: str,
    plan: AzureClusterPlan,
    *,
    group: pulumi.Input[str],
    network: Network,
    control_plane: ControlPlane,
    own_bucket: OwnBucket | None,
    opts: pulumi.ResourceOptions,
) -> Volume:
    """The storage of the spec that every node mounts."""
    if isinstance(plan.storage, ExistingStoragePlan):
        return _existing_storage(plan.storage)
    if isinstance(plan.storage, BucketPlan):
        return BlobStorage(
            name,
            plan.storage,
            account_name=plan.shared_account,
            subscription=plan.location.subscription,
            group=group,
            network=network,
            control_plane=control_plane,
            opts=opts,
        ).volume
    return Storage(
        name,
        plan.storage,
        log=re.sub("-+", "-", f"{plan.cluster_name}-log"),
        location=plan.location,
        group=group,
        network=network,
        own_bucket=own_bucket,
        opts=opts,
    ).volume


def _existing_storage(plan: ExistingStoragePlan) -> Volume:
    """The user's Managed Lustre file system."""
    return lustre_volume(
        file_system=plan.files.id.rpartition("/")[2],
        mgs_address=plan.files.host,
        capacity_gib=plan.usable_gib,
        after=[],
    )


class Storage(pulumi.ComponentResource):
    """Outputs: file_system_id, mgs_address: of its management server. Claims bind to `volume`."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: LustrePlan,
        *,
        log: str,
        location: Location,
        group: pulumi.Input[str],
        network: Network,
        own_bucket: OwnBucket | None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """log: name of the container with the log of a linked one, in the same account."""
        super().__init__("gpucluster:azure:Storage", name, {}, opts)
        hsm, before = (
            (None, list[pulumi.Input[pulumi.Resource]]())
            if plan.bucket is None
            else self._hsm(name, plan.bucket, log, location, group, own_bucket)
        )
        file_system = storagecache.AmlFilesystem(
            f"{name}-shared",
            resource_group_name=group,
            filesystem_subnet=network.lustre_id,
            storage_capacity_ti_b=float(plan.capacity_tib),
            sku=storagecache.SkuNameArgs(name=plan.sku),
            zones=None if location.lustre_zone is None else [location.lustre_zone],
            # Half an hour per week, during which file access waits.
            maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
                day_of_week=storagecache.MaintenanceDayOfWeekType.SUNDAY, time_of_day_utc="03:00"
            ),
            hsm=hsm,
            # Size, speed, container and subnet can't be changed: a change creates a new file system, without the data.
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*network.ready, *before], protect=plan.protect, custom_timeouts=_HOUR
            ),
        )
        if plan.bucket is not None and plan.write_back:
            # Does not export deletions and renames. Source: Azure Managed Lustre documentation, "Use the auto-export
            # feature".
            storagecache.AutoExportJob(
                f"{name}-write-back",
                resource_group_name=group,
                aml_filesystem_name=file_system.name,
                auto_export_prefixes=[plan.bucket.prefix],
                opts=pulumi.ResourceOptions(parent=self),
            )
        mgs = file_system.client_info.apply(_address)
        self.volume = lustre_volume(
            file_system=file_system.name, mgs_address=mgs, capacity_gib=plan.usable_gib, after=[file_system]
        )
        self.register_outputs({"fileSystemId": file_system.id, "mgsAddress": mgs})

    def _hsm(
        self, name: str, bucket: Bucket, log: str, location: Location, group: pulumi.Input[str], own: OwnBucket | None
    ) -> tuple[storagecache.AmlFilesystemHsmArgs, list[pulumi.Input[pulumi.Resource]]]:
        """The container, another one for the log, and the roles that the service needs before the file system is
        created.

        A file system created too early fails permanently, after a quarter of an hour.
        """
        here = pulumi.ResourceOptions(parent=self)
        principal = location.settings.lustre_principal or ""
        account_name: pulumi.Input[str]
        container: pulumi.Input[str]
        roles = {f"{name}-bucket-{suffix}": role for suffix, role in _ROLES.items()}
        of = {"principal": principal, "subscription": location.subscription}
        if own is not None and not bucket.account:
            account_name, container = own.account.name, own.container.id
            grants = [
                role_assignment(full, role, scope=own.account.id, **of, opts=here) for full, role in roles.items()
            ]
        else:
            group = location.settings.bucket_group or ""
            account_name, account = bucket.account, storage_account_id(location.subscription, group, bucket.account)
            container = container_id(account, bucket.container)
            grants = [
                shared_role_assignment(full, role, scope=account, **of, parent=self)
                for full, role in roles.items()
                if principal != GRANTED
            ]
        logs = blobs.BlobContainer(
            f"{name}-log",
            container_name=log,
            resource_group_name=group,
            account_name=account_name,
            public_access=blobs.PublicAccess.NONE,
            # Older stacks have a name without the stack in it.
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["containerName"]),
        )
        settings = storagecache.AmlFilesystemHsmSettingsArgs(
            container=container,
            logging_container=logs.id,
            import_prefix=bucket.prefix,
        )
        return storagecache.AmlFilesystemHsmArgs(settings=settings), [logs, *grants, propagation(grants)]


def _address(client_info: storagecache.outputs.AmlFilesystemClientInfoResponse | None) -> str:
    """Empty if an update of other targets excludes the file system."""
    return client_info.mgs_address if client_info is not None else ""


class BlobStorage(pulumi.ComponentResource):
    """Outputs: account_name. Claims bind to `volume`.

    It is mounted once per node, by the identity of all nodes: any pod may mount the claim, whatever its service
    account. With a pod's own identity, every pod of a node would have its own mount, with the files of all of them in
    one folder, and need a federated credential for its service account. Sources: kubernetes-sigs/blob-csi-driver
    0744a60, pkg/blob/nodeserver.go (tmpPath) and docs/workload-identity-static-pv-mount.md; Azure/azure-storage-fuse
    issue 143.
    """

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: BucketPlan,
        *,
        account_name: str,
        subscription: str,
        group: pulumi.Input[str],
        network: Network,
        control_plane: ControlPlane,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:Storage", name, {}, opts)
        account, container = private_container(
            name,
            account_name=account_name,
            group=group,
            network_rules=node_subnet_rules(network.nodes_id),
            expected_gib=str(plan.usable_gib),
            protect=plan.protect,
            parent=self,
        )
        # Source: kubernetes-sigs/blob-csi-driver 0744a60, deploy/example/blobfuse-mi/README.md.
        use = role_assignment(
            f"{name}-use",
            "Storage Blob Data Contributor",
            scope=container.id,
            principal=control_plane.kubelet_principal,
            subscription=subscription,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.volume = blob_volume(
            resource_group=group,
            account=account.name,
            container=CONTAINER,
            client_id=control_plane.kubelet_client,
            capacity_gib=plan.usable_gib,
            after=[use],
        )
        self.register_outputs({"accountName": account.name})


def lustre_volume(
    *,
    file_system: pulumi.Input[str],
    mgs_address: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """An Azure Managed Lustre file system. file_system: its name. mgs_address: of its management server. after:
    includes the driver.

    Source: kubernetes-sigs/azurelustre-csi-driver v0.4.0, docs/examples/pv.yaml.
    """
    return Volume(
        driver=DRIVER,
        handle=file_system,
        attributes={"mgs-ip-address": mgs_address},
        mount_options=["noatime", "flock"],
        capacity_gib=capacity_gib,
        after=after,
    )


def blob_volume(
    *,
    resource_group: pulumi.Input[str],
    account: pulumi.Input[str],
    container: str,
    client_id: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A blob container mounted by blobfuse, with AKS's own driver. client_id: of an identity of the nodes.

    Sources: kubernetes-sigs/blob-csi-driver 0744a60, deploy/example/blobfuse-mi/pv-blobfuse-mi.yaml and
    docs/driver-parameters.md (volumeHandle, fuse2).
    """
    return Volume(
        driver="blob.csi.azure.com",
        handle=pulumi.Output.format("{0}_{1}", account, container),
        attributes={
            "protocol": "fuse2",
            "resourceGroup": resource_group,
            "storageAccount": account,
            "containerName": container,
            "AzureStorageAuthType": "MSI",
            "AzureStorageIdentityClientID": client_id,
        },
        # Jobs run as any user.
        mount_options=["-o allow_other", "--file-cache-timeout-in-seconds=120"],
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )


def files_volume(
    *,
    resource_group: pulumi.Input[str],
    account: pulumi.Input[str],
    share: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A share of Azure Files by NFS, which needs no credentials: the account admits only the nodes' subnet. The driver
    is AKS's own.

    Source: kubernetes-sigs/azurefile-csi-driver, deploy/example/pv-azurefile-nfs.yaml.
    """
    return Volume(
        driver="file.csi.azure.com",
        handle=pulumi.Output.format("{0}_{1}_{2}", resource_group, account, share),
        attributes={
            "resourceGroup": resource_group,
            "storageAccount": account,
            "shareName": share,
            "protocol": "nfs",
        },
        mount_options=["nconnect=8"],
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )

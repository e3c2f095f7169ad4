"""The shared storage: Azure Managed Lustre in the GPU nodes' zone, and the container of blobs that it shows."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import storage as blobs
from pulumi_azure_native import storagecache

from gpucluster.components.azure.arm import container_id, resource_group_id
from gpucluster.components.azure.identity import Tagger, granted
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.lustre import Bucket, LustrePlan
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.propagation import known_everywhere
from gpucluster.components.azure.volumes import lustre_volume
from gpucluster.components.kubernetes.volume import Volume

__all__ = ["Storage"]

# What the service principal needs in the account. Source: Azure Managed Lustre documentation, "Prerequisites".
_ROLES = {"account": "Storage Account Contributor", "data": "Storage Blob Data Contributor"}
# The service itself takes a quarter of an hour; a large one longer.
_HOUR = pulumi.CustomTimeouts(create="1h", update="1h", delete="1h")


class Storage(pulumi.ComponentResource):
    """Outputs: file_system_id, mgs_address: of its management server. `volume` is what claims are bound to."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: LustrePlan,
        *,
        location: Location,
        group: pulumi.Input[str],
        network: Network,
        tags: Tagger,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:Storage", name, {}, opts)
        hsm, before = (
            (None, list[pulumi.Input[pulumi.Resource]]())
            if plan.bucket is None
            else self._hsm(name, plan.bucket, location)
        )
        file_system = storagecache.AmlFilesystem(
            f"{name}-shared",
            resource_group_name=group,
            filesystem_subnet=network.lustre_id,
            storage_capacity_ti_b=float(plan.capacity_tib),
            sku=storagecache.SkuNameArgs(name=plan.sku),
            zones=[location.number],
            # Half an hour a week, in which files wait.
            maintenance_window=storagecache.AmlFilesystemMaintenanceWindowArgs(
                day_of_week=storagecache.MaintenanceDayOfWeekType.SUNDAY, time_of_day_utc="03:00"
            ),
            hsm=hsm,
            tags=tags(f"{name}-shared"),
            # Size, speed, container and subnet can't be changed: another one is a new file system, without the data.
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*network.ready, *before], protect=plan.protect, custom_timeouts=_HOUR
            ),
        )
        mgs = file_system.client_info.mgs_address
        self.volume = lustre_volume(
            file_system=file_system.name, mgs_address=mgs, capacity_gib=plan.usable_gib, after=[file_system]
        )
        self.register_outputs({"fileSystemId": file_system.id, "mgsAddress": mgs})

    def _hsm(
        self, name: str, bucket: Bucket, location: Location
    ) -> tuple[storagecache.AmlFilesystemHsmArgs, list[pulumi.Input[pulumi.Resource]]]:
        """The container, one for the log beside it, and the roles that the service has to have before it is made.

        A file system that comes too early fails for good, after a quarter of an hour.
        """
        here = pulumi.ResourceOptions(parent=self)
        group, principal = location.settings.bucket_group or "", location.settings.lustre_principal or ""
        account = (
            f"{resource_group_id(location.subscription, group)}/providers/Microsoft.Storage/storageAccounts/"
            f"{bucket.account}"
        )
        log = blobs.BlobContainer(
            f"{name}-log",
            resource_group_name=group,
            account_name=bucket.account,
            public_access=blobs.PublicAccess.NONE,
            opts=here,
        )
        grants = [
            granted(
                f"{name}-bucket-{suffix}",
                role,
                scope=account,
                principal=principal,
                subscription=location.subscription,
                opts=here,
            )
            for suffix, role in _ROLES.items()
        ]
        settings = storagecache.AmlFilesystemHsmSettingsArgs(
            container=container_id(account, bucket.container),
            logging_container=log.id,
            import_prefix=bucket.prefix,
        )
        return storagecache.AmlFilesystemHsmArgs(settings=settings), [log, *grants, known_everywhere(grants)]

"""The shared storage, and Google Cloud's file systems as volumes of a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import lustre, projects, storage

from gpucluster.components.gcp import compute
from gpucluster.components.gcp.identity import workload_pool
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.network import Network
from gpucluster.components.gcp.planning.storage import LustrePlan
from gpucluster.components.gcp.storage.cluster_bucket import READS, WRITES, OwnBucket, bucket_name, private_bucket
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.planning.names import NAMESPACE
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import ExistingStoragePlan
from gpucluster.components.spec.storage import OWN

# The name in the mount point: at most 8 letters and digits. Source: Managed Lustre API.
_FILESYSTEM: Final = "shared"
# Lustre's port, for nodes of GKE 1.33.2-gke.4655000 and newer. Source: Kubernetes Engine API, LustreCsiDriverConfig.
_PORT: Final = "988"
# Lustre is slow to create. Source: GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/file-system/managed-lustre.
_HOUR: Final = pulumi.CustomTimeouts(create="1h", update="1h", delete="1h")


class LustreStorage(pulumi.ComponentResource):
    """Outputs: instance_id, ip. Claims bind to `volume`."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: LustrePlan,
        *,
        instance_id: str,
        location: Location,
        network: Network,
        range_cidr: str,
        own_bucket: OwnBucket | None,
        apis: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """instance_id: unique in project and zone. range_cidr: of the file servers."""
        super().__init__("gpucluster:gcp:Storage", name, {}, opts)
        # The servers open connections to their clients as well.
        rule = compute.Firewall(
            f"{name}-lustre",
            network=network.network_id,
            description="Lustre file servers to their clients",
            source_ranges=[range_cidr],
            allows=[compute.FirewallAllowArgs(protocol="tcp", ports=[_PORT])],
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(apis)),
        )
        instance = lustre.Instance(
            f"{name}-shared",
            instance_id=instance_id,
            location=location.zone,
            filesystem=_FILESYSTEM,
            # Numbers are strings in this API.
            capacity_gib=str(plan.capacity_gib),
            per_unit_storage_throughput=str(plan.tier),
            network=pulumi.Output.format("projects/{0}/global/networks/{1}", location.project, network.network_name),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[rule, *network.private_services],
                protect=plan.protect,
                custom_timeouts=_HOUR,
                # The old one holds the id until it is deleted.
                delete_before_replace=True,
            ),
        )
        if plan.bucket is not None:
            # A command copies data, at the user's request. Source: Managed Lustre documentation, "Transfer data to or
            # from Cloud Storage".
            agent = projects.ServiceIdentity(
                f"{name}-agent",
                project=location.project,
                service="lustre.googleapis.com",
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(apis)),
            )
            storage.BucketIAMMember(
                f"{name}-bucket",
                bucket=bucket_name(plan.bucket, own_bucket),
                role=WRITES if plan.write_back else READS,
                member=agent.member,
                # A project has one such account, so another cluster may use the same permission for the user's bucket.
                opts=pulumi.ResourceOptions(parent=self, retain_on_delete=plan.bucket != OWN),
            )
        ip = instance.mount_point.apply(_address)
        self.volume = lustre_volume(
            project=location.project,
            zone=location.zone,
            instance=instance.instance_id,
            filesystem=_FILESYSTEM,
            ip=ip,
            capacity_gib=plan.usable_gib,
            after=[instance],
        )
        self.register_outputs({"instanceId": instance.instance_id, "ip": ip})


def existing_storage(plan: ExistingStoragePlan) -> Volume:
    """The user's Managed Lustre instance."""
    _, project, _, zone, _, instance = plan.files.id.split("/")
    return lustre_volume(
        project=project,
        zone=zone,
        instance=instance,
        filesystem=plan.files.share,
        ip=plan.files.host,
        capacity_gib=plan.usable_gib,
        after=[],
    )


class BucketStorage(pulumi.ComponentResource):
    """Outputs: bucket. Claims bind to `volume`."""

    volume: Volume

    def __init__(
        self,
        name: str,
        plan: BucketPlan,
        *,
        location: Location,
        apis: Sequence[pulumi.Resource],
        after: Sequence[pulumi.Resource],
        namespaces: Sequence[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the cluster, whose pool of identities must exist first. namespaces: of pods that use the bucket."""
        super().__init__("gpucluster:gcp:Storage", name, {}, opts)
        bucket = private_bucket(
            f"{name}-shared",
            location=location,
            expected_gib=str(plan.usable_gib),
            protect=plan.protect,
            after=apis,
            parent=self,
        )
        uses = [
            storage.BucketIAMMember(
                f"{name}-use{'' if namespace == NAMESPACE else f'-{namespace}'}",
                bucket=bucket.name,
                role=WRITES,
                # Every pod of the namespace, as itself: without a key or a Google service account.
                # Source: GKE documentation, "Authenticate to Google Cloud APIs from GKE workloads".
                member=pulumi.Output.format(
                    "principalSet://iam.googleapis.com/projects/{0}/locations/global/workloadIdentityPools/{1}/"
                    "namespace/{2}",
                    bucket.project_number,
                    workload_pool(location.project),
                    namespace,
                ),
                opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
            )
            for namespace in namespaces
        ]
        self.volume = bucket_volume(bucket=bucket.name, capacity_gib=plan.usable_gib, after=uses)
        self.register_outputs({"bucket": bucket.name})


def _address(mount_point: str | None) -> str:
    """The address in IP_ADDRESS@tcp:/FILESYSTEM; empty if an update of other targets excludes the instance."""
    return (mount_point or "").partition("@")[0]


def lustre_volume(
    *,
    project: str,
    zone: str,
    instance: pulumi.Input[str],
    filesystem: pulumi.Input[str],
    ip: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A Managed Lustre instance. instance: its id. filesystem: its name in the mount point. ip: of its server.

    Source: GoogleCloudPlatform/lustre-csi-driver, examples/pre-prov/preprov-pvc-pv.yaml, pkg/util/util.go
    (ParseVolumeID: exactly three parts) and pkg/csi_driver/node.go (mounts by the attributes, once per node).
    """
    return Volume(
        driver="lustre.csi.storage.gke.io",
        handle=pulumi.Output.format("{0}/{1}/{2}", project, zone, instance),
        attributes={"ip": ip, "filesystem": filesystem},
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )


def bucket_volume(*, bucket: pulumi.Input[str], capacity_gib: int, after: Sequence[pulumi.Resource]) -> Volume:
    """A bucket by GCS FUSE. Its pods need the annotation `gke-gcsfuse/volumes: "true"` and a Kubernetes service account
    that may use the bucket.

    Source: GKE documentation, "Mount Cloud Storage buckets as persistent volumes".
    """
    return Volume(
        driver="gcsfuse.csi.storage.gke.io",
        handle=bucket,
        # Also shows objects whose folders were never created.
        mount_options=["implicit-dirs"],
        capacity_gib=capacity_gib,
        after=after,
    )


def filestore_volume(
    *,
    location: str,
    instance: pulumi.Input[str],
    share: str,
    ip: pulumi.Input[str],
    capacity_gib: int,
    after: Sequence[pulumi.Resource],
) -> Volume:
    """A share of a Filestore instance. location: its zone, or its region if it is regional.

    Sources: GKE documentation, "Access existing Filestore instances"; kubernetes-sigs/gcp-filestore-csi-driver,
    pkg/csi_driver/node.go (mounts by the attributes).
    """
    return Volume(
        driver="filestore.csi.storage.gke.io",
        handle=pulumi.Output.format("modeInstance/{0}/{1}/{2}", location, instance, share),
        attributes={"ip": ip, "volume": share},
        capacity_gib=capacity_gib,
        after=after,
        staged=True,
    )

"""Google Cloud's file systems as volumes of a cluster. Jobs see only the claims, named as on every cloud."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from gpucluster.components.kubernetes.objects.volume import Volume


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

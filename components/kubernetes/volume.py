"""A file system made outside the cluster, as a volume and the claim that pods mount it by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

import pulumi
from pulumi_kubernetes.core import v1 as core
from pulumi_kubernetes.meta import v1 as meta

from gpucluster.record import record


@record(kw_only=True)
class Volume:
    """driver: its CSI driver. handle, attributes, mount_options: in the driver's words.

    capacity_gib: what the claim asks, GiB; nothing enforces it. after: what makes it mountable. staged: the driver
    mounts it once a node and takes it apart by its handle, so that no two claims may have the same.
    """

    driver: str
    handle: pulumi.Input[str]
    capacity_gib: int
    attributes: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    mount_options: Sequence[str] = ()
    after: Sequence[pulumi.Resource] = ()
    staged: bool = False

    def again(self, owner: str) -> Volume:
        """The same file system for a second claim, of an owner with this name.

        Where two volumes have one handle, the kubelet takes what is mounted for the first for the second's, too, whose
        pods then wait for ever. Source: kubernetes/kubernetes issue 105868.
        """
        return replace(self, handle=pulumi.Output.concat(self.handle, ".", owner)) if self.staged else self


def claimed(
    name: str,
    volume: Volume,
    *,
    claim: str,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> core.PersistentVolumeClaim:
    """The claim of a volume that all nodes mount at once, with the volume it is bound to."""
    capacity = f"{volume.capacity_gib}Gi"
    made = core.PersistentVolume(
        f"{name}-volume",
        spec=core.PersistentVolumeSpecArgs(
            capacity={"storage": capacity},
            access_modes=["ReadWriteMany"],
            mount_options=list(volume.mount_options) or None,
            # The file system is declared by this program, not by the claim.
            persistent_volume_reclaim_policy="Retain",
            storage_class_name="",
            csi=core.CSIPersistentVolumeSourceArgs(
                driver=volume.driver,
                volume_handle=volume.handle,
                volume_attributes=dict(volume.attributes) or None,
            ),
        ),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(volume.after))),
    )
    return core.PersistentVolumeClaim(
        f"{name}-claim",
        metadata=meta.ObjectMetaArgs(name=claim, namespace=namespace),
        spec=core.PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteMany"],
            storage_class_name="",
            volume_name=made.metadata.name,
            resources=core.VolumeResourceRequirementsArgs(requests={"storage": capacity}),
        ),
        opts=opts,
    )

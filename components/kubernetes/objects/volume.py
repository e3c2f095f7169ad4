"""A file system created outside the cluster, as a PersistentVolume and its claim for pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pulumi

from gpucluster.components.kubernetes.objects.objects import (
    PERSISTENT_VOLUME,
    PERSISTENT_VOLUME_CLAIM,
    Declared,
    manifest_of,
)


@dataclass(frozen=True, kw_only=True)
class Volume:
    """driver: its CSI driver. handle, attributes, mount_options: in the driver's terms.

    capacity_gib: requested by the claim, GiB; nothing enforces it. after: required for mounting. staged: the driver
    mounts it once per node and unmounts it by its handle, so that no two claims may have the same.
    """

    driver: str
    handle: pulumi.Input[str]
    capacity_gib: int
    attributes: Mapping[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    mount_options: Sequence[str] = ()
    after: Sequence[pulumi.Resource] = ()
    staged: bool = False

    def for_team(self, owner: str) -> Volume:
        """The same file system for a second claim, of an owner with this name.

        If two volumes have the same handle, the kubelet mistakes the first one's mount for the second's, whose pods
        then wait forever. Source: kubernetes/kubernetes issue 105868.
        """
        return replace(self, handle=pulumi.Output.concat(self.handle, ".", owner)) if self.staged else self


def claimed(
    name: str,
    volume: Volume,
    *,
    claim: str,
    namespace: pulumi.Input[str],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """The claim of a volume that all nodes mount, and the volume it is bound to."""
    capacity = {"storage": f"{volume.capacity_gib}Gi"}
    both = {"accessModes": ["ReadWriteMany"], "storageClassName": ""}
    mounted = {
        **both,
        "capacity": capacity,
        **({"mountOptions": list(volume.mount_options)} if volume.mount_options else {}),
        # The file system is declared by this program, not by the claim.
        "persistentVolumeReclaimPolicy": "Retain",
        "csi": {
            "driver": volume.driver,
            "volumeHandle": volume.handle,
            **({"volumeAttributes": dict(volume.attributes)} if volume.attributes else {}),
        },
    }
    claim_object = Declared(
        f"{name}-volume",
        manifest_of(PERSISTENT_VOLUME, mounted),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(volume.after))),
    )
    return Declared(
        f"{name}-claim",
        manifest_of(
            PERSISTENT_VOLUME_CLAIM,
            {**both, "volumeName": claim_object.object_name, "resources": {"requests": capacity}},
            object_name=claim,
            namespace=namespace,
        ),
        opts,
    )

"""The namespace training jobs run in and the claim they mount: the same names on every cloud."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.core.v1 import (
    CSIPersistentVolumeSourceArgs,
    Namespace,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpecArgs,
    PersistentVolumeSpecArgs,
    VolumeResourceRequirementsArgs,
)
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

__all__ = ["CLAIM", "NAMESPACE", "Workspace"]

NAMESPACE = "training"
CLAIM = "shared"


class Workspace(pulumi.ComponentResource):
    """Outputs: namespace, claim."""

    def __init__(
        self,
        name: str,
        *,
        driver: str,
        volume_handle: pulumi.Input[str],
        volume_attributes: Mapping[str, pulumi.Input[str]],
        mount_options: list[str],
        capacity_gib: int,
        labels: Mapping[str, str],
        after: list[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """driver: CSI driver of the shared file system. after: what makes the volume mountable."""
        super().__init__("gpucluster:kubernetes:Workspace", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        namespace = Namespace(
            f"{name}-namespace",
            metadata=ObjectMetaArgs(
                name=NAMESPACE, labels={**labels, "pod-security.kubernetes.io/enforce": "baseline"}
            ),
            opts=here,
        )
        volume = PersistentVolume(
            f"{name}-volume",
            metadata=ObjectMetaArgs(labels=dict(labels)),
            spec=PersistentVolumeSpecArgs(
                capacity={"storage": f"{capacity_gib}Gi"},
                access_modes=["ReadWriteMany"],
                mount_options=mount_options,
                # The file system is declared by this program, not by the claim.
                persistent_volume_reclaim_policy="Retain",
                storage_class_name="",
                csi=CSIPersistentVolumeSourceArgs(
                    driver=driver, volume_handle=volume_handle, volume_attributes=dict(volume_attributes)
                ),
            ),
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        claim = PersistentVolumeClaim(
            f"{name}-claim",
            metadata=ObjectMetaArgs(name=CLAIM, namespace=namespace.metadata.name, labels=dict(labels)),
            spec=PersistentVolumeClaimSpecArgs(
                access_modes=["ReadWriteMany"],
                storage_class_name="",
                volume_name=volume.metadata.name,
                resources=VolumeResourceRequirementsArgs(requests={"storage": f"{capacity_gib}Gi"}),
            ),
            opts=here,
        )
        self.register_outputs({"namespace": namespace.metadata.name, "claim": claim.metadata.name})

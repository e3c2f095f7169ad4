"""EBS volumes for claims without a storage class: EKS installs neither the driver nor a class."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi

from gpucluster.components.aws.control_plane.addons import addon
from gpucluster.components.aws.control_plane.control_plane import ControlPlane
from gpucluster.components.aws.control_plane.identity import managed_pod_role
from gpucluster.components.kubernetes.objects.kinds import STORAGE_CLASS
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of
from gpucluster.components.planning.names import SYSTEM_NAMESPACE

_CLASS = "gp3"


class BlockStorage(pulumi.ComponentResource):
    """Outputs: storageClass, which is the default one. A volume is billed from the creation of its claim to its
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
                object_name=_CLASS,
                annotations={"storageclass.kubernetes.io/is-default-class": "true"},
            ),
            pulumi.ResourceOptions(parent=self, depends_on=[driver]),
        )
        self.register_outputs({"storageClass": _CLASS})


def _without_name(tags: Mapping[str, str]) -> dict[str, str]:
    return {key: tags[key] for key in sorted(tags) if key.lower() != "name"}  # mappings of some languages keep no order

"""Objects in the cluster, declared by their manifests.

The SDK's classes would send the same, but loading them takes 0.7 seconds. A test checks the fields in every recorded
plan, and the sandbox checks them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pulumi


@dataclass(frozen=True)
class Kind:
    """nested: False if its fields are next to `metadata`, not in a `spec`."""

    api_version: str
    name: str
    nested: bool = True


class Declared(pulumi.CustomResource):
    """An object with the content of its manifest. patch: of an object that something else created.

    A class with its own constructor, so that the engine names the line that declares it.
    """

    def __init__(
        self, name: str, manifest: Mapping[str, Any], opts: pulumi.ResourceOptions, *, patch: bool = False
    ) -> None:
        version: str = manifest["apiVersion"]
        group = version if "/" in version else f"core/{version}"
        kind = f"{manifest['kind']}{'Patch' if patch else ''}"
        # Only a field that is sent has an output: the provider names an object whose manifest has no metadata there.
        super().__init__(f"kubernetes:{group}:{kind}", name, {"metadata": None, **manifest}, opts)

    @property
    def object_name(self) -> pulumi.Output[str]:
        """Its name in the cluster; resources that use this output are created after the object."""
        metadata: pulumi.Output[Mapping[str, str] | None] = pulumi.get(self, "metadata")
        # None in a staged `up` that excludes the object.
        return metadata.apply(lambda found: (found or {}).get("name"))  # pyright: ignore[reportReturnType]


def manifest_of(
    kind: Kind,
    fields: Mapping[str, Any],
    *,
    object_name: str | None = None,
    labels: Mapping[str, str] | None = None,
    namespace: pulumi.Input[str] | None = None,
    annotations: Mapping[str, pulumi.Input[str]] | None = None,
) -> dict[str, Any]:
    """The manifest of an object. fields: its spec, if it has one. object_name: None if the provider chooses it.
    labels: in addition to the component's. namespace: of a namespaced kind.
    """
    metadata = {
        "name": object_name,
        "namespace": namespace,
        "labels": labels or None,
        "annotations": annotations or None,
    }
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {key: value for key, value in metadata.items() if value is not None} or None,
        **({"spec": fields} if kind.nested else fields),
    }


RBAC: Final = "rbac.authorization.k8s.io"
"""API group of roles and their bindings."""

_RBAC: Final = f"{RBAC}/v1"
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"

# Source: Kubernetes API reference v1.35.
CLUSTER_ROLE: Final = Kind(_RBAC, "ClusterRole", nested=False)
CLUSTER_ROLE_BINDING: Final = Kind(_RBAC, "ClusterRoleBinding", nested=False)
CONFIG_MAP: Final = Kind("v1", "ConfigMap", nested=False)
NAMESPACE: Final = Kind("v1", "Namespace", nested=False)
NETWORK_POLICY: Final = Kind("networking.k8s.io/v1", "NetworkPolicy")
PERSISTENT_VOLUME: Final = Kind("v1", "PersistentVolume")
PERSISTENT_VOLUME_CLAIM: Final = Kind("v1", "PersistentVolumeClaim")
RESOURCE_QUOTA: Final = Kind("v1", "ResourceQuota")
ROLE: Final = Kind(_RBAC, "Role", nested=False)
ROLE_BINDING: Final = Kind(_RBAC, "RoleBinding", nested=False)
SECRET: Final = Kind("v1", "Secret", nested=False)
SERVICE: Final = Kind("v1", "Service")
SERVICE_ACCOUNT: Final = Kind("v1", "ServiceAccount", nested=False)
STATEFUL_SET: Final = Kind("apps/v1", "StatefulSet")
STORAGE_CLASS: Final = Kind("storage.k8s.io/v1", "StorageClass", nested=False)

# Source: kubernetes-sigs/karpenter, pkg/apis/v1/nodepool.go.
NODE_POOL: Final = Kind("karpenter.sh/v1", "NodePool")
# Source: kubernetes-sigs/karpenter v1.15.0, pkg/apis/v1alpha1/nodeoverlay.go.
NODE_OVERLAY: Final = Kind("karpenter.sh/v1alpha1", "NodeOverlay")

# Source: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2.
ADMISSION_CHECK: Final = Kind(_KUEUE, "AdmissionCheck")
CLUSTER_QUEUE: Final = Kind(_KUEUE, "ClusterQueue")
LOCAL_QUEUE: Final = Kind(_KUEUE, "LocalQueue")
MULTI_KUEUE_CLUSTER: Final = Kind(_KUEUE, "MultiKueueCluster")
MULTI_KUEUE_CONFIG: Final = Kind(_KUEUE, "MultiKueueConfig")
PROVISIONING_REQUEST_CONFIG: Final = Kind(_KUEUE, "ProvisioningRequestConfig")
RESOURCE_FLAVOR: Final = Kind(_KUEUE, "ResourceFlavor")
TOPOLOGY: Final = Kind(_KUEUE, "Topology")
WORKLOAD_PRIORITY_CLASS: Final = Kind(_KUEUE, "WorkloadPriorityClass", nested=False)

# Source: kubeflow/trainer v2.2.1, pkg/apis/trainer/v1alpha1/trainingruntime_types.go.
CLUSTER_TRAINING_RUNTIME: Final = Kind("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")

"""Built-in kinds, and custom kinds of more than one cloud. Kinds of one cloud are in the module that declares them."""

from typing import Final

from gpucluster.components.kubernetes.objects.objects import Kind

RBAC: Final = "rbac.authorization.k8s.io"
"""API group of roles and their bindings."""

_RBAC: Final = f"{RBAC}/v1"
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"

# Source: Kubernetes API reference v1.35.
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
SERVICE_ACCOUNT: Final = Kind("v1", "ServiceAccount", nested=False)
STORAGE_CLASS: Final = Kind("storage.k8s.io/v1", "StorageClass", nested=False)

# Source: kubernetes-sigs/karpenter, pkg/apis/v1/nodepool.go.
NODE_POOL: Final = Kind("karpenter.sh/v1", "NodePool")

# Source: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2.
ADMISSION_CHECK: Final = Kind(_KUEUE, "AdmissionCheck")
CLUSTER_QUEUE: Final = Kind(_KUEUE, "ClusterQueue")
LOCAL_QUEUE: Final = Kind(_KUEUE, "LocalQueue")
PROVISIONING_REQUEST_CONFIG: Final = Kind(_KUEUE, "ProvisioningRequestConfig")
RESOURCE_FLAVOR: Final = Kind(_KUEUE, "ResourceFlavor")
TOPOLOGY: Final = Kind(_KUEUE, "Topology")
WORKLOAD_PRIORITY_CLASS: Final = Kind(_KUEUE, "WorkloadPriorityClass", nested=False)

# Source: kubeflow/trainer v2.2.1, pkg/apis/trainer/v1alpha1/trainingruntime_types.go.
CLUSTER_TRAINING_RUNTIME: Final = Kind("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")

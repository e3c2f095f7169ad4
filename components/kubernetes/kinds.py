"""The custom kinds that clusters of every cloud have, and the built-in ones whose classes a preview would import for a
single object. Those of one cloud stand where they are declared.
"""

from typing import Final

from gpucluster.components.kubernetes.objects import Kind

_RBAC: Final = "rbac.authorization.k8s.io/v1"
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"

# Source: Kubernetes API reference v1.35.
CLUSTER_ROLE: Final = Kind(_RBAC, "ClusterRole", nested=False)
CLUSTER_ROLE_BINDING: Final = Kind(_RBAC, "ClusterRoleBinding", nested=False)
DAEMON_SET: Final = Kind("apps/v1", "DaemonSet")
DEPLOYMENT: Final = Kind("apps/v1", "Deployment")
NETWORK_POLICY: Final = Kind("networking.k8s.io/v1", "NetworkPolicy")

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

# Source: kubeflow/trainer v2.3.0, pkg/apis/trainer/v1alpha1/trainingruntime_types.go.
CLUSTER_TRAINING_RUNTIME: Final = Kind("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime")

"""Names that are equal in every cluster, on any cloud. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

POOL: Final = "gpucluster/pool"
"""Label of every node: the pool it belongs to, one of these or an elastic one."""
SYSTEM_POOL: Final = "system"
TRAINING_POOL: Final = "training"
MIG_POOL: Final = "mig"
ELASTIC: Final = "elastic"
"""Name of what the elastic pools share, such as their machines' class; the spec names each pool."""

NODE_GPUS: Final = 8
"""GPUs of a node of the training pool, as a spec counts them."""

GPU: Final = "nvidia.com/gpu"
"""Resource that pods request, and key of the taint that keeps all others off GPU nodes."""
MIG_SLICE: Final = "nvidia.com/mig-"
"""Prefix, before the size, of the resource that pods request if GPUs have slices of several sizes."""
MIG_LAYOUT: Final = "nvidia.com/mig.config"
"""Label by which NVIDIA's MIG manager slices a node's GPUs."""
MIG_SHOWN: Final = "gpucluster/mig-layout"
"""Label with the layout of nodes that slice their GPUs themselves. For information only: nothing acts on it."""
GPU_PRESENT: Final = "nvidia.com/gpu.present"
"""Label by which device plugins find GPU nodes."""
EFA_PRESENT: Final = "vpc.amazonaws.com/efa.present"
"""The same for nodes with EFA."""
HOSTNAME: Final = "kubernetes.io/hostname"
"""Kubernetes' label of every node with its name."""
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
REGION: Final = "topology.kubernetes.io/region"
CAPACITY_TYPE: Final = "karpenter.sh/capacity-type"
"""Label of a node that Karpenter bought: how."""
GPU_TOLERATION: Final = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
ALL_TAINTS: Final = {"operator": "Exists"}
"""Toleration of the software that makes GPU nodes usable and reports their state. It tolerates every taint, as the
clouds' own agents do: `gpucluster/broken`, which evicts pods, those of spot machines, queues and classes, and yours. A
broken node without its device plugins would never be seen to recover.
"""
ADDONS_TOLERATION: Final = {"key": "CriticalAddonsOnly", "operator": "Exists"}
"""Toleration of the cluster's own software for CPU nodes that repel all other pods."""

TRAINING_RUNTIME: Final = "training"
MPI_RUNTIME: Final = "training-mpi"
SINGLE_GPU_RUNTIME: Final = "single-gpu"
MIG_RUNTIME: Final = "mig"
"""Runtimes that a TrainJob names: whole nodes with torchrun or mpirun, one GPU, one slice of a GPU."""
NCCL_TESTS: Final = "/opt/nccl-tests/build"
"""Path of NCCL's tests in the MPI runtime, whatever its image. Source: awslabs/awsome-distributed-ai,
micro-benchmarks/nccl-tests/nccl-tests.Dockerfile."""

NAMESPACE: Final = "training"
"""Namespace of jobs; with teams, only of jobs without a team, such as acceptance."""
TEAM_NAMESPACE: Final = "team-"
"""Prefix of a team's namespace, before the team's name."""
FLEET: Final = "fleet"
"""Queue whose jobs run in one of several clusters."""
TEAM: Final = "gpucluster/team"
"""Label of a namespace: its team."""
SHARED_CLAIM: Final = "shared"
HOME_CLAIM: Final = "home"
SHARED_PATH: Final = "/shared"
HOME_PATH: Final = "/homes"
SCRATCH_PATH: Final = "/scratch"
"""Mount paths of the two claims and of the machine's local disks in jobs."""
ACCEPTANCE: Final = "gpucluster/acceptance"
"""Label of objects that acceptance runs, with the step's name."""
SYSTEM_NAMESPACE: Final = "kube-system"
MONITORING: Final = "monitoring"
"""Namespace of dashboards, OpenCost and the collector of the jobs' own metrics."""
NODE_HEALTH_PORT: Final = 8080
"""Port of the metrics of the program that finds broken nodes."""
OPENCOST_PORT: Final = 9003
"""Port of OpenCost's API. Source: opencost/opencost-helm-chart 725bb93, charts/opencost/values.yaml (apiPort)."""
EXPORTER_NAMESPACE: Final = "gpu-exporter"
EXPORTER_ACCOUNT: Final = "dcgm-exporter"
"""Namespace and service account of DCGM's exporter. Its pods need no queue:
components/kubernetes/jobs/manifests/gpu-pods.yaml.
"""
EXPORTER_PORT: Final = 9400
"""Port of DCGM's exporter. Source: NVIDIA/dcgm-exporter, deployment/values.yaml (service.port)."""

# Read by the cost module: average amounts that run or are stored, which no plan can know.
EXPECTED_GPUS: Final = "gpucluster/expected-gpus"
EXPECTED_GIB: Final = "gpucluster/expected-gib"
EXPECTED_SAMPLES: Final = "gpucluster/expected-million-samples"

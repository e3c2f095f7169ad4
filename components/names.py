"""Names that are the same in every cluster, on any cloud. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

POOL: Final = "gpucluster/pool"
"""Label of every node: the pool it belongs to, one of these or an elastic one."""
SYSTEM_POOL: Final = "system"
TRAINING_POOL: Final = "training"
MIG_POOL: Final = "mig"
ELASTIC: Final = "elastic"
"""What the elastic pools have in common is called so, such as their machines' class; the spec names each pool."""

NODE_GPUS: Final = 8
"""GPUs of a node of the training pool, as a spec counts them."""

GPU: Final = "nvidia.com/gpu"
"""What pods ask for, and the key of the taint that keeps all others off GPU nodes."""
MIG_SLICE: Final = "nvidia.com/mig-"
"""What pods ask for where GPUs have slices of several sizes, before the size."""
MIG_LAYOUT: Final = "nvidia.com/mig.config"
"""Label that NVIDIA's MIG manager slices a node's GPUs by."""
MIG_SHOWN: Final = "gpucluster/mig-layout"
"""Label of nodes that slice their GPUs themselves: how. It asks nobody for anything."""
GPU_PRESENT: Final = "nvidia.com/gpu.present"
"""Label of GPU nodes, by which device plugins find them."""
EFA_PRESENT: Final = "vpc.amazonaws.com/efa.present"
"""The same for nodes with EFA."""
GPU_TOLERATION: Final = {"key": GPU, "operator": "Exists", "effect": "NoSchedule"}
ADDONS_TOLERATION: Final = {"key": "CriticalAddonsOnly", "operator": "Exists"}
"""Of what the cluster itself runs, for CPU nodes that keep everything else away."""

TRAINING_RUNTIME: Final = "training"
MPI_RUNTIME: Final = "training-mpi"
SINGLE_GPU_RUNTIME: Final = "single-gpu"
MIG_RUNTIME: Final = "mig"
"""Runtimes that a TrainJob names: over whole nodes by torchrun or mpirun, on one GPU, on a slice of one."""
NCCL_TESTS: Final = "/opt/nccl-tests/build"
"""Where the runtime for MPI has NCCL's tests, whatever its image. Source: awslabs/awsome-distributed-ai,
micro-benchmarks/nccl-tests/nccl-tests.Dockerfile."""

NAMESPACE: Final = "training"
"""Where jobs run; with teams, those of nobody's team, such as acceptance."""
TEAM_NAMESPACE: Final = "team-"
"""What stands before the name of a team in that of its namespace."""
TEAM: Final = "gpucluster/team"
"""Label of a namespace: whose it is."""
SHARED_CLAIM: Final = "shared"
HOME_CLAIM: Final = "home"
SHARED_PATH: Final = "/shared"
HOME_PATH: Final = "/homes"
SCRATCH_PATH: Final = "/scratch"
"""Where jobs find the two claims and the machine's local disks."""
ACCEPTANCE: Final = "gpucluster/acceptance"
"""Label of what acceptance runs, with the step's name."""
SYSTEM_NAMESPACE: Final = "kube-system"
MONITORING: Final = "monitoring"
"""Where dashboards are, and OpenCost and the collector of the jobs' own metrics."""
NODE_HEALTH_PORT: Final = 8080
"""Where the program that looks for broken nodes tells of them."""
OPENCOST_PORT: Final = 9003
"""Where OpenCost answers. Source: opencost/opencost-helm-chart 725bb93, charts/opencost/values.yaml (apiPort)."""
EXPORTER_NAMESPACE: Final = "gpu-exporter"
EXPORTER_ACCOUNT: Final = "dcgm-exporter"
"""Where DCGM's exporter is, and as whom. Its pods need no queue: components/kubernetes/manifests/gpu-pods.yaml."""
EXPORTER_PORT: Final = 9400
"""Where DCGM's exporter answers. Source: NVIDIA/dcgm-exporter, deployment/values.yaml (service.port)."""

# Read by the cost module: how much of something runs or is stored on average, which no plan can know.
EXPECTED_GPUS: Final = "gpucluster/expected-gpus"
EXPECTED_GIB: Final = "gpucluster/expected-gib"
EXPECTED_SAMPLES: Final = "gpucluster/expected-million-samples"

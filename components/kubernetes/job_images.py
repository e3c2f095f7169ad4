"""The images jobs start from when they name none, and where those come from in a network without a way out."""

from __future__ import annotations

from typing import Final

__all__ = ["MPI", "PYTORCH", "mirrored"]

PYTORCH: Final = "nvcr.io/nvidia/pytorch:25.03-py3"
"""glibc 2.39, CUDA 12.8 and an NCCL of the system's, which LD_LIBRARY_PATH can replace.

Source: Azure/ai-infrastructure-on-azure 116fd1c, infrastructure_validations/aks/NCCL/docker/Dockerfile.
"""

MPI: Final = (
    "public.ecr.aws/hpc-cloud/nccl-tests@sha256:a5390d3f0eb50f3e5854085e2ae0fef90b9eb4f3b7486ed4cab0d47864809d4c"
)
"""Open MPI, an SSH server, NCCL's tests, and the user-space side of EFA and InfiniBand: libfabric, aws-ofi-nccl and
rdma-core. Its tag is cuda13.0.2-efa1.48.0-ofiv1.19.0-ncclv2.30.4-1-testsv2.18.3.

Sources: awslabs/awsome-distributed-ai, micro-benchmarks/nccl-tests/nccl-tests.Dockerfile; the digest of the tag in the
pins of its workshop on PCS.
"""


def mirrored(image: str, registry: str | None) -> str:
    """An image's name in a mirror, which keeps the path it has in its usual registry; as it is without one."""
    return image if registry is None else f"{registry}/{image.partition('/')[2]}"

"""What NCCL is told of an ND v5 machine is Microsoft's own file, in every cluster, for every size it is for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.pools.job_pools import infiniband_pod, mpi_infiniband_pod
from gpucluster.components.azure.settings import Settings
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.spec.cluster import ClusterSpec

TRIAL = Path(__file__).parents[4] / "stacks/specs/trial.yaml"

# sha256sum of topology/ndv5-topo.xml of Azure/azhpc-images 8e9d055fb9e1f7385da734969793861c447958a1; also of
# tests/scenarios/nvidia-topology/ndv5-topo.xml of Azure/aks-rdma-infiniband 700dabb.
UPSTREAM = "c26ff47f1decf03d44ee6e90c4a8afd3bddeec334c5545008f33af2a297e2834"


def test_the_file_is_microsofts_own_byte_for_byte(registered: Callable[..., list[tuple[str, str, Any]]]) -> None:
    from gpucluster.components.azure.cluster import TrainingCluster

    here = Location(
        subscription="00000000-0000-0000-0000-000000000000", region="eastus", number="1", settings=Settings()
    )
    plan = CLOUD.plan_cluster(ClusterSpec.model_validate(yaml.safe_load(TRIAL.read_text())), here, stack="azure-trial")
    made = {name: inputs for _, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))}
    files = made["trial-topology"]["data"]
    sums = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    assert sums == {"nd-v5.xml": UPSTREAM}


@pytest.mark.parametrize(
    ("machine", "file"),
    [
        # standard_nd96is*_h[1-2]00_v5: components/setup_sku_customizations.sh of the same commit.
        ("Standard_ND96isr_H100_v5", "/etc/nccl-topology/nd-v5.xml"),
        ("Standard_ND96isr_H200_v5", "/etc/nccl-topology/nd-v5.xml"),
        ("Standard_ND96amsr_A100_v4", None),
    ],
)
def test_h100_and_h200_read_it_and_a100_does_not(machine: str, file: str | None) -> None:
    pods = [infiniband_pod(shape("azure", machine)), mpi_infiniband_pod(shape("azure", machine))]
    assert [pod.env.get("NCCL_TOPO_FILE") for pod in pods] == [file, file]

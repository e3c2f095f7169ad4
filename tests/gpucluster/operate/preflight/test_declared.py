"""What the program of each trial declares, found by another process."""

from __future__ import annotations

import pytest

from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.preflight.charts import addresses
from gpucluster.operate.preflight.declared import declaring
from tools.benchmarks.harness import ROOT

REGISTRIES = {
    "aws": {
        "https://aws.github.io/eks-charts/index.yaml",
        "https://nvidia.github.io/dcgm-exporter/helm-charts/index.yaml",
        "https://nvidia.github.io/k8s-device-plugin/index.yaml",
        "https://public.ecr.aws/v2/",
    },
    "gcp": {
        "https://cloudpilot-ai.github.io/karpenter-provider-gcp/index.yaml",
        "https://nvidia.github.io/dcgm-exporter/helm-charts/index.yaml",
    },
    "azure": {"https://helm.ngc.nvidia.com/nvidia/index.yaml"},
}
EVERYWHERE = {
    "https://ghcr.io/v2/",
    "https://prometheus-community.github.io/helm-charts/index.yaml",
    "https://registry.k8s.io/v2/",
}


@pytest.mark.slow
@pytest.mark.parametrize("cloud", REGISTRIES)
def test_the_registries_are_those_of_the_releases_in_the_plan(cloud: str) -> None:
    with declaring(plan_stack(read_stack(f"{cloud}-trial", ROOT), plan_prices)) as declared:
        found = declared()
    assert set(addresses(found.charts)) == REGISTRIES[cloud] | EVERYWHERE
    assert {type_ for type_ in found.types if type_.startswith("kubernetes:helm.sh")} == {
        "kubernetes:helm.sh/v3:Release"
    }

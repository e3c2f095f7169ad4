"""One spec with two accelerators, side by side as `cost compare` shows them."""

from __future__ import annotations

from gpucluster.cost import estimate
from gpucluster.cost.comparison import Column, cluster_of, compare
from gpucluster.cost.comparison.figures import Figures
from tools.pages.examples import ROOT, Example, declared

B200 = Example(spec=ROOT / "examples/specs/aws/b200.yaml", cloud="aws")


def _column(accelerator: str) -> Column:
    resources = declared(B200, {"accelerator": accelerator})
    return Column(title=accelerator, estimate=estimate(resources), cluster=cluster_of(resources))


def test_b200_costs_more_by_the_hour_and_less_by_tflops_than_h100() -> None:
    compared = compare([_column("h100"), _column("b200")])
    h100, b200 = (one for one in compared.figures if one is not None)
    assert [(one.machine, one.nodes, one.region) for one in (h100, b200)] == [
        ("p5.48xlarge", 5, "us-east-1"),
        ("p6-b200.48xlarge", 5, "us-east-1"),
    ]
    assert [_shown(one) for one in (h100, b200)] == [("6.88", "6.957"), ("14.24", "6.473")]


def _shown(one: Figures) -> tuple[str, str]:
    """USD of a GPU-hour, and of an hour of 1,000 TFLOPS."""
    return f"{one.usd_per_gpu_hour:.2f}", f"{one.per_1000_tflops:.3f}"

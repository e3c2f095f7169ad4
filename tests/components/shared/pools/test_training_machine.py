"""Which machine a training pool is made of, and why not of another."""

from __future__ import annotations

import pytest

from gpucluster.components.shared.pools.machine_choice import plan_machine, shape
from gpucluster.components.spec.pools import Training
from tests.components.told import reports, told

TRAINING = Training(nodes=4, fabric_gbps=1600)
FITTING = {name: shape("gcp", name) for name in ("a3-highgpu-8g", "a3-megagpu-8g")}


@pytest.mark.parametrize(
    ("named", "chosen"), [(None, "a3-megagpu-8g"), ("a3-highgpu-8g", "a3-highgpu-8g"), ("p5.48xlarge", "a3-megagpu-8g")]
)
def test_the_one_named_is_taken_where_it_fits(named: str | None, chosen: str) -> None:
    assert plan_machine("gcp", "h100", TRAINING, FITTING, reports(machine=named)).machine_type == chosen


@pytest.mark.parametrize(
    ("named", "why", "problems"),
    [
        (None, "", []),
        ("a3-highgpu-8g", "", []),
        (
            "a3-highgpu-8",
            "",
            ["is 'a3-highgpu-8'; with accelerator h100: a3-highgpu-8g, a3-megagpu-8g; did you mean a3-highgpu-8g?"],
        ),
        ("p5.48xlarge", "", ["is 'p5.48xlarge'; with accelerator h100: a3-highgpu-8g, a3-megagpu-8g"]),
        (
            "a3-highgpu-1g",
            ", which is small",
            ["is 'a3-highgpu-1g', which is small; with accelerator h100: a3-highgpu-8g, a3-megagpu-8g"],
        ),
    ],
)
def test_a_machine_that_does_not_fit_is_told_with_those_that_do(
    named: str | None, why: str, problems: list[str]
) -> None:
    planning = reports(machine=named)
    plan_machine("gcp", "h100", TRAINING, FITTING, planning, why=why)
    assert told(planning.config_problems) == [f"machine {text}" for text in problems]

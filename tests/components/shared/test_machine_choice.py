"""The table of shapes: its rows agree with themselves, and the right one is chosen."""

from __future__ import annotations

import datetime

import pytest

from gpucluster.components.shared.machine_choice import elastic_shape, plan_machine, shape, shapes, training_shape
from gpucluster.components.spec.pools import Training
from gpucluster.core.catalog.machines import Machine
from tests.components.told import reports, told


@pytest.mark.parametrize("row", shapes(), ids=lambda row: row.machine_type)
def test_every_row_has_a_source_a_day_and_sizes_above_zero(row: Machine) -> None:
    assert row.source
    assert datetime.date.fromisoformat(row.as_of) <= datetime.date(2026, 12, 31)
    assert min(row.gpus, row.gpu_memory_mib, row.vcpus, row.memory_gib, row.host_gbps) > 0
    assert {row.fabric_gbps > 0, row.network_cards > 0, row.fabric != "none"} in ({True}, {False})
    assert (row.nvme_gb > 0) is (row.nvme_disks > 0)


def test_no_machine_type_stands_twice() -> None:
    keys = [(row.cloud, row.machine_type) for row in shapes()]
    assert len(keys) == len(set(keys))


def test_the_gpu_memory_of_an_accelerator_is_the_same_in_every_row_but_that_of_the_nvl() -> None:
    nvl = {"Standard_NC40ads_H100_v5", "Standard_NC80adis_H100_v5"}
    assert {row.gpu_memory_mib for row in shapes() if row.machine_type in nvl} == {94 * 1024}
    memory = {(row.accelerator, row.gpu_memory_mib) for row in shapes() if row.machine_type not in nvl}
    assert memory == {
        *(("h100", 81920), ("h200", 144384), ("a100-80gb", 81920), ("a100-40gb", 40960)),
        *(("b200", 183359), ("b300", 275040)),
    }


@pytest.mark.parametrize(
    ("cloud", "accelerator", "gbps", "expected"),
    [
        ("aws", "h100", 0, "p5.48xlarge"),
        ("aws", "h100", 1600, "p5.48xlarge"),
        ("aws", "h100", 6400, "p5.48xlarge"),
        ("aws", "h200", 1600, "p5en.48xlarge"),
        ("aws", "b200", 3200, "p6-b200.48xlarge"),
        ("aws", "b300", 0, "p6-b300.48xlarge"),
        ("aws", "a100-80gb", 400, "p4de.24xlarge"),
        ("aws", "a100-40gb", 0, "p4d.24xlarge"),
        ("gcp", "h100", 0, "a3-highgpu-8g"),
        ("gcp", "h100", 800, "a3-highgpu-8g"),
        ("gcp", "h100", 801, "a3-megagpu-8g"),
        ("gcp", "h100", 3200, "a3-megagpu-8g"),
        ("gcp", "h200", 0, "a3-ultragpu-8g"),
        ("gcp", "b200", 3200, "a4-highgpu-8g"),
        ("gcp", "a100-80gb", 400, "a2-ultragpu-8g"),
        ("gcp", "a100-40gb", 0, "a2-highgpu-8g"),
        ("azure", "h100", 0, "Standard_ND96isr_H100_v5"),
        ("azure", "h100", 6400, "Standard_ND96isr_H100_v5"),
        ("azure", "h200", 3200, "Standard_ND96isr_H200_v5"),
        ("azure", "a100-80gb", 400, "Standard_ND96amsr_A100_v4"),
        ("azure", "a100-40gb", 0, "Standard_ND96asr_v4"),
    ],
)
def test_training_takes_a_fabric_that_is_fast_enough_else_the_fastest(
    cloud: str, accelerator: str, gbps: int, expected: str
) -> None:
    assert training_shape(cloud, accelerator, gbps).machine_type == expected


def test_elastic_takes_the_smallest_machine_even_of_another_accelerator() -> None:
    found = [elastic_shape(cloud, kind).machine_type for cloud in ("aws", "gcp", "azure") for kind in ("h100", "h200")]
    assert found == [
        *("p5.4xlarge", "p5.4xlarge"),
        *("a3-highgpu-1g", "a3-highgpu-1g"),
        *("Standard_NC40ads_H100_v5", "Standard_NC40ads_H100_v5"),
    ]


def test_what_is_not_in_the_table_is_said() -> None:
    with pytest.raises(KeyError, match=r"p5\.47xlarge is not in the table of aws shapes"):
        shape("aws", "p5.47xlarge")
    with pytest.raises(KeyError, match="no 8-GPU machine with b200"):
        training_shape("azure", "b200", 0)


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

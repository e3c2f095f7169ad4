"""The table of shapes: its rows agree with themselves, and the right one is chosen."""

from __future__ import annotations

import datetime

import pytest

from components.shapes import Shape, elastic_shape, shape, shapes, training_shape


@pytest.mark.parametrize("row", shapes(), ids=lambda row: row.machine_type)
def test_every_row_has_a_source_a_day_and_sizes_above_zero(row: Shape) -> None:
    assert row.source
    assert datetime.date.fromisoformat(row.as_of) <= datetime.date(2026, 12, 31)
    sizes = (row.gpus, row.gpu_memory_mib, row.vcpus, row.memory_gib, row.nvme_gb, row.fabric_gbps, row.network_cards)
    assert min(sizes) > 0


def test_no_machine_type_stands_twice() -> None:
    keys = [(row.cloud, row.machine_type) for row in shapes()]
    assert len(keys) == len(set(keys))


def test_the_gpu_memory_of_an_accelerator_is_the_same_in_every_row() -> None:
    memory = {(row.accelerator, row.gpu_memory_mib) for row in shapes()}
    assert memory == {("h100", 81920), ("h200", 144384), ("a100-80gb", 81920), ("a100-40gb", 40960)}


@pytest.mark.parametrize(
    ("accelerator", "gbps", "expected"),
    [
        ("h100", 0, "p5.48xlarge"),
        ("h100", 1600, "p5.48xlarge"),
        ("h100", 6400, "p5.48xlarge"),
        ("h200", 1600, "p5en.48xlarge"),
        ("a100-80gb", 400, "p4de.24xlarge"),
        ("a100-40gb", 0, "p4d.24xlarge"),
    ],
)
def test_training_takes_a_fabric_that_is_fast_enough_else_the_fastest(
    accelerator: str, gbps: int, expected: str
) -> None:
    assert training_shape("aws", accelerator, gbps).machine_type == expected


def test_elastic_takes_the_smallest_machine_even_of_another_accelerator() -> None:
    found = [elastic_shape("aws", accelerator).machine_type for accelerator in ("h100", "h200")]
    assert found == ["p5.4xlarge", "p5.4xlarge"]


def test_what_is_not_in_the_table_is_said() -> None:
    with pytest.raises(KeyError, match=r"p5\.47xlarge is not in the table of aws shapes"):
        shape("aws", "p5.47xlarge")
    with pytest.raises(KeyError, match="no 8-GPU machine with b200"):
        training_shape("aws", "b200", 0)

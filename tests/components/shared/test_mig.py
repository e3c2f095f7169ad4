"""What pods of a sliced pool ask for, and what is said of it."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.planning.mig_layout import Strategy, layout_of
from gpucluster.components.shared.machine_choice import shape
from gpucluster.components.shared.mig import MigMachines, MigResources, report_mig, sliced
from gpucluster.components.spec.pools import Mig
from gpucluster.core.program.facts import Slices
from tests.components.told import reports


def notes(made: MigResources) -> list[str]:
    planning = reports()
    report_mig(Mig(nodes=1, layout="all-1g.10gb"), made, planning, "a: b")
    return planning.notes


def pool(text: str, strategy: Strategy) -> MigResources:
    return MigResources(layout=layout_of(text, "h100"), gpu="h100", gpus=8, strategy=strategy)


@pytest.mark.parametrize(
    ("text", "strategy", "resources", "said"),
    [
        ("7x1g.10gb", "single", {"nvidia.com/gpu": 56}, "56 x nvidia.com/gpu"),
        ("7x1g.10gb", "mixed", {"nvidia.com/mig-1g.10gb": 56}, "56 x nvidia.com/mig-1g.10gb"),
        (
            "4g.40gb+3g.40gb",
            "mixed",
            {"nvidia.com/mig-3g.40gb": 8, "nvidia.com/mig-4g.40gb": 8},
            "8 x nvidia.com/mig-3g.40gb, 8 x nvidia.com/mig-4g.40gb",
        ),
    ],
)
def test_a_pool_has_so_many_of_each_resource(
    text: str, strategy: Strategy, resources: dict[str, int], said: str
) -> None:
    made = pool(text, strategy)
    assert made.resources == resources
    assert notes(made) == [f"MIG pool: {said}; pods select a: b, because whole GPUs and slices have the same name"]


def test_what_nothing_uses_is_said_where_another_layout_would_use_it() -> None:
    assert notes(pool("1x4g.40gb", "single"))[1:] == [
        "MIG pool: nothing uses 3 of 7 compute slices and 4 of 8 memory slices of each GPU"
    ]
    assert notes(pool("2x3g.40gb", "single"))[1:] == ["MIG pool: nothing uses 1 of 7 compute slices of each GPU"]


def test_the_cost_of_a_pool_is_shared_by_memory() -> None:
    assert pool("all-balanced", "mixed").shares == (
        Slices(size="1g.10gb", count=Decimal(16), eighths=Decimal(1)),
        Slices(size="2g.20gb", count=Decimal(8), eighths=Decimal(2)),
        Slices(size="3g.40gb", count=Decimal(8), eighths=Decimal(4)),
    )


@pytest.mark.parametrize(
    ("cloud", "machine", "told"),
    [
        ("aws", "p5.4xlarge", "16 x p5.4xlarge: 112 x 1g.10gb"),
        ("gcp", "a3-highgpu-8g", "2 x a3-highgpu-8g: 112 x 1g.10gb"),
        ("azure", "Standard_NC80adis_H100_v5", "8 x Standard_NC80adis_H100_v5: 112 x 1g.12gb"),
    ],
)
def test_smaller_machines_have_the_gpus_of_the_nodes_that_are_asked_for(cloud: str, machine: str, told: str) -> None:
    of = shape(cloud, machine)
    nodes, made = sliced(Mig(nodes=2, layout="all-1g.10gb"), "h100", of)
    assert str(MigMachines(shape=of, nodes=nodes, pool=made)) == told

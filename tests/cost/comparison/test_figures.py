"""Figures beside the money, recomputed by hand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.comparison import Column, compare
from gpucluster.cost.comparison.figures import Ask, Figures, figures_of, per_1000_tflops
from gpucluster.cost.pricing.transfer import Egress

MakeColumn = Callable[..., Column]


def _figures(column: Column, book: PriceBook, **ask: object) -> Figures:
    found = figures_of(column.estimate, book, Ask(**ask))  # pyright: ignore[reportArgumentType]
    assert found is not None
    return found


@pytest.mark.parametrize(("hourly", "tflops", "printed"), [("87.83", "7120", "12.336"), ("32.77", "2200", "14.895")])
def test_dollars_an_hour_for_1000_tf32_tflops(hourly: str, tflops: str, printed: str) -> None:
    """An essay prints 12.34, which is rounded, and 14.89, which is cut: three decimals agree with both."""
    assert f"{per_1000_tflops(Decimal(hourly), Decimal(tflops)):.3f}" == printed


def test_the_figures_of_the_trial_on_aws(column: MakeColumn, book: PriceBook) -> None:
    found = _figures(column("aws"), book)
    assert (found.machine, found.nodes, found.usd_per_gpu_hour) == ("p5.48xlarge", 5, Decimal("6.88"))
    assert found.per_1000_tflops == Decimal("55.04") / (8 * 989) * 1000
    assert found.tonnes == 5 * 10 * Decimal("1.135") * 8760 * Decimal("0.379069") / 1000
    assert (found.days, found.moved, found.flow) == (None, None, None)


def test_other_inputs_go_before_what_is_known(column: MakeColumn, book: PriceBook) -> None:
    plain = _figures(column("gcp"), book)
    found = _figures(column("gcp"), book, kw_per_node=Decimal(5), tflops=(("h100", Decimal(890)),))
    assert plain.tonnes is not None
    assert found.tonnes == plain.tonnes / 2
    assert found.per_1000_tflops == Decimal("93.40") / 7120 * 1000


def test_a_data_set_takes_days_and_dollars(column: MakeColumn, book: PriceBook) -> None:
    found = _figures(column("gcp"), book, dataset_tb=Decimal(108), gbps=Decimal(10), flow_gbps=Decimal(100),
                     usd_per_gb=Decimal("0.05"))  # fmt: skip
    assert found.days == 1
    assert isinstance(found.moved, Egress)
    assert isinstance(found.flow, Egress)
    assert (found.moved.usd, found.flow.usd) == (5400, 1_620_000)


def test_machines_of_another_form_have_neither_power_nor_tflops(make: Callable[..., Resource], book: PriceBook) -> None:
    single = make("aws:ec2/instance:Instance", "one", instanceType="p5.4xlarge")
    found = figures_of(estimate(Resources([single], default_regions={"aws": "us-east-1"}), book), book, Ask())
    assert found is not None
    assert (found.usd_per_gpu_hour, found.per_1000_tflops, found.tonnes) == (Decimal("6.88"), None, None)


def test_a_stack_without_gpus_has_no_figures(make: Callable[..., Resource], column: MakeColumn) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    plain = column("aws", title="plain")
    empty = column("aws", title="empty", nodes=0, more=[disk])
    found = compare([plain, empty])
    assert [row.cells[1] for row in found.figure_rows] == ["not known", "not known", "0"]


def test_machines_in_capacity_bought_elsewhere_count_at_list_price(column: MakeColumn, book: PriceBook,
                                                                   make: Callable[..., Resource]) -> None:  # fmt: skip
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "lt", instanceType="p5.48xlarge",
                    capacityReservationSpecification={"capacityReservationTarget": {"capacityReservationId": "cr-1"}},
                    blockDeviceMappings=[])  # fmt: skip
    held = make("aws:eks/nodeGroup:NodeGroup", "held", scalingConfig={"desiredSize": 3},
                launchTemplate={"id": "lt"}, dependencies={"launchTemplate": template})  # fmt: skip
    found = _figures(column("aws", more=[template, held]), book)
    assert (found.nodes, found.usd_per_gpu_hour) == (8, Decimal("6.88"))


def test_each_machine_counts_once_and_bears_what_is_idle_beside_it(make: Callable[..., Resource],
                                                                   book: PriceBook) -> None:  # fmt: skip
    def figures(market: str, *reservations: Resource) -> Figures | None:
        target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
        options = {"instanceMarketOptions": {"marketType": market}}
        named = dict(zip(["capacityReservationSpecification"], reservations, strict=False))
        machines = [make("aws:ec2/instance:Instance", f"m{number}", instanceType="p5.48xlarge", dependencies=named,
                         capacityReservationSpecification=target, **options) for number in range(3)]  # fmt: skip
        return figures_of(
            estimate(Resources([*reservations, *machines], default_regions={"aws": "us-east-1"}), book), book, Ask()
        )

    own = make("aws:ec2/capacityReservation:CapacityReservation", "own", instanceType="p5.48xlarge", instanceCount=3)
    in_own, in_block = figures("on-demand", own), figures("capacity-block")
    assert in_own is not None
    assert in_block is not None
    assert (in_own.nodes, in_own.usd_per_gpu_hour) == (3, Decimal("6.88"))
    assert (in_block.nodes, round(in_block.usd_per_gpu_hour or 0, 6)) == (
        3,
        round(Decimal("5.191") * 4 / 3, 6),
    )  # a block of 4

"""What machines cost an hour: at the stack's own prices, and only where they are known."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from gpucluster.cost.estimate.estimate import Coverage, Estimate
from gpucluster.cost.estimate.stack_facts import StackFacts
from gpucluster.cost.pricing.model import CostLine, Part
from gpucluster.operate.rehearse.outcome import Place
from gpucluster.operate.rehearse.report import Machines, machines_of
from tests.gpucluster.operate.rehearse.objects import node
from tests.says import Says

HOURS = Decimal(730)
LINE = CostLine(
    urn="u",
    part="training",
    name="5 x p5.48xlarge on demand",
    quantity=5 * HOURS,
    unit="instance-hour",
    unit_price=Decimal("55.04"),
    region="us-east-1",
    purchase="on_demand",
    source="a list",
    as_of="2026-10-10",
    confidence="high",
    floor=5 * HOURS,
    ceiling=5 * HOURS,
    provider="aws",
    sku="p5.48xlarge",
)
ELASTIC = replace(LINE, sku="p5.4xlarge", floor=Decimal(0), unit_price=Decimal("6.88"))


def _found(places: list[tuple[str | None, int]], nodes: list[dict[str, Any]], *lines: CostLine) -> list[Machines]:
    made = [Place(pod="p", node=name, waits="", gpus=gpus, slices="") for name, gpus in places]
    estimate = Estimate(
        parts=(Part("training", lines, True),),
        free=(),
        not_priced=(),
        coverage=Coverage(1, 0, 0),
        facts=StackFacts(),
        names={},
    )
    return [*machines_of(made, {it["metadata"]["name"]: it for it in nodes}, estimate)]


def test_whole_machines_count_even_where_a_job_takes_a_part_of_them() -> None:
    nodes = [node("a", "p5.48xlarge"), node("b", "p5.48xlarge"), node("c", "m7i.xlarge", gpus=0)]
    (found,) = _found([("a", 8), ("b", 2), ("b", 2), ("c", 0), (None, 8)], nodes, LINE)
    assert found == Machines(
        machine_type="p5.48xlarge",
        count=2,
        gpus=12,
        all_gpus=16,
        purchase="on_demand",
        each=Decimal("55.04"),
        source="a list",
        as_of="2026-10-10",
    )
    assert found.hourly == Decimal("110.08")


def test_a_machine_of_karpenter_has_the_price_of_the_way_it_was_bought() -> None:
    (found,) = _found([("a", 1)], [node("a", "p5.4xlarge", gpus=1, bought="on-demand")], ELASTIC)
    assert (found.purchase, found.each, found.elastic) == ("on_demand", Decimal("6.88"), True)


def test_what_the_report_does_not_price_is_unknown_and_never_zero() -> None:
    (found,) = _found([("a", 8)], [node("a", "p6-b200.48xlarge")], LINE)
    assert (found.each, found.hourly, found.unknown) == (None, None, Says("no", "price", "p6-b200.48xlarge"))


def test_machines_that_are_bought_in_several_ways_have_no_one_price() -> None:
    reserved = replace(LINE, purchase="reserved", term="1y", unit_price=Decimal(40))
    (found,) = _found([("a", 8)], [node("a", "p5.48xlarge")], LINE, reserved)
    assert found.unknown == Says("p5.48xlarge", "on_demand")


def test_machines_in_a_reservation_are_billed_there() -> None:
    inside = replace(LINE, unit_price=Decimal(0), paid_by="capacity block cr-1")
    (found,) = _found([("a", 8)], [node("a", "p5.48xlarge")], inside)
    assert (found.each, found.unknown) == (None, Says("billed", "capacity", "cr-1", "not"))

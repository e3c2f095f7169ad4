"""Lost hours, by records of replaced nodes, and their price, by a plan."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.program.readers.files import read_file
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.errors import InputError
from gpucluster.operate.acceptance.measurements import Replacement
from gpucluster.operate.acceptance.verdicts.goodput import Hour, hour_of, judge_goodput, lost_of
from tests.says import Says

PLAN = Path(__file__).parents[3] / "core/program/recordings/plan.json"
START = datetime(2026, 11, 3, tzinfo=UTC)
PRICE = Hour(usd=Decimal("280.99"), at_least=False, of="plan.json")


def waited(begin: float, end: float) -> Replacement:
    asked, ready = (START + timedelta(hours=hours) for hours in (begin, end))
    return Replacement(log="a.json", line=1, node="node-a", hours=end - begin, asked=asked, ready=ready)


@pytest.mark.parametrize(
    ("waits", "spares", "lost"),
    [
        ([(0, 3.25)], 0, "3.25"),
        ([(0, 3.25)], 1, "0"),
        ([(0, 4), (2, 6)], 0, "6"),
        ([(0, 4), (2, 6)], 1, "2"),
        ([(0, 4), (4, 6)], 1, "0"),
        ([(0, 4), (10, 12)], 0, "6"),
        ([(0, 4), (1, 4), (2, 4)], 1, "3"),
    ],
)
def test_hours_are_lost_while_more_nodes_are_waited_for_than_there_are_spares(
    waits: list[tuple[float, float]], spares: int, lost: str
) -> None:
    found = lost_of([waited(*wait) for wait in waits], hours=None, spares=spares, price=None)

    assert found is not None
    assert found.lost_hours == Decimal(lost)


def test_goodput_is_the_share_that_was_not_lost_and_money_is_exact() -> None:
    found = lost_of([waited(0, 3.25)], hours=Decimal(720), spares=0, price=PRICE)

    assert found is not None
    assert (found.goodput, found.hour_usd, found.lost_usd) == (Decimal("0.9955"), Decimal("280.99"), Decimal("913.22"))
    (verdict,) = judge_goodput(found, PRICE, records=1, spares=0)
    assert (verdict.check, verdict.outcome, verdict.measured) == ("goodput", "measured", "99.55% of 720 h")
    assert verdict.why == Says("3.25", "$280.99", "plan.json", "$913.22", "checkpoint")


def test_a_price_alone_says_what_an_hour_costs() -> None:
    price = Hour(usd=Decimal("280.99"), at_least=True, of="plan.json")
    (verdict,) = judge_goodput(lost_of([], hours=None, spares=0, price=price), price, records=0, spares=0)

    assert (verdict.check, verdict.measured) == ("lost hour", "at least $280.99")


def test_without_records_period_and_price_nothing_is_said() -> None:
    assert [*judge_goodput(lost_of([], hours=None, spares=0, price=None), None, records=0, spares=0)] == []


def test_more_lost_hours_than_the_period_has_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        lost_of([waited(0, 3)], hours=Decimal(2), spares=0, price=None)

    assert str(refused.value) == Says("--hours", "2", "3.00")


def test_an_hour_is_the_training_of_the_plan_by_its_running_hours() -> None:
    text = PLAN.read_text()
    whole = estimate(read_file(text, "plan.json").resources)

    found = hour_of(text, "plan.json")

    per_gpu = whole.per_training_gpu_hour
    assert per_gpu is not None and whole.facts.training_gpus
    assert abs(found.usd - per_gpu * whole.facts.training_gpus) < Decimal("0.01") * whole.facts.training_gpus


def test_a_plan_without_training_has_no_hour() -> None:
    with pytest.raises(InputError, match="no priced GPU machines"):
        hour_of('{"steps": []}', "empty.json")

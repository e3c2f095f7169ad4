"""Answers: which clusters, in which order, and why others are none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.money import money
from gpucluster.operate.quote.candidates import candidates
from gpucluster.operate.quote.market import purchase_options_of
from gpucluster.operate.quote.quotes import Answer
from gpucluster.operate.quote.spec_values import budget_of, spec_text, spec_values
from gpucluster.operate.quote.text import Numbered, cells, empty, heading, left_out, numbered, sections
from tests.gpucluster.operate.quote.conftest import asked
from tests.says import Says

Ask = Callable[..., Answer]

COMPUTE, INSTANCE = "Compute savings plan 1y", "EC2 Instance savings plan 1y"


def test_the_home_region_answers_by_every_way_that_has_a_price(home: Answer) -> None:
    ways = {quote.candidate.way.words for quote in home.quotes}
    assert {"on demand", "reservation", "capacity block"} <= ways
    assert {quote.candidate.place["zone"] for quote in home.quotes} == {"use1-az1"}
    totals = [quote.most for quote in home.quotes]
    assert totals == sorted(totals)


def test_a_total_is_placed_by_the_most_of_its_bound_and_one_without_bound_comes_last(ask: Ask) -> None:
    found = ask(gpus="64", lasting="30d")
    known = [(quote.gap.known == "unknown", quote.most) for quote in found.quotes]
    assert known == sorted(known)
    for quote in found.quotes:
        assert (quote.total < quote.most) == (quote.gap.missing > quote.gap.open)


def test_a_gpu_hour_is_the_total_by_gpus_and_hours_asked(home: Answer) -> None:
    for quote in home.quotes:
        assert abs(quote.per_gpu_hour - quote.total / 64 / 720) <= Decimal("0.005")


def test_spares_storage_control_plane_network_and_metrics_are_in_it(home: Answer) -> None:
    first = next(quote for quote in home.quotes if not quote.candidate.fewer_spares)
    parts = {part.name for part in first.estimate.parts}
    wanted = {"training", "storage", "system", "control-plane", "network", "monitoring"}
    assert {f"trial-{name}" for name in wanted} <= parts
    assert first.candidate.plan.training.spares == 1


@pytest.mark.parametrize(
    ("cloud", "nodes", "sizes"), [("aws", 64, None), ("aws", 81, [64, 16, 1]), ("azure", 65, None)]
)
def test_nodes_beyond_one_block_of_ec2_are_in_several_without_idle_machines(
    cloud: str, nodes: int, sizes: list[int] | None
) -> None:
    way = next(way for way in purchase_options_of(cloud) if way.sized)
    question = asked(gpus=str(8 * nodes), lasting="14d", spares="0")
    placement = spec_values(question, "h100", way)["placement"]
    assert ([*placement["blocks"].values()] if placement["kind"] == "blocks" else None) == sizes


def test_a_block_that_the_default_spare_doubles_is_quoted_with_and_without_it(home: Answer) -> None:
    rows = {one.quote.candidate.words: one for one in numbered(home, len(home.quotes))}
    spare, none = rows["capacity block"], rows["capacity block, no spare"]
    assert [row.quote.candidate.plan.training.spares for row in (spare, none)] == [1, 0]
    blocks = [row.quote.block for row in (spare, none)]
    assert [(line.machines, line.idle) for line in blocks if line] == [(16, 7 * 730), (8, 0)]
    fees = [row.quote.estimate.upfront for row in (spare, none)]
    assert fees[0] == 2 * fees[1]
    assert none.number < spare.number
    said = dict(sections([spare]))["Known problems"]
    assert said == [Says(f"{spare.number}:", "1 spare", "16", "7 stay idle", money(fees[0]), money(fees[1]))]
    assert heading(home) == Says("8 nodes", "1 spare")


def test_a_block_of_azure_is_quoted_without_the_spare_too(ask: Ask) -> None:
    found = ask(gpus="32", lasting="14d", clouds="azure", regions="eastus")
    rows = [one for one in numbered(found, 9) if one.quote.block]
    assert [row.quote.candidate.words for row in rows] == ["capacity block, no spare", "capacity block"]
    assert [row.quote.block.machines for row in rows if row.quote.block] == [4, 8]


def test_stated_spares_are_quoted_alone_and_their_block_is_explained(ask: Ask) -> None:
    found = ask(gpus="32", lasting="14d", spares="1", clouds="aws", regions="us-east-1")
    rows = [one for one in numbered(found, 9) if one.quote.block]
    assert [row.quote.candidate.words for row in rows] == ["capacity block"]
    assert dict(sections(rows))["Known problems"] == [Says("block of 8", "3 stay idle", "block of 4")]


def test_spares_that_fit_into_the_block_are_quoted_as_asked(ask: Ask) -> None:
    found = ask(gpus="56", lasting="14d", clouds="aws", regions="us-east-1")  # 7 nodes and a spare: a block of 8
    rows = [one for one in numbered(found, 9) if one.quote.block]
    assert [row.quote.candidate.words for row in rows] == ["capacity block"]
    assert "Known problems" not in dict(sections(rows))


def test_spot_and_commitments_longer_than_asked_are_left_out_with_the_reason(home: Answer) -> None:
    said = "\n".join(left_out(home))
    assert said == Says("purchase.kind", "spot", "co-located")
    assert said == Says("3y", "3", "365")


def test_a_commitment_is_quoted_for_the_time_it_binds(ask: Ask) -> None:
    found = ask(gpus="64", lasting="1y", clouds="gcp", regions="us-central1")
    mega = [quote for quote in found.quotes if quote.candidate.machine.machine_type == "a3-megagpu-8g"]
    by_way = {quote.candidate.way.words: quote.total for quote in mega}
    assert by_way["committed use 1y"] < by_way["on demand"]
    assert "committed use 3y" not in by_way


def test_a_block_is_none_for_longer_than_it_lasts(ask: Ask) -> None:
    found = ask(gpus="64", lasting="1y", clouds="aws", regions="us-east-1")
    assert "capacity block" not in {quote.candidate.way.words for quote in found.quotes}
    assert "1 x capacity block: lasts at most 182 days" in left_out(found)


def test_a_place_is_left_out_once_whatever_the_spares_of_a_block(ask: Ask) -> None:
    found = ask(gpus="32", lasting="14d", clouds="aws", regions="us-east-1,eu-north-1", budget="1000")
    [(refusal, places)] = [
        (refusal, places)
        for refusal, places in found.refused.items()
        if refusal.way == "capacity block" and "budget" in refusal.why
    ]
    assert (refusal.machine, places) == ("p5.48xlarge", 2)


def test_a_machine_whose_price_is_bounded_is_an_answer_that_says_so(ask: Ask) -> None:
    found = ask(gpus="512", lasting="1y", clouds="aws", regions="ap-southeast-2,us-east-1")
    bounded = {(q.candidate.place["region"], q.candidate.way.words): q for q in found.quotes if q.machine_bound}
    assert set(bounded) == {
        ("ap-southeast-2", "on demand"), ("ap-southeast-2", "reservation"), ("ap-southeast-2", COMPUTE),
        ("ap-southeast-2", INSTANCE), ("us-east-1", COMPUTE), ("us-east-1", INSTANCE),
    }  # fmt: skip
    assert [q.candidate.way.words for q in found.quotes if q.candidate.place["region"] == "us-east-1"] == [
        "on demand", "reservation", COMPUTE, INSTANCE,
    ]  # fmt: skip
    assert "no price is known" not in "\n".join(left_out(found))
    for way, (least, most_off) in {COMPUTE: ("34%", "66%"), INSTANCE: ("28%", "72%")}.items():
        of_the_way = bounded["us-east-1", way]
        assert of_the_way.machine_bound == Says("at most on demand in us-east-1, $55.04", least, most_off)
        share = Decimal(least.removesuffix("%")) / 100
        machines = sum(line.quantity for line in of_the_way.machines)
        low = of_the_way.gap.low(of_the_way.total) - of_the_way.total
        assert low == pytest.approx(machines * Decimal("55.04") * share * 12, rel=Decimal("0.01"))
    on_demand = bounded["ap-southeast-2", "on demand"]
    assert on_demand.machine_bound == Says("by p5.4xlarge, $8.944 in ap-southeast-2", "8", "1.02")
    for quote in bounded.values():
        assert (quote.gap.known, quote.high < Decimal("0.1")) == ("bounded", True)
        assert quote.total < quote.gap.low(quote.total) or quote.candidate.way.term
        assert cells(Numbered(1, quote))[2].count("$") == 2
        assert [bool(date) for date, _ in quote.machine_prices] == [True]
        assert cells(Numbered(1, quote))[5] == quote.machine_prices[0][0]
    against = dict(sections([Numbered(1, on_demand)]))["Known problems"]
    assert f"1: p5.48xlarge on demand: no price of its own here; bounded {on_demand.machine_bound}" in against


def test_a_share_of_high_confidence_reads_100_where_nothing_else_is_in_it_alone(ask: Ask) -> None:
    found = ask(gpus="512", lasting="1y", clouds="aws", regions="us-east-1,us-east-2")
    shown = {int(cells(Numbered(1, quote))[4][:-1]) for quote in found.quotes}
    assert 99 in shown
    for quote in found.quotes:
        of = quote.estimate.by_confidence
        all_high = not quote.gap.missing and of["high"] == quote.estimate.monthly.expected
        assert (cells(Numbered(1, quote))[4] == "100%") == all_high


def test_less_fabric_than_asked_is_lost(ask: Ask) -> None:
    found = ask(gpus="64", lasting="30d", fabric="1600", clouds="gcp", regions="us-central1")
    lost = {quote.candidate.machine.machine_type: quote.candidate.plan.facts.losses for quote in found.quotes}
    assert lost == {
        "a3-highgpu-8g": (
            Says("GPU", "1,600", "Gb/s", "800", "a3-highgpu-8g", "RoCE", "3,200", "Gb/s", "H200", "a3-ultragpu-8g"),
        ),
        "a3-megagpu-8g": (),
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"clouds": "aws", "regions": "africa"}, "no table has a machine of 8 x H100 of aws in --regions africa"),
        ({"clouds": "aws", "regions": "us-east-1", "budget": "1000"}, "--budget $1,000.00 excludes all; the cheapest"),
    ],
)
def test_an_empty_answer_says_which_condition_left_nothing(ask: Ask, given: dict[str, str], said: str) -> None:
    found = ask(gpus="64", lasting="30d", **given)
    assert found.quotes == ()
    assert said in empty(found)


def test_a_budget_leaves_out_what_costs_more(ask: Ask, home: Answer) -> None:
    most = home.quotes[0].total
    found = ask(gpus="64", lasting="30d", clouds="aws", regions="us-east-1", budget=f"{most}")
    assert {quote.total for quote in found.quotes} == {most}


def test_no_words_at_all_leave_out_other_contracts() -> None:
    everywhere = {one.place["region"] for one in candidates(asked(gpus="8", lasting="1d"), PriceBook()).found}
    assert "us-gov-west-1" not in everywhere
    gov = candidates(asked(gpus="8", lasting="1d", regions="us-gov"), PriceBook()).found
    assert {one.place["region"] for one in gov} == {"us-gov-west-1"}


def test_the_budget_of_a_written_spec_holds_what_it_is_expected_to_cost(home: Answer) -> None:
    values = home.quotes[0].candidate.values
    text = spec_text(values, budget_of(Decimal("1000.01")), ["a", "b"])
    assert text.startswith("# a\n# b\nname: trial\n")
    assert "monthly_usd: 2000\n  on_exceed: fail\n" in text
    assert json.dumps(values) == json.dumps(home.quotes[0].candidate.values)


@pytest.mark.slow
def test_20_sampled_quotes_cost_what_the_programs_of_their_stacks_do() -> None:
    """To the cent, with the same bounds; a process of its own, since each runs a program."""
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-m", "tests.gpucluster.operate.quote.sampled"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "20 aws azure gcp\n"

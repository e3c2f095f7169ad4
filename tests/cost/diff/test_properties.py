"""What holds for any two estimates: the difference of the totals is the sum of everything that is shown."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate
from gpucluster.cost.diff import Change, Revision, diff
from gpucluster.cost.diff.diff import change_of
from gpucluster.cost.documents.diff.diff_json import diff_json
from gpucluster.cost.estimate.estimate import Coverage
from gpucluster.cost.estimate.stack_facts import StackFacts
from gpucluster.cost.pricing.model import UNBOUNDED, Amounts, CostLine, NotPriced, Part


def side_of_lines(lines: Iterable[CostLine], not_priced: Iterable[NotPriced] = ()) -> Revision:
    """A side that holds these lines, in their parts, and resources without a price."""
    given = list(lines)
    names = dict.fromkeys(line.part for line in given)
    parts = tuple(Part(name, tuple(line for line in given if line.part == name)) for name in names)
    missing = tuple(not_priced)
    found = Estimate(
        parts=parts, free=(), not_priced=missing, coverage=Coverage(len(given), 0, 0), facts=StackFacts(), names={}
    )
    return Revision("lines", found, Resources(_resource(item) for item in missing), "dev")


def _resource(item: NotPriced) -> Resource:
    """Its reason stands for its inputs."""
    return Resource(urn=item.urn, type=item.type, name="it", inputs={"what": item.reason})


QUANTITIES = st.decimals(min_value=0, max_value=10_000, places=3)
PRICES = st.decimals(min_value=0, max_value=200, places=5)


@st.composite
def lines(draw: st.DrawFn) -> CostLine:
    name = draw(st.sampled_from(["a", "b", "c"]))
    quantity = draw(QUANTITIES)
    autoscaled = draw(st.booleans())
    return CostLine(
        urn=f"urn:pulumi:dev::test::aws:ebs/volume:Volume::{name}",
        part=draw(st.sampled_from(["training", "storage"])),
        name=draw(st.sampled_from(["2 x machine", "3 x machine", "disks", "disks: IOPS"])),
        quantity=quantity,
        unit=draw(st.sampled_from(["hour", "GiB-month"])),
        unit_price=draw(PRICES),
        region="us-east-1",
        purchase="on_demand",
        source="test",
        as_of="2026-10-10",
        confidence="high",
        floor=draw(QUANTITIES) if autoscaled else quantity,
        ceiling=draw(QUANTITIES | st.just(UNBOUNDED)) if autoscaled else quantity,  # pyright: ignore[reportArgumentType]
    )


def _not_priced(name: str, part: str, reason: str) -> NotPriced:
    return NotPriced(f"urn:pulumi:dev::test::aws:ebs/volume:Volume::{name}", "aws:ebs/volume:Volume", part, reason)


PRICED = st.lists(lines(), max_size=12)
SIDES = PRICED.map(side_of_lines)
UNPRICED = st.builds(_not_priced, *map(st.sampled_from, ("abcd", ["training", "storage", "new"], ["no row", "gone"])))
OPEN_SIDES = st.builds(side_of_lines, PRICED, st.lists(UNPRICED, max_size=4, unique_by=lambda item: item.urn))


@settings(max_examples=60, deadline=None)
@given(SIDES, SIDES)
def test_the_change_is_the_difference_of_the_two_reports(old: Revision, new: Revision) -> None:
    found = diff(old, new)
    before, after = old.estimate.monthly, new.estimate.monthly
    assert found.change.exact == after.expected - before.expected
    assert sum((line.change or Decimal(0) for line in found.changed), Decimal(0)) == found.change.exact
    shown = diff_json(found).model_dump()["monthly"]["change"]
    ceiling = change_of(before.ceiling, after.ceiling)
    assert shown == {
        "floor": f"{after.floor - before.floor:f}",
        "expected": f"{after.expected - before.expected:f}",
        "ceiling": None if ceiling is None else f"{ceiling:f}",
    }


@settings(max_examples=200, deadline=None)
@given(OPEN_SIDES, OPEN_SIDES, st.data())
def test_whatever_has_no_price_costs_the_change_is_within_its_bounds(
    old: Revision, new: Revision, data: st.DataObject
) -> None:
    found = diff(old, new)
    hidden: dict[NotPriced, Decimal] = {}

    def true(side: Revision) -> Decimal:
        for item in side.estimate.not_priced:
            if item not in hidden:
                hidden[item] = data.draw(QUANTITIES)
        return side.estimate.monthly.expected + sum(hidden[item] for item in side.estimate.not_priced)

    change = true(new) - true(old)
    told = found.change
    assert told.at_least is None or told.at_least <= change
    assert told.at_most is None or told.at_most >= change
    assert told.exact is None or told.exact == change
    assert {"more": change > 0, "less": change < 0, "the same": change == 0, "cannot tell": True}[told.direction]


@settings(max_examples=60, deadline=None)
@given(OPEN_SIDES, OPEN_SIDES)
def test_lines_sum_to_resources_these_to_parts_and_these_to_the_totals(old: Revision, new: Revision) -> None:
    found = diff(old, new)
    for side, amounts in ((old, [part.before for part in found.parts]), (new, [part.after for part in found.parts])):
        assert {part.name: part.monthly for part in side.estimate.parts} == {
            part.name: amount for part, amount in zip(found.parts, amounts, strict=True) if amount != Amounts()
        } | {part.name: Amounts() for part in side.estimate.parts if part.monthly == Amounts()}
        assert sum((amount.expected for amount in amounts), Decimal(0)) == side.estimate.monthly.expected
        assert sum((amount.floor for amount in amounts), Decimal(0)) == side.estimate.monthly.floor
    for part in found.parts:
        together = Change.of(item.change for item in part.resources)
        assert (together.known, together.comparable) == (part.change.known, part.change.comparable)
        assert [sum((line.change or Decimal(0) for line in item.lines), Decimal(0)) for item in part.resources] == [
            item.change.comparable for item in part.resources
        ]


@settings(max_examples=40, deadline=None)
@given(OPEN_SIDES, OPEN_SIDES)
def test_every_line_of_either_side_is_there_once(old: Revision, new: Revision) -> None:
    found = [line for part in diff(old, new).parts for line in part.lines]
    for side, shown in ((old, [line.before for line in found]), (new, [line.after for line in found])):
        assert sorted(map(repr, filter(None, shown))) == sorted(map(repr, side.estimate.lines))


@settings(max_examples=40, deadline=None)
@given(OPEN_SIDES, OPEN_SIDES)
def test_the_other_way_round_every_change_has_the_other_sign(old: Revision, new: Revision) -> None:
    def turned(change: Change) -> Change:
        return Change(-change.known, -change.comparable, change.after, change.before)

    there, back = diff(old, new), diff(new, old)
    assert there.change == turned(back.change)
    assert {part.name: part.change for part in there.parts} == {part.name: turned(part.change) for part in back.parts}


@settings(max_examples=30, deadline=None)
@given(OPEN_SIDES)
def test_nothing_changes_between_a_report_and_itself(side: Revision) -> None:
    found = diff(side, side)
    assert (found.changed, found.change.exact, found.losses, found.moves) == ((), Decimal(0), (), False)

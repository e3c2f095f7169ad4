"""What changes between two sides: lines in pairs, parts, and what has no price."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.program.resources import Resource
from gpucluster.cost.diff import Change, Diff, Revision, diff
from gpucluster.cost.documents.diff.diff_text import answer, total_rows
from gpucluster.cost.prices import Bound
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from tests.cost.conftest import NOWHERE
from tests.says import Says

Make = Callable[..., Resource]
MakeSide = Callable[..., Revision]
NODES, VOLUME = "aws:eks/nodeGroup:NodeGroup", "aws:ebs/volume:Volume"
UNKNOWN_TYPE = "aws:timestreamwrite/database:Database"


def _nodes(make: Make, count: int, machine: str = "p5.48xlarge", **more: object) -> Resource:
    return make(NODES, "nodes", instanceTypes=[machine], scalingConfig={"desiredSize": count}, diskSize=500, **more)


def _rows(found: Diff) -> list[tuple[str, str, str, str]]:
    return [(line.kind, line.resource, line.name, f"{line.change}") for line in found.changed]


def test_a_pool_that_grows_is_a_changed_line_for_machines_and_one_for_disks(make: Make, side: MakeSide) -> None:
    found = diff(side(_nodes(make, 5)), side(_nodes(make, 7)))
    assert _rows(found) == [
        ("changed", "nodes", Says("5", "p5.48xlarge", "->", "7", "p5.48xlarge"), "80358.40"),
        ("changed", "nodes", "root disks, gp3", "80.00"),
    ]
    assert (found.before.expected, found.after.expected) == (Decimal("201096.00"), Decimal("281534.40"))


def test_another_machine_type_is_the_same_line(make: Make, side: MakeSide) -> None:
    found = diff(side(_nodes(make, 1)), side(_nodes(make, 1, "p5en.48xlarge")))
    assert _rows(found) == [("changed", "nodes", Says("1", "p5.48xlarge", "->", "1", "p5en.48xlarge"), "6026.88")]


def test_what_comes_and_goes_is_added_and_removed(make: Make, side: MakeSide) -> None:
    one, two = (make(VOLUME, name, type="gp3", size=100) for name in ("one", "two"))
    assert _rows(diff(side(one), side(two))) == [
        ("removed", "one", "volume, gp3", "-8.00"),
        ("added", "two", "volume, gp3", "8.00"),
    ]


def test_stacks_of_one_program_are_compared_by_the_names_in_it(make: Make, side: MakeSide) -> None:
    here = make(VOLUME, "disk", type="gp3", size=100)
    there = replace(here, urn=here.urn.replace("pulumi:dev::test", "pulumi:production::test"))
    assert _rows(diff(side(here), side(there))) == []


def test_usage_that_is_taken_as_zero_is_no_change(make: Make, side: MakeSide) -> None:
    found = diff(side(), side(make("aws:sqs/queue:Queue", "queue")))
    assert _rows(found) == []


def test_a_resource_that_moves_leaves_one_part_and_enters_the_other(make: Make, side: MakeSide) -> None:
    first, second = (make("x:y:Part", name, custom=False) for name in ("first", "second"))
    found = diff(
        side(first, second, make(VOLUME, "disk", type="gp3", size=100, parent=first)),
        side(first, second, make(VOLUME, "disk", type="gp3", size=100, parent=second)),
    )
    assert [(part.name, part.change.exact) for part in found.parts] == [
        ("first", Decimal("-8.00")),
        ("second", Decimal("8.00")),
    ]
    assert found.change.exact == 0


def test_a_machine_that_loses_its_price_is_neither_cheaper_nor_dearer(make: Make, side: MakeSide) -> None:
    priced, unpriced = side(_nodes(make, 5)), side(_nodes(make, 5, "p5e.48xlarge"))
    found = diff(priced, unpriced)
    assert _rows(found) == [
        ("price lost", "nodes", "5 x p5.48xlarge on demand", "None"),
        ("price lost", "nodes", "root disks, gp3", "None"),
    ]
    assert found.change == Change(Decimal("-201096.00"), Decimal(0), after=Gap(1, 1))
    assert (found.change.direction, found.change.exact) == ("cannot tell", None)
    assert [part.change.shown for part in found.parts] == ["cannot tell"]
    assert answer(found) == Says("Cannot", "whether", "more", "less", "$201,096.00", "before", "unknown", "no", "not")
    back = diff(unpriced, priced)
    assert [line.kind for line in back.changed] == ["price gained", "price gained"]
    assert (back.change.direction, back.change.comparable) == ("cannot tell", 0)


def test_a_region_without_prices_saves_nothing(make: Make, side: MakeSide) -> None:
    disk = make(VOLUME, "disk", type="gp3", size=100)
    found = diff(side(_nodes(make, 5), disk), side(_nodes(make, 5), disk, region=NOWHERE))
    assert {line.kind for line in found.changed} == {"price lost"}
    assert (found.change.direction, found.change.comparable) == ("cannot tell", 0)


def test_what_is_new_without_a_price_adds_to_what_is_known(make: Make, side: MakeSide) -> None:
    nat, database = make("aws:ec2/natGateway:NatGateway", "nat"), make(UNKNOWN_TYPE, "database")
    more, back = diff(side(), side(nat, database)), diff(side(nat, database), side())
    assert (more.change.direction, more.change.shown) == ("more", "at least +$32.85")
    assert answer(more) == Says("least", "$32.85", "$0.00", "least", "$32.85", "not")
    assert (back.change.direction, back.change.shown) == ("less", "at most -$32.85")
    assert answer(back) == Says("least", "$32.85", "least", "$32.85", "$0.00", "not")


@pytest.mark.parametrize(("before", "after"), [((100, True), (200, False)), ((200, False), (100, True))])
def test_a_bound_that_does_not_decide_is_no_verdict(
    make: Make, side: MakeSide, before: tuple[int, bool], after: tuple[int, bool]
) -> None:
    def having(size: int, unpriced: bool) -> Revision:
        database = [make(UNKNOWN_TYPE, "database")] if unpriced else []
        return side(make(VOLUME, "disk", type="gp3", size=size), *database)

    assert diff(having(*before), having(*after)).change.direction == "cannot tell"


def test_what_has_no_price_on_either_side_and_stays_leaves_the_change_exact(make: Make, side: MakeSide) -> None:
    def having(nodes: int, **labels: str) -> Revision:
        database = make(UNKNOWN_TYPE, "database", size=3, tags=labels)
        return side(_nodes(make, nodes), database)

    found = diff(having(5, team="a"), having(6, team="b"))
    assert (found.change.exact, found.changed_unpriced) == (Decimal("40219.20"), ())
    assert answer(found) == Says("$40,219.20", "least", "$201,096.00", "least", "$241,315.20")


@pytest.mark.parametrize("other", [{"count": 8}, {"region": "eu-west-1"}], ids=["more of it", "elsewhere"])
def test_what_has_no_price_on_either_side_and_changes_leaves_it_open(
    make: Make, side: MakeSide, other: dict[str, Any]
) -> None:
    def having(count: int = 4, region: str = "us-east-1") -> Revision:
        return side(make(UNKNOWN_TYPE, "database", count=count), region=region)

    found = diff(having(), having(**other))
    assert ([item.type for item in found.changed_unpriced], found.newly_unpriced) == ([UNKNOWN_TYPE], ())
    assert answer(found) == Says("Cannot", "more", "less", "unknown", "unknown", "no", "changed", "not", "database")


def test_a_component_of_unknown_parts_leaves_the_change_open_with_its_changed_inputs(
    make: Make, side: MakeSide
) -> None:
    def having(size: int, **more: object) -> Revision:
        scaling = {"desiredSize": size, "minSize": 1}
        inputs = {"scalingConfig": scaling, "instanceTypes": ["p5.48xlarge"], **more}
        return side(make("eks:index:ManagedNodeGroup", "gpus", custom=False, remote=True, **inputs))

    found = diff(having(1), having(64, userData="s3cret", tags={"team": "ml"}))
    assert [item.reason for item in found.changed_unpriced] == [Says("scalingConfig.desiredSize 1 -> 64", "userData")]
    assert "s3cret" not in found.changed_unpriced[0].reason
    assert (found.moves, found.change.direction) == (True, "cannot tell")
    assert diff(having(1), having(1)).moves is False


def test_a_reservation_that_loses_its_price_saves_nothing(make: Make, side: MakeSide) -> None:
    def held(machine: str) -> Revision:
        target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
        return side(make("aws:ec2/instance:Instance", "held", instanceType=machine, rootBlockDevice={"volumeSize": 10},
                         associatePublicIpAddress=False,
                         capacityReservationSpecification=target))  # fmt: skip

    found = diff(held("p5.48xlarge"), held("p5e.48xlarge"))
    assert [line.kind for line in found.changed] == ["price lost"]
    assert [cells for name, *cells in total_rows(found) if name == "of which committed elsewhere"] == [
        ["$40,179.20", "$0.00", "cannot tell"]
    ]


def test_a_pool_that_leaves_its_reservation_does_not_end_its_bill(make: Make, side: MakeSide) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 10},
                associatePublicIpAddress=False,
                capacityReservationSpecification=target)  # fmt: skip
    found = diff(side(held), side())
    assert answer(found) == Says(
        "$40,180.00", "100.0%", "$40,180.00", "$0.00", "-$40,179.20", "deleted", "replaced", "1"
    )
    assert [(loss.outcome, loss.monthly) for loss in found.losses] == [
        (Says("machines", "reservation", "not"), Decimal("40180.00"))
    ]


def test_what_has_no_price_on_one_side_only_is_named(make: Make, side: MakeSide) -> None:
    database, cache = make("aws:rds/instance:Instance", "database"), make("aws:elasticache/cluster:Cluster", "cache")
    found = diff(side(database), side(database, cache))
    assert [item.urn for item in found.newly_unpriced] == [cache.urn]
    assert (found.no_longer_unpriced, found.complete) == ((), False)
    back = diff(side(database, cache), side(database))
    assert ([item.urn for item in back.no_longer_unpriced], back.newly_unpriced) == ([cache.urn], ())


def _of_disk(bound: Bound, gib: int) -> tuple[Decimal, Decimal]:
    """USD a month at the least and at the most."""
    return cents(gib * bound.least), cents(gib * bound.most)


def test_a_price_that_is_lost_moves_the_change_by_its_bound(make: Make, side: MakeSide, disk_gib: Bound) -> None:
    here = side(make(VOLUME, "disk", type="gp3", size=100))
    there = side(make(VOLUME, "disk", type="gp3", size=100, region=NOWHERE))
    low, high = _of_disk(disk_gib, 100)
    found = diff(here, there)
    assert (found.change.at_least, found.change.at_most) == (low - 8, high - 8)
    assert (found.change.direction, found.change.exact) == ("cannot tell", None)
    assert found.change.shown == f"-{money(8 - low)} to +{money(high - 8)}"
    assert answer(found) == Says(
        "Cannot",
        "more",
        "less",
        f"{money(8 - low)}",
        "less",
        f"{money(high - 8)}",
        "more",
        "$8.00",
        f"{money(low)}",
        f"{money(high)}",
        "no",
        "not",
    )
    back = diff(there, here).change
    assert (back.at_least, back.at_most) == (8 - high, 8 - low)


def test_a_bound_that_cannot_bring_it_back_is_less_and_says_how_much(
    make: Make, side: MakeSide, disk_gib: Bound
) -> None:
    low, high = _of_disk(disk_gib, 100)
    before = side(make(VOLUME, "disk", type="gp3", size=100_000))
    found = diff(before, side(make(VOLUME, "disk", type="gp3", size=100, region=NOWHERE)))
    assert (found.change.direction, found.change.shown) == ("less", f"-{money(8000 - low)} to -{money(8000 - high)}")
    assert answer(found).startswith(
        f"This lowers the cost of dev by {money(8000 - high)} to {money(8000 - low)} a month: $8,000.00 before, "
    )


def test_more_of_a_thing_without_a_price_costs_more_by_the_bound_of_what_is_added(
    make: Make, side: MakeSide, disk_gib: Bound
) -> None:
    def sized(gib: int) -> Revision:
        return side(make(VOLUME, "disk", type="gp3", size=gib), region=NOWHERE)

    low, high = map(money, _of_disk(disk_gib, 50))
    assert diff(sized(100), sized(150)).change.shown == f"+{low} to +{high}"
    assert diff(sized(150), sized(100)).change.shown == f"-{high} to -{low}"

"""What changes between two sides: lines in pairs, parts, and what has no price."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from cost import Resource
from cost.changes import Diff, Side, diff

Make = Callable[..., Resource]
MakeSide = Callable[..., Side]
NODES, VOLUME = "aws:eks/nodeGroup:NodeGroup", "aws:ebs/volume:Volume"


def _nodes(make: Make, count: int, machine: str = "p5.48xlarge", **more: object) -> Resource:
    return make(NODES, "nodes", instanceTypes=[machine], scalingConfig={"desiredSize": count}, diskSize=500, **more)


def _rows(found: Diff) -> list[tuple[str, str, str, str]]:
    return [(line.kind, line.resource, line.name, f"{line.change}") for line in found.changed]


def test_a_pool_that_grows_is_a_changed_line_for_machines_and_one_for_disks(make: Make, side: MakeSide) -> None:
    found = diff(side(_nodes(make, 5)), side(_nodes(make, 7)))
    assert _rows(found) == [
        ("changed", "nodes", "5 x p5.48xlarge on demand -> 7 x p5.48xlarge on demand", "80358.40"),
        ("changed", "nodes", "root disks, gp3", "80.00"),
    ]
    assert (found.before.expected, found.after.expected) == (Decimal("201096.00"), Decimal("281534.40"))


def test_another_machine_type_is_the_same_line(make: Make, side: MakeSide) -> None:
    found = diff(side(_nodes(make, 1)), side(_nodes(make, 1, "p5en.48xlarge")))
    assert _rows(found) == [("changed", "nodes", "1 x p5.48xlarge on demand -> 1 x p5en.48xlarge on demand", "6026.88")]


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
    assert [(part.name, part.change) for part in found.parts] == [
        ("first", Decimal("-8.00")),
        ("second", Decimal("8.00")),
    ]
    assert found.change == 0


def test_what_has_no_price_on_one_side_only_is_named(make: Make, side: MakeSide) -> None:
    database, cache = make("aws:rds/instance:Instance", "database"), make("aws:elasticache/cluster:Cluster", "cache")
    found = diff(side(database), side(database, cache))
    assert [item.urn for item in found.newly_unpriced] == [cache.urn]
    assert (found.no_longer_unpriced, found.complete) == ((), False)
    back = diff(side(database, cache), side(database))
    assert ([item.urn for item in back.no_longer_unpriced], back.newly_unpriced) == ([cache.urn], ())

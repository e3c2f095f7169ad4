"""Rules about what a plan deletes or replaces, on every cloud's types."""

from __future__ import annotations

import dataclasses
import datetime
from decimal import Decimal
from typing import Any, cast

import pytest

from gpucluster.core.catalog.resource_types import (
    CONTENTS,
    CONTROL_PLANE,
    ENCRYPTION_KEY,
    RESERVED_CAPACITY,
    SHARED_STORAGE,
    holdings,
)
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost.pricing.model import cents
from gpucluster.policies.clouds.node_impacts import NodeImpact, node_impacts
from gpucluster.policies.engine.rule import Changes
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.rules import (
    exemptions_in_use,
    no_loss_of_reserved_capacity,
    no_loss_of_shared_storage,
    no_loss_of_training_pool,
    no_replacement_of_control_plane,
    replacement_of_training_pool,
)
from tests.cases import cases
from tests.says import Says

TODAY = datetime.date(2026, 11, 21)
CLUSTER = "urn:pulumi:dev::shop::example:index:Cluster::trial"
FOUR = {"desiredSize": 4, "maxSize": 4, "minSize": 0}
BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"
RULES = {
    SHARED_STORAGE: no_loss_of_shared_storage.RULE,
    RESERVED_CAPACITY: no_loss_of_reserved_capacity.RULE,
    CONTROL_PLANE: no_replacement_of_control_plane.RULE,
}


def of(holds: str) -> list[str]:
    return [type_ for type_, holding in holdings().items() if holding.holds == holds and holding.lost_on]


def resource(type_: str, name: str = "it", **inputs: Any) -> Resource:
    return Resource(urn=f"urn:pulumi:dev::shop::{type_}::{name}", type=type_, name=name, inputs=inputs, parent=CLUSTER)


def forced(type_: str, **inputs: Any) -> Resource:
    """A resource of the type that the cloud lets go of with all it holds."""
    name = holdings()[type_].only_if
    return resource(type_, **({name: True} if name else {}), **inputs)


def outcome_of(rule, *gone: tuple[Deletion, Resource], created=(), before=()):
    standing = [old for _, old in gone]
    kept = [old for ended, old in gone if ended.how == "replaced"]
    changes = Changes(
        ended=[ended for ended, _ in gone],
        before=Resources([*standing, *before]),
        after=Resources([*kept, *before, *created]),
    )
    return evaluate([rule], changes.after, changes, today=TODAY)[0]


def found(rule, *gone: tuple[Deletion, Resource], **stack) -> list[str]:
    return [violation.what for violation in outcome_of(rule, *gone, **stack).violations]


def replaced(old: Resource, *because: str, retained: bool = False) -> tuple[Deletion, Resource]:
    return Deletion(old.urn, "replaced", because, retained), old


def deleted(old: Resource) -> tuple[Deletion, Resource]:
    return Deletion(old.urn, "deleted"), old


@pytest.mark.parametrize("holds", RULES)
@pytest.mark.parametrize("cloud", ["aws:", "gcp:", "azure-native:"])
def test_a_replacement_is_found_on_every_type_of_every_cloud_with_what_forces_it(holds, cloud):
    types = [type_ for type_ in of(holds) if type_.startswith(cloud)]
    assert types
    for type_ in types:
        assert found(RULES[holds], replaced(forced(type_), "zone", "size")) == [
            f"{holds} is replaced, because of `zone`, `size`"
        ]


@pytest.mark.parametrize("holds", [SHARED_STORAGE, RESERVED_CAPACITY])
def test_a_deletion_is_found_on_every_type_but_the_block_that_stays_bought(holds):
    for type_ in of(holds):
        told = [] if type_ == BLOCK else [f"{holds} is deleted"]
        assert found(RULES[holds], deleted(forced(type_))) == told


@pytest.mark.parametrize("holds", RULES)
def test_what_the_cloud_keeps_is_no_loss(holds):
    for type_ in of(holds):
        assert found(RULES[holds], replaced(forced(type_), retained=True)) == []


@pytest.mark.parametrize("holds", RULES)
def test_what_holds_something_else_is_not_looked_at(holds):
    read = {holds, CONTENTS} if holds == SHARED_STORAGE else {holds}
    others = [type_ for type_, holding in holdings().items() if holding.holds not in read]
    assert found(RULES[holds], *(replaced(forced(type_)) for type_ in others)) == []


def resized(type_: str, before: Any, after: Any):
    """The outcome for a plan that changes how much fits into a resource."""
    first, *rest = holdings()[type_].size
    old, new = cast("list[dict[str, Any]]", [{first: {rest[0]: size} if rest else size} for size in (before, after)])
    plan = Changes(ended=[], before=Resources([resource(type_, **old)]), after=Resources([resource(type_, **new)]))
    return evaluate([RULES[holdings()[type_].holds]], plan.after, plan, today=TODAY)[0]


@pytest.mark.parametrize(
    "type_", [type_ for type_, holding in holdings().items() if holding.size and holding.holds in RULES]
)
def test_storage_or_a_reservation_that_shrinks_in_place_is_found_and_what_grows_is_not(type_):
    holds = holdings()[type_].holds
    way = ".".join(holdings()[type_].size)
    assert [found.what for found in resized(type_, "26400", 2400).violations] == [
        f"{holds} shrinks: `{way}` from 26400 to 2400"
    ]
    grown, same, first = resized(type_, 2400, "26400"), resized(type_, 2400, "2400"), resized(type_, None, 2400)
    assert (grown.violations, same.violations, first.violations) == ((), (), ())
    assert [found.what for found in resized(type_, 2400, UNKNOWN).unknown] == [
        f"whether {holds} shrinks: `{way}` is not known yet"
    ]


@pytest.mark.parametrize(("type_", "end"), [(name, of.end) for name, of in holdings().items() if of.end])
def test_a_reservation_that_gets_an_end_or_an_earlier_one_is_found(type_, end):
    def told(before: Any, after: Any) -> list[str]:
        plan = Changes(
            ended=[],
            before=Resources([resource(type_, **{end: before} if before is not None else {})]),
            after=Resources([resource(type_, **{end: after} if after is not None else {})]),
        )
        outcome = evaluate([no_loss_of_reserved_capacity.RULE], plan.after, plan, today=TODAY)[0]
        return [one.what for one in (*outcome.violations, *outcome.unknown)]

    early, late = "2026-11-30T00:00:00Z", "2027-11-30T00:00:00Z"
    assert told(None, early) == ["reserved capacity ends on 2026-11-30T00:00, before: no end"]
    assert told(late, early) == ["reserved capacity ends on 2026-11-30T00:00, before: 2027-11-30T00:00"]
    assert told(None, UNKNOWN) == [f"whether reserved capacity ends earlier: `{end}` is not known yet"]
    assert (told(early, late), told(early, early), told(early, None)) == ([], [], [])


@pytest.mark.parametrize("type_", of(CONTENTS))
def test_what_contains_others_takes_everything_with_it(type_):
    rule, it = no_loss_of_shared_storage.RULE, resource(type_)
    assert found(rule, deleted(it)) == ["everything inside is deleted"]
    assert found(rule, replaced(it, "location")) == ["everything inside is replaced, because of `location`"]


@pytest.mark.parametrize("type_", of(ENCRYPTION_KEY))
def test_a_key_is_a_loss_for_the_storage_that_stays_and_for_no_other(type_):
    rule, key = no_loss_of_shared_storage.RULE, resource(type_, "key")
    storage = dataclasses.replace(resource("aws:fsx/lustreFileSystem:LustreFileSystem"), dependencies={"k": (key.urn,)})
    assert found(rule, deleted(key)) == []
    assert found(rule, deleted(key), before=[storage]) == [Says("key", "encryption", "deleted", "nothing")]
    assert found(rule, deleted(key), deleted(storage)) == ["shared storage is deleted"]


@cases
def test_a_new_lifecycle_that_empties_a_bucket_within_a_day_is_found(type_, empties, keeps):
    def told(before: Any, after: Any) -> list[str]:
        plan = Changes(
            ended=[], before=Resources([resource(type_, **before)]), after=Resources([resource(type_, **after)])
        )
        return [
            one.what for one in evaluate([no_loss_of_shared_storage.RULE], plan.after, plan, today=TODAY)[0].violations
        ]

    assert told({}, empties) == ["a rule of the lifecycle deletes every object after a day or less"]
    assert [told(empties, empties), *(told({}, kept) for kept in keeps)] == [[], *([] for _ in keeps)]


@pytest.mark.parametrize("type_", ["aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2", "gcp:storage/bucket:Bucket"])
def test_a_bucket_that_the_cloud_refuses_to_delete_while_it_holds_objects_is_no_loss(type_):
    assert found(no_loss_of_shared_storage.RULE, deleted(resource(type_))) == []
    assert found(no_loss_of_shared_storage.RULE, deleted(resource(type_, forceDestroy=False))) == []


def test_a_bucket_whose_flag_is_not_known_is_said_to_be_undecided():
    bucket = resource("aws:s3/bucket:Bucket", forceDestroy=UNKNOWN)
    outcome = outcome_of(no_loss_of_shared_storage.RULE, deleted(bucket))
    assert outcome.violations == ()
    assert [finding.what for finding in outcome.unknown] == [
        Says("storage", "deleted", "whether", "forceDestroy", "not")
    ]


@pytest.mark.parametrize("type_", of(CONTROL_PLANE))
def test_a_control_plane_may_be_deleted_but_not_under_a_new_name(type_):
    rule, old, other = no_replacement_of_control_plane.RULE, resource(type_), resource("aws:ec2/vpc:Vpc", "other")
    assert found(rule, deleted(old), created=[other]) == []
    assert found(rule, deleted(old), created=[resource(type_, "renamed")]) == [
        Says("control", "deleted", "renamed", "created")
    ]


@cases
def test_a_training_pool_that_is_replaced_is_found_and_other_nodes_are_not(type_, training, system):
    rule = replacement_of_training_pool.RULE
    assert found(rule, replaced(resource(type_, **training), "name")) == ["node pool is replaced, because of `name`"]
    assert found(rule, replaced(resource(type_, **system), "name")) == []
    assert found(rule, deleted(resource(type_, **training))) == []


def updated(old: Resource, *others: Resource, **inputs: Any):
    """The outcome of the rule for a plan that changes a resource and keeps the others."""
    new = dataclasses.replace(old, inputs={**old.inputs, **inputs})
    changes = Changes(ended=[], before=Resources([old, *others]), after=Resources([new, *others]))
    return evaluate([replacement_of_training_pool.RULE], changes.after, changes, today=TODAY)[0]


def lost(old: Resource, *others: Resource, ended: Deletion | None = None, created=(), **inputs: Any):
    """The outcome of the rule for a plan that deletes a pool, or changes it."""
    kept = [] if ended else [dataclasses.replace(old, inputs={**old.inputs, **inputs})]
    changes = Changes(
        ended=[ended] if ended else [],
        before=Resources([old, *others]),
        after=Resources([*kept, *others, *created]),
    )
    return evaluate([no_loss_of_training_pool.RULE], changes.after, changes, today=TODAY)[0]


@cases
def test_a_pool_that_is_deleted_or_scaled_to_0_is_found_with_what_is_at_stake(
    type_, pool, system, to_zero, label, stake, why
):
    old, gone = resource(type_, **pool), deleted(resource(type_))[0]
    end = f"; jobs on them end; at stake for each hour since the last checkpoint: {stake}"
    assert [one.what for one in lost(old, ended=gone).violations] == [f"{label} are deleted{end}"]
    assert [one.what for one in lost(old, **to_zero).violations] == [f"{label} are {why}{end}"]
    retained, other = dataclasses.replace(gone, retained=True), resource(type_, "other", **system)
    silent = [
        lost(old),
        lost(old, ended=retained),
        lost(old, ended=gone, created=[resource(type_, "renamed", **pool)]),
        lost(resource(type_, **system), ended=gone),
        lost(resource(type_, **{**pool, **to_zero}), ended=gone),
        lost(resource(type_, **{**pool, **to_zero}), **to_zero),
    ]
    assert [(one.violations, one.unknown) for one in silent] == [((), ())] * len(silent)
    assert len(lost(old, other, ended=gone).violations) == 1


def test_no_other_pool_is_promised_for_one_that_is_deleted():
    ended, old = deleted(resource("aws:eks/nodeGroup:NodeGroup", instanceTypes=["p5.48xlarge"], scalingConfig=FOUR))
    [found] = node_impacts(Changes(ended=[ended], before=Resources([old]), after=Resources([])))
    assert (found.what, found.impact.gone) == ("all nodes are released; jobs on them end", 4)


AUTOSCALED = {"desiredSize": 4, "maxSize": 16, "minSize": 0}


@pytest.mark.parametrize("scaling", [FOUR, AUTOSCALED])
def test_a_pool_that_shrinks_puts_the_price_of_each_removed_node_at_stake_whatever_its_maximum(scaling):
    """A p5.48xlarge is $55.04 an hour, and a root disk of 20 GiB, EKS' default, less than a cent."""
    [found] = shrinks("aws:eks/nodeGroup:NodeGroup", "scalingConfig", scaling, {**scaling, "desiredSize": 3})
    assert (found.impact.gone, found.impact.gpus, found.usd) == (1, 8, cents(Decimal("55.04") + DISK))


def test_nodes_and_dollars_at_stake_are_those_of_as_many_nodes():
    """All nodes of an autoscaled pool may run: GPU-hours and dollars count them all."""
    [found] = shrinks("aws:eks/nodeGroup:NodeGroup", "instanceTypes", ["p5.48xlarge"], ["p4d.24xlarge"])
    assert (found.impact.effect, found.impact.gpus, found.usd) == ("loss", 128, cents(16 * (Decimal("55.04") + DISK)))


def test_a_count_of_each_zone_removes_a_node_in_each():
    pool = {"nodeConfig": {"machineType": "a3-megagpu-8g"}, "nodeLocations": ["us-central1-a", "us-central1-c"]}
    [found] = shrinks("gcp:container/nodePool:NodePool", "nodeCount", 4, 3, location="us-central1", **pool)
    assert (found.what, found.impact.gpus) == ("nodes removed: 2; jobs on them end", 16)


DISK = Decimal(20) * Decimal("0.08") / 730


def shrinks(type_: str, at: str, before: Any, after: Any, **inputs: Any) -> tuple[NodeImpact, ...]:
    group: dict[str, Any] = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": AUTOSCALED}
    pool = group if type_.startswith("aws:") else inputs
    old, new = (resource(type_, "it", **{**pool, at: value}) for value in (before, after))
    region = {"aws": "us-east-1", "gcp": "us-central1"}
    return node_impacts(Changes(ended=[], before=Resources([old], default_regions=region), after=Resources([new])))


def test_a_number_of_nodes_that_is_not_known_yet_is_said():
    old = resource("aws:eks/nodeGroup:NodeGroup", instanceTypes=["p5.48xlarge"], scalingConfig=FOUR)
    outcome = lost(old, scalingConfig={**FOUR, "desiredSize": UNKNOWN})
    assert outcome.violations == ()
    assert [one.what for one in outcome.unknown] == [
        "whether 4 nodes of p5.48xlarge stay: `scalingConfig.desiredSize` is not known yet"
    ]


def test_nodes_of_a_capacity_block_may_have_gone_with_it():
    group = resource("aws:eks/nodeGroup:NodeGroup", instanceTypes=["p5.48xlarge"], scalingConfig=FOUR)
    block = dataclasses.replace(group, inputs={**group.inputs, "capacityType": "CAPACITY_BLOCK"})
    outcome = lost(block, ended=deleted(block)[0])
    assert outcome.violations == ()
    assert [one.what for one in outcome.unknown] == [
        "4 nodes of p5.48xlarge are deleted; their capacity block may have ended"
    ]


@pytest.mark.parametrize("paused", [True, False, None])
@pytest.mark.parametrize("how", ["deleted", "scaled"])
def test_a_pause_is_the_accepted_way(paused, how):
    around = Resource(
        urn=CLUSTER,
        type="example:index:Cluster",
        name="trial",
        custom=False,
        outputs={} if paused is None else {"paused": paused},
    )
    old = resource("aws:eks/nodeGroup:NodeGroup", instanceTypes=["p5.48xlarge"], scalingConfig=FOUR)
    ended = deleted(old)[0] if how == "deleted" else None
    outcome = lost(old, around, ended=ended, scalingConfig={**FOUR, "desiredSize": 0})
    assert len(outcome.violations) == (0 if paused else 1)
    assert [one.reason for one in outcome.accepted] == (["`trial` is paused"] if paused else [])


@cases
def test_an_update_that_rolls_a_training_pool_is_found_and_labels_and_sizes_are_not(
    type_, training, system, rolls, in_place, what
):
    assert [found.what for found in updated(resource(type_, **training), **rolls).violations] == [what]
    assert [updated(resource(type_, **training), **inputs).violations for inputs in in_place] == [(), ()]
    unlike = {key: value for key, value in rolls.items() if key != "nodeConfig"}
    assert updated(resource(type_, **system), **unlike).violations == ()


@cases
def test_a_pool_of_sliced_gpus_has_jobs_to_lose_as_well(type_, pool, rolls):
    (found,) = updated(resource(type_, **pool), **rolls).violations
    assert found.what.endswith("; jobs on them end")


TEMPLATE = resource(
    "aws:ec2/launchTemplate:LaunchTemplate", "template", instanceType="p5.48xlarge", userData="a", tags={"owner": "a"}
)


@cases
def test_a_version_that_is_not_known_yet_is_told_by_what_changes_in_the_template(inside, what):
    group = Resource(
        urn="urn:pulumi:dev::shop::aws:eks/nodeGroup:NodeGroup::train",
        type="aws:eks/nodeGroup:NodeGroup",
        name="train",
        inputs={"scalingConfig": {"desiredSize": 4, "maxSize": 4}, "launchTemplate": {"id": "lt-1", "version": "1"}},
        dependencies={"launchTemplate": (TEMPLATE.urn,)},
    )
    after = dataclasses.replace(group, inputs={**group.inputs, "launchTemplate": {"id": "lt-1", "version": UNKNOWN}})
    template = dataclasses.replace(TEMPLATE, inputs={**TEMPLATE.inputs, **inside})
    changes = Changes(ended=[], before=Resources([group, TEMPLATE]), after=Resources([after, template]))
    (outcome,) = evaluate([replacement_of_training_pool.RULE], changes.after, changes, today=TODAY)
    assert [found.what for found in outcome.violations] == [
        f"replaces 4 nodes of p5.48xlarge, one at a time, because of {because}; jobs on them end" for because in what
    ]


@pytest.mark.parametrize(("rolls", "accepted"), [(["trial"], True), (["other"], False), (None, False)])
def test_what_the_spec_allows_is_told_and_accepted(rolls, accepted):
    around = Resource(
        urn=CLUSTER, type="example:index:Cluster", name="trial", custom=False, outputs={"rolls": rolls} if rolls else {}
    )
    sizes = {"desiredSize": 4, "maxSize": 4}
    group = resource("aws:eks/nodeGroup:NodeGroup", instanceTypes=["p5.48xlarge"], scalingConfig=sizes)
    outcome = updated(group, around, version="1.36")
    words = Says("4", "p5.48xlarge", "version")
    assert [found.what for found in outcome.violations] == ([] if accepted else [words])
    assert [(found.what, found.reason) for found in outcome.accepted] == (
        [(words, "the spec allows it for `trial`")] if accepted else []
    )


@pytest.mark.parametrize("rule", TRAINING.change_rules, ids=lambda rule: rule.name)
def test_a_plan_that_takes_nothing_away_has_no_finding(rule):
    assert found(rule, before=[forced(type_) for type_ in holdings()]) == []


def test_an_exemption_accepts_a_loss_and_one_that_waits_for_its_plan_is_not_called_useless():
    rule = no_loss_of_shared_storage.RULE
    lustre = resource("aws:fsx/lustreFileSystem:LustreFileSystem")
    entry = {
        "rule": rule.name,
        "resource": "it",
        "reason": "copied to the new one",
        "owner": "ada",
        "until": "2027-01-31",
    }
    component = Resource(
        urn=CLUSTER, type="example:index:Cluster", name="trial", custom=False, outputs={"exemptions": [entry]}
    )
    stack = Resources([component])
    changes = Changes(ended=[deleted(lustre)[0]], before=Resources([component, lustre]), after=stack)
    told, used = evaluate([rule, exemptions_in_use.RULE], stack, changes, today=TODAY)
    assert told.violations == ()
    assert [violation.what for violation in used.violations] == [
        Says("no-loss-of-shared-storage", "deleted", "2027-01-31")
    ]
    [waiting] = evaluate([rule, exemptions_in_use.RULE], stack, today=TODAY)
    assert waiting.violations == ()

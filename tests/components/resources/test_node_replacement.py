"""What stops an update before it replaces nodes under jobs, without an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import pulumi
import pytest

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of
from gpucluster.components.resources.node_replacement import RollGuard
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.catalog.machines import machines

Vary = Callable[..., ClusterSpec]

NODES, TEMPLATE, POOL = (
    "aws:eks/nodeGroup:NodeGroup",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "gpucluster:aws:TrainingPool",
)


@pytest.fixture
def guard() -> Callable[..., Callable[..., None]]:
    """Makes the hook of a guard; call it with type, old and new inputs."""

    def made(*, nodes: int = 5, allowed: bool = False) -> Callable[..., None]:
        with mock.patch.object(pulumi, "ResourceHook") as hook:
            plan = TrainingNodes(shape=machines()["p5.48xlarge"], nodes=nodes, spares=0, roll=allowed)
            made_of = {"zone", "machineType"}
            RollGuard(POOL, "trial-training", made_of, plan, field="training.roll", optional=["blocks"])
        check = hook.call_args.args[1]
        assert hook.call_args.args[2].on_dry_run

        def run(type_: str, old: dict[str, Any] | None, new: dict[str, Any]) -> None:
            check(pulumi.ResourceHookArgs("urn", "id", "trial-training-x", type_, new_inputs=new, old_inputs=old))

        return run

    return made


@pytest.fixture
def said() -> Any:
    with mock.patch.object(pulumi.log, "warn") as warn:
        yield warn


def test_an_update_that_replaces_nodes_is_refused_with_what_changes_and_the_way_out(guard, said):
    with pytest.raises(RuntimeError) as error:
        guard()(TEMPLATE, {"userData": "a", "tags": {}}, {"userData": "b", "tags": {"owner": "b"}})
    assert str(error.value) == (
        "trial-training: replaces 5 x p5.48xlarge, one at a time; jobs on them end: trial-training-x changes in "
        "userData; revert the change, or write training.roll: true into the spec for this update"
        "; at stake are 40 GPU-hours for each hour since the last checkpoint"
    )
    said.assert_not_called()


@pytest.mark.parametrize(
    ("field", "old", "new"),
    [("zone", "a", "b"), ("blocks", None, {"cr-1": 5}), ("blocks", {"cr-1": 5}, None)],
)
def test_what_forces_a_new_pool_is_refused_as_well(guard, field, old, new):
    with pytest.raises(RuntimeError, match=rf"replaces 5 x p5\.48xlarge, all at once; .* changes in {field}; revert"):
        guard()(POOL, {"machineType": "p5.48xlarge", field: old}, {"machineType": "p5.48xlarge", field: new})


def test_a_block_that_leaves_is_told_with_its_nodes_and_one_that_comes_is_not(guard, said):
    guard()(POOL, {"blocks": {"cr-1": 5.0, "cr-2": 3.0}}, {"blocks": {"cr-1": 4, "cr-3": 1}})
    said.assert_called_once_with("trial-training: nodes removed: 3, those of cr-2; jobs on them end")


@pytest.mark.parametrize(("type_", "field"), [(TEMPLATE, "instanceType"), (POOL, "machineType")])
def test_of_another_machine_the_one_that_runs_is_named(guard, type_, field):
    with pytest.raises(RuntimeError, match=r"replaces 5 x p4d\.24xlarge, "):
        guard()(type_, {field: "p4d.24xlarge"}, {field: "p5.48xlarge"})


def test_a_version_that_is_not_known_yet_counts_as_another(guard):
    with pytest.raises(RuntimeError, match=r"changes in launchTemplate\.version; revert"):
        guard()(NODES, {"launchTemplate": {"version": "1"}}, {"launchTemplate": {"version": pulumi.output.Unknown()}})


def test_where_the_spec_allows_it_the_sentence_is_told_once(guard, said):
    run = guard(allowed=True)
    run(TEMPLATE, {"userData": "a"}, {"userData": "b"})
    run(NODES, {"launchTemplate": {"version": "1"}}, {"launchTemplate": {"version": "2"}})
    said.assert_called_once_with(
        "trial-training: replaces 5 x p5.48xlarge, one at a time; jobs on them end: trial-training-x changes in "
        "userData; allowed by training.roll"
        "; at stake are 40 GPU-hours for each hour since the last checkpoint"
    )


@pytest.mark.parametrize(
    ("type_", "old", "new"),
    [
        (NODES, {"labels": {"owner": "a"}, "tags": {}}, {"labels": {"owner": "b"}, "tags": {"a": "b"}}),
        (NODES, {"scalingConfig": {"desiredSize": 4}}, {"scalingConfig": {"desiredSize": 5}}),
        (POOL, {}, {"zone": "us-east-1a"}),
        (POOL, None, {"zone": "us-east-1a"}),
        (POOL, {"zone": "us-east-1a"}, {"zone": "us-east-1a", "machineType": "p5.48xlarge"}),
        (POOL, {"zone": "us-east-1a", "durationDays": 14}, {"zone": "us-east-1a", "notes": ["another"]}),
    ],
    ids=[
        "labels",
        "size",
        "a pool of an older version",
        "a pool without inputs",
        "a pool that says less",
        "what a pool tells of itself",
    ],
)
def test_what_leaves_the_nodes_as_they_are_passes_in_silence(guard, said, type_, old, new):
    guard()(type_, old, new)
    said.assert_not_called()


def test_a_pool_without_nodes_has_no_jobs_to_end(guard, said):
    guard(nodes=0)(TEMPLATE, {"userData": "a"}, {"userData": "b"})
    said.assert_not_called()


def test_a_group_that_starts_its_first_nodes_has_no_jobs_to_end_and_one_that_grows_has(guard, said):
    def grows(old: int) -> tuple[dict[str, Any], dict[str, Any]]:
        before = {"launchTemplate": {"version": "1"}, "scalingConfig": {"desiredSize": old}}
        return before, {"launchTemplate": {"version": "2"}, "scalingConfig": {"desiredSize": 5}}

    guard()(NODES, *grows(0))
    said.assert_not_called()
    with pytest.raises(RuntimeError, match=r"changes in launchTemplate\.version; revert"):
        guard()(NODES, *grows(1))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_the_spec_allows_is_a_fact_of_the_pools_part_and_a_note(
    cloud: str, vary: Vary, trial: dict[str, Any]
) -> None:
    of = cloud_of(cloud)
    values = dict(of.keys)
    location, _ = of.locate({**values, "zone": of.zone_in(values["region"])})

    def facts(**changes: Any) -> dict[str, Any]:
        return of.plan_cluster(vary(**changes), location, "stack", None, None).facts.registered()

    mig = {"nodes": 1, "layout": "all-1g.10gb"}
    both = facts(training={**trial["training"], "roll": True}, mig={**mig, "roll": True})
    assert both["rolls"] == ["trial-training", "trial-mig"]
    assert {note for note in both["notes"] if ".roll: " in note} == {
        f"{pool}.roll: an update may replace the nodes of the {pool} pool, which ends the jobs on them; remove it "
        "after the update"
        for pool in ("training", "mig")
    }
    without = facts(mig=mig)
    assert "rolls" not in without
    assert [note for note in without["notes"] if ".roll" in note] == []

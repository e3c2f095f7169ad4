from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gpucluster.sandbox.clouds.store.ledger import Entry, Operation
from gpucluster.sandbox.live.nodes.fleet import fleet, manifests
from gpucluster.sandbox.live.nodes.manifest import ORDINAL

Group = Callable[..., list[Entry]]


def _numbers(made: object) -> list[int]:
    return [int(node["metadata"]["annotations"][ORDINAL]) for node in made]  # pyright: ignore


def test_a_pool_at_zero_makes_no_node(eks: Entry, group: Group) -> None:
    assert manifests(group("p5.48xlarge", 0), eks) == []


def test_nodes_of_an_unchanged_pool_stay_and_those_of_others_are_left_alone(eks: Entry, group: Group) -> None:
    stranger = {"metadata": {"name": "karpenter-1", "annotations": {"karpenter.sh/nodepool": "dev"}}}
    there = [*manifests(group("p5.48xlarge", 3), eks), stranger]
    change = fleet(group("p5.48xlarge", 3), eks, there)
    assert (change.made, change.gone, change.left_out) == ([], [], [])


def test_a_smaller_pool_loses_the_machines_that_came_last_and_a_larger_one_gets_more(eks: Entry, group: Group) -> None:
    there = manifests(group("p5.48xlarge", 3), eks)
    smaller = fleet(group("p5.48xlarge", 1), eks, there)
    assert smaller.gone == [node["metadata"]["name"] for node in there[1:]]
    assert _numbers(fleet(group("p5.48xlarge", 5), eks, there).made) == [3, 4]


def test_a_machine_that_is_gone_is_replaced_by_one_of_another_name(eks: Entry, group: Group) -> None:
    there = manifests(group("p5.48xlarge", 3), eks)
    assert _numbers(fleet(group("p5.48xlarge", 3), eks, there[1:], last={"gpus": 2}).made) == [3]
    assert _numbers(fleet(group("p5.48xlarge", 3), eks, there[:2], last={"gpus": 2}).made) == [3]


def test_the_nodes_of_a_pool_that_is_gone_go(eks: Entry, group: Group) -> None:
    there = manifests(group("p5.48xlarge", 2), eks)
    assert fleet([], eks, there).gone == [node["metadata"]["name"] for node in there]


def test_a_pool_of_machines_that_the_catalog_does_not_know_is_named(eks: Entry, group: Group) -> None:
    change = fleet(group("z9.48xlarge", 2), eks, [])
    assert (change.made, change.left_out) == ([], ["gpus: no machine z9.48xlarge is in the catalog"])


def test_a_failed_pool_has_the_nodes_that_started(eks: Entry, gke: Entry, group: Group, node_pool: Any) -> None:
    failure = Operation(state="creating", ends=0, error="no", failed="failed", machines=3)
    for entries, cluster in ((group("p5.48xlarge", 5), eks), ([node_pool("e2-standard-4", 5)], gke)):
        assert len(manifests([replace(entry, failure=failure) for entry in entries], cluster)) == 3

"""Clusters that join a fleet: how they describe themselves, their order, and why one can't join."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

import pytest

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.planning.names import GPU
from gpucluster.components.shared.fleet import (
    FACTS,
    KUBECONFIG,
    FleetPlan,
    Worker,
    by_price,
    unreachable,
    worker_of,
    worker_problems,
)
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.errors import InvalidSpec
from tests.components.told import refused

WORKER: Final = Worker(
    stack="gcp-trial",
    manager="aws-trial",
    namespaces=["training"],
    nodes=4,
    gpus=8,
    quotas={"cpu": "832", "memory": "7488Gi", GPU: "32"},
    cidrs=["203.0.113.0/24"],
    charts="2026-11.2",
    leader_worker_sets=False,
    kubeconfig="{}",
)
MANAGER: Final = replace(WORKER, stack="aws-trial", kubeconfig="")


def test_the_manager_reads_what_a_worker_wrote() -> None:
    outputs = {FACTS: WORKER.facts, KUBECONFIG: "{}", "perTrainingGpuHour": "5.10"}
    assert worker_of("gcp-trial", outputs) == replace(WORKER, gpu_hour_usd=Decimal("5.10"))
    ranged = worker_of("gcp-trial", {**outputs, "perTrainingGpuHour": "5.10 to 5.40"})
    assert ranged == replace(WORKER, gpu_hour_usd=Decimal("5.10"))
    assert worker_of("gcp-trial", {**outputs, "perTrainingGpuHour": "at least 5.10"}) == WORKER
    assert worker_of("gcp-trial", {"kubeconfig": "{}"}) is None
    assert "{}" not in repr(WORKER)


def test_the_cheapest_is_first_and_one_without_a_price_last() -> None:
    prices = {"a": None, "b": Decimal(7), "c": Decimal("5.1")}
    workers = [replace(WORKER, stack=stack, gpu_hour_usd=price) for stack, price in prices.items()]
    assert [worker.stack for worker in by_price(workers)] == ["c", "b", "a"]


def test_the_queue_has_what_all_workers_have() -> None:
    other = replace(WORKER, quotas=dict(reversed([*WORKER.quotas.items()])))
    for workers in ([WORKER, other], [other, WORKER]):
        plan = FleetPlan(manager=None, names=["a", "b"], cidrs=[], workers=workers)
        # An update would follow another order.
        assert [*plan.quotas.items()] == [("cpu", "1664"), ("memory", "14976Gi"), (GPU, "64")]


def _said(**changes: Any) -> list[str]:
    return [str(problem) for problem in worker_problems({"gcp-trial": replace(WORKER, **changes)}, MANAGER)]


def test_a_worker_that_can_not_join_is_named_with_what_to_change() -> None:
    assert _said() == []
    assert [str(problem) for problem in worker_problems({"gcp-trial": None}, MANAGER)] == [
        "fleet.workers has gcp-trial, which has no worker of a fleet; write fleet: {manager: aws-trial} into its spec "
        "and run `pulumi up` there first, or remove it here"
    ]
    assert _said(manager="azure-trial", charts="2026-10.1") == [
        "fleet.workers has gcp-trial, whose manager is azure-trial; write fleet.manager: aws-trial into its spec, and "
        "run `pulumi up` there",
        "fleet.workers has gcp-trial with the charts 2026-10.1, but this cluster has 2026-11.2; update both with one "
        "release of gpucluster",
    ]
    teams = replace(MANAGER, namespaces=["training", "team-vision"], leader_worker_sets=True)
    assert [str(problem) for problem in worker_problems({"gcp-trial": WORKER}, teams)] == [
        "fleet.workers has gcp-trial, which lacks the namespaces team-vision; give both specs the same teams",
        "fleet.workers has gcp-trial without LeaderWorkerSets, which this cluster has; set jobs.leader_worker_sets to "
        "the same in both specs",
    ]


def test_two_workers_of_one_name_are_refused_once_each() -> None:
    other = replace(WORKER, stack="lab/other/gcp-trial")
    found = worker_problems({"gcp-trial": WORKER, other.stack: other}, MANAGER)
    assert [str(problem) for problem in found] == [
        "fleet.workers has several stacks whose name is gcp-trial; rename one"
    ] * 2


def test_a_worker_admits_the_address_of_the_manager() -> None:
    assert unreachable([WORKER], "203.0.113.9") == []
    assert unreachable([replace(WORKER, cidrs=())], "198.51.100.7") == []
    assert [str(problem) for problem in unreachable([WORKER], "198.51.100.7")] == [
        "fleet.workers has gcp-trial, whose access.cidrs lack 198.51.100.7, the address of this cluster on the "
        "internet; add 198.51.100.7/32 there, and run `pulumi up` there"
    ]


def _refused(trial: dict[str, Any], cloud: str, **fields: Any) -> list[str]:
    known = cloud_of(cloud)
    location, _ = known.locate(known.keys)
    return refused(cloud, ClusterSpec.model_validate({**trial, **fields}), location)


PRIVATE: Final = {"kind": "private", "via": "bastion"}


@pytest.mark.parametrize(
    ("cloud", "fields", "problem"),
    [
        ("gcp", {"fleet": {"workers": ["aws-trial"]}}, "fleet.workers need a manager with a fixed address"),
        ("aws", {"fleet": {"manager": "azure-trial"}, "access": PRIVATE}, "access.kind is 'private' without a VPN"),
        (
            "aws",
            {
                "fleet": {"workers": ["gcp-trial"]},
                "access": {**PRIVATE, "egress": "none", "registry": "mirror.example.com"},
            },
            "access.egress is 'none', but the manager reaches its workers over the internet",
        ),
    ],
)
def test_a_cluster_out_of_reach_is_refused(
    trial: dict[str, Any], cloud: str, fields: dict[str, Any], problem: str
) -> None:
    assert any(text.startswith(problem) for text in _refused(trial, cloud, **fields))


@pytest.mark.parametrize("cloud", ["aws", "azure"])
def test_a_manager_and_a_worker_are_planned(trial: dict[str, Any], cloud: str) -> None:
    assert _refused(trial, cloud, fleet={"workers": ["gcp-trial"]}) == []
    assert _refused(trial, cloud, fleet={"manager": "gcp-trial"}) == []


@pytest.mark.parametrize(
    ("fleet", "problem"),
    [
        ({}, "has neither workers nor manager"),
        ({"workers": ["a"], "manager": "b"}, "has workers and manager"),
        ({"workers": ["a", "a"]}, "has a more than once"),
        ({"workers": ["a/b"]}, "is not the name of a stack"),
    ],
)
def test_a_cluster_is_one_side_of_a_fleet(trial: dict[str, Any], fleet: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidSpec, match=problem):
        ClusterSpec.model_validate({**trial, "fleet": fleet})


def test_no_pool_has_the_name_of_the_queue(trial: dict[str, Any]) -> None:
    elastic = {"pools": {"fleet": {"max_gpus": 8, "expected_gpus": 1}}}
    with pytest.raises(InvalidSpec, match=r"elastic\.pools\.fleet has the name of the queue of the fleet"):
        ClusterSpec.model_validate({**trial, "elastic": elastic, "fleet": {"manager": "aws-trial"}})

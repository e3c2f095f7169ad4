"""A cluster is read with the pools that are resources of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gpucluster.sandbox.clouds.azure.cloud import as_read
from gpucluster.sandbox.clouds.store.ledger import Entry
from tests.sandbox.clouds.azure.conftest import Stage


def test_a_cluster_has_its_pools_by_name_and_no_others(create: Callable[..., Entry]) -> None:
    stage: Any = Stage(create)
    pools = [
        stage.make(
            "containerservice:AgentPool", name, resourceName="c", agentPoolName=name, count=1, vmSize="Standard_D4s_v5"
        )
        for name in ("two", "one")
    ]
    shouted = replace(stage.cluster, id=stage.cluster.id.upper())
    own = [profile["name"] for profile in stage.cluster.inputs["agentPoolProfiles"]]
    for cluster in (stage.cluster, shouted):
        read = as_read(cluster, pools)
        assert [profile["name"] for profile in read.inputs["agentPoolProfiles"]] == [*own, "one", "two"]
    elsewhere = replace(stage.cluster, id=f"{stage.cluster.id}2")
    assert [profile["name"] for profile in as_read(elsewhere, pools).inputs["agentPoolProfiles"]] == own
    assert as_read(stage.nodes, pools) is stage.nodes

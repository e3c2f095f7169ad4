"""Karpenter on Google Cloud, typed out: its account and grants, its charts, its machines and its pools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.components.gcp.pools.elastic_pools import (
    MACHINE_PERMISSIONS,
    PERMISSIONS,
    KarpenterPools,
    KarpenterPoolsArgs,
)
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.label_transformation import labelled_objects
from gpucluster.components.shared.elastic import PoolPlan

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

NODES = "nodes@acme.iam.gserviceaccount.com"
KARPENTER = "trial-dev-karpenter@acme.iam.gserviceaccount.com"
SUBNET = "projects/acme/regions/us-central1/subnetworks/trial-nodes"
CHARTS = "https://cloudpilot-ai.github.io/karpenter-provider-gcp"
DEV = PoolPlan(name="dev", max_gpus=8, expected_gpus="2", purchase=("spot",), keep_empty=5, expire_after=None)
TUNING = PoolPlan(
    name="fine-tuning", max_gpus=16, expected_gpus=None, purchase=("spot",), keep_empty=30, expire_after=336
)
ARGS = KarpenterPoolsArgs(
    project="acme",
    region="us-central1",
    zone="us-central1-a",
    cluster_name="trial-dev",
    cluster_location="us-central1",
    subnetwork=SUBNET,
    account_id="trial-dev-karpenter",
    node_account=NODES,
    template_pool="trial-system-nodes",
    machine_type="a3-highgpu-1g",
    pools=[DEV, TUNING],
)


def declared(registered: Run, args: KarpenterPoolsArgs = ARGS) -> dict[str, tuple[str, dict[str, Any]]]:
    found = registered(lambda: KarpenterPools("elastic", args, after=[], opts=labelled_objects({"team": "ml"}, None)))
    return {name: (type_, inputs) for type_, name, inputs in found}


def test_a_cluster_of_one_zone_is_found_in_its_zone(registered: Run) -> None:
    _, inputs = declared(registered, replace(ARGS, cluster_location="us-central1-a"))["elastic-karpenter"]
    settings = inputs["values"]["controller"]["settings"]
    assert (settings["clusterLocation"], settings["nodeLocation"]) == ("us-central1", "us-central1-a")


def test_what_it_cannot_carry_is_refused_before_anything_of_it_is_registered(registered: Run) -> None:
    with pytest.raises(PlanError, match="can't start a3-megagpu-8g with its GPU networks"):
        declared(registered, replace(ARGS, machine_type="a3-megagpu-8g"))
    with pytest.raises(PlanError, match="is sold as spot or flex-start only"):
        declared(registered, replace(ARGS, pools=[replace(DEV, purchase=("on-demand",))]))


def test_karpenter_neither_sets_policies_nor_gives_machines_public_addresses() -> None:
    every = [*PERMISSIONS, *MACHINE_PERMISSIONS]
    assert [item for item in every if "Policy" in item or "useExternalIp" in item or "*" in item] == []
    assert len(set(every)) == len(every)


def test_karpenter_changes_no_machine_in_the_project_but_its_own() -> None:
    read = (".get", ".list")
    assert [it for it in PERMISSIONS if it.startswith("compute.instances.") and not it.endswith(read)] == []

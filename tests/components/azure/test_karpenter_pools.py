"""The elastic pools by node auto provisioning, typed out: machines and pools, and no Karpenter of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.components.azure.karpenter_pools import KarpenterPools, KarpenterPoolsArgs
from gpucluster.components.elastic import PoolPlan
from gpucluster.components.labelling import labelled_objects
from gpucluster.components.planning import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

SUBNET = "/subscriptions/s/resourceGroups/trial/providers/Microsoft.Network/virtualNetworks/trial/subnets/nodes"
DEV = PoolPlan(
    name="dev", max_gpus=8, expected_gpus="2", purchase=("spot", "on-demand"), keep_empty=5, expire_after=None
)
TUNING = PoolPlan(
    name="fine-tuning", max_gpus=16, expected_gpus=None, purchase=("spot",), keep_empty=30, expire_after=336
)
ARGS = KarpenterPoolsArgs(
    region="eastus",
    zone="1",
    subnet_id=SUBNET,
    machine_types=["Standard_NC40ads_H100_v5"],
    pools=[DEV, TUNING],
    driver_owner="operators",
    image_family="Ubuntu2204",
    lustre=True,
)


def declared(registered: Run, args: KarpenterPoolsArgs = ARGS) -> dict[str, tuple[str, dict[str, Any]]]:
    found = registered(lambda: KarpenterPools("elastic", args, after=[], opts=labelled_objects({"team": "ml"}, None)))
    return {name: (type_, inputs) for type_, name, inputs in found}


def node_pool(
    name: str, *, gpus: str, purchase: list[str], expected: str | None = None, empty: str = "5m", age: str = "720h"
) -> tuple[str, dict[str, Any]]:
    return "kubernetes:karpenter.sh/v1:NodePool", {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {
            "name": name,
            "labels": {"team": "ml"},
            **({"annotations": {"gpucluster/expected-gpus": expected}} if expected else {}),
        },
        "spec": {
            "template": {
                "metadata": {"labels": {"team": "ml", "gpucluster/pool": name, "nvidia.com/gpu.present": "true"}},
                "spec": {
                    "nodeClassRef": {
                        "group": "karpenter.azure.com",
                        "kind": "AKSNodeClass",
                        "name": "elastic",
                    },
                    "requirements": [
                        {
                            "key": "node.kubernetes.io/instance-type",
                            "operator": "In",
                            "values": ["Standard_NC40ads_H100_v5"],
                        },
                        {
                            "key": "karpenter.sh/capacity-type",
                            "operator": "In",
                            "values": purchase,
                        },
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-1"]},
                    ],
                    "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                    "startupTaints": [{"key": "azurelustre.csi.azure.com/agent-not-ready", "effect": "NoSchedule"}],
                    "expireAfter": age,
                    "terminationGracePeriod": "24h",
                },
            },
            "limits": {"nvidia.com/gpu": gpus},
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": empty,
                "budgets": [
                    {"nodes": "100%", "reasons": ["Empty"]},
                    {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
                ],
            },
        },
    }


def test_all_that_the_pools_are_made_of(registered: Run) -> None:
    assert declared(registered) == {
        "elastic-class": (
            "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
            {
                "apiVersion": "karpenter.azure.com/v1beta1",
                "kind": "AKSNodeClass",
                "metadata": {"name": "elastic", "labels": {"team": "ml"}},
                "spec": {
                    "vnetSubnetID": SUBNET,
                    "imageFamily": "Ubuntu2204",
                    "osDiskSizeGB": 200,
                    "gpu": {"mode": "None"},
                    "tags": {"name": "elastic-node"},
                },
            },
        ),
        "elastic-dev-pool": node_pool("dev", gpus="8", purchase=["spot", "on-demand"], expected="2"),
        "elastic-fine-tuning-pool": node_pool("fine-tuning", gpus="16", purchase=["spot"], empty="30m", age="336h"),
    }


def test_aks_brings_the_driver_where_it_owns_it(registered: Run) -> None:
    _, inputs = declared(registered, replace(ARGS, driver_owner="aks"))["elastic-class"]
    assert inputs["spec"]["gpu"] == {"mode": "Driver"}


def test_without_lustre_no_machine_waits_for_its_driver(registered: Run) -> None:
    _, inputs = declared(registered, replace(ARGS, lustre=False))["elastic-dev-pool"]
    assert "startupTaints" not in inputs["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    "wrong", [{"machine_types": ["Standard_ND96isr_H100_v5"]}, {"pools": [replace(DEV, purchase=("flex-start",))]}]
)
def test_what_it_cannot_carry_is_refused_before_anything_of_it_is_registered(
    registered: Run, wrong: dict[str, Any]
) -> None:
    with pytest.raises(PlanError, match=r"elastic\.engine (is ')?karpenter"):
        declared(registered, replace(ARGS, **wrong))

"""The elastic pool by node auto provisioning, typed out: its machines and their pool, and no Karpenter of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from components.azure.karpenter_pool import KarpenterPool, KarpenterPoolArgs
from components.plan import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]

SUBNET = "/subscriptions/s/resourceGroups/trial/providers/Microsoft.Network/virtualNetworks/trial/subnets/nodes"
ARGS = KarpenterPoolArgs(
    region="eastus",
    zone="1",
    subnet_id=SUBNET,
    machine_types=["Standard_NC40ads_H100_v5"],
    purchase=["spot", "on-demand"],
    max_gpus=8,
    expected_gpus="2",
    driver_owner="operators",
    image_family="Ubuntu2204",
    lustre=True,
    tags={"team": "ml"},
)


def declared(registered: Run, args: KarpenterPoolArgs = ARGS) -> dict[str, tuple[str, dict[str, Any]]]:
    found = registered(lambda: KarpenterPool("elastic", args, labels={"team": "ml"}, after=[]))
    return {name: (type_, inputs) for type_, name, inputs in found}


def test_all_that_the_pool_is_made_of(registered: Run) -> None:
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
                    "tags": {"team": "ml"},
                },
            },
        ),
        "elastic-pool": (
            "kubernetes:karpenter.sh/v1:NodePool",
            {
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodePool",
                "metadata": {
                    "name": "elastic",
                    "labels": {"team": "ml"},
                    "annotations": {"gpucluster/expected-gpus": "2"},
                },
                "spec": {
                    "template": {
                        "metadata": {
                            "labels": {"team": "ml", "gpucluster/pool": "elastic", "nvidia.com/gpu.present": "true"}
                        },
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
                                    "values": ["spot", "on-demand"],
                                },
                                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eastus-1"]},
                            ],
                            "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                            "startupTaints": [
                                {"key": "azurelustre.csi.azure.com/agent-not-ready", "effect": "NoSchedule"}
                            ],
                            "expireAfter": "720h",
                            "terminationGracePeriod": "24h",
                        },
                    },
                    "limits": {"nvidia.com/gpu": "8"},
                    "disruption": {
                        "consolidationPolicy": "WhenEmpty",
                        "consolidateAfter": "5m",
                        "budgets": [
                            {"nodes": "100%", "reasons": ["Empty"]},
                            {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
                        ],
                    },
                },
            },
        ),
    }


def test_aks_brings_the_driver_where_it_owns_it(registered: Run) -> None:
    _, inputs = declared(registered, replace(ARGS, driver_owner="aks"))["elastic-class"]
    assert inputs["spec"]["gpu"] == {"mode": "Driver"}


def test_without_lustre_no_machine_waits_for_its_driver(registered: Run) -> None:
    _, inputs = declared(registered, replace(ARGS, lustre=False))["elastic-pool"]
    assert "startupTaints" not in inputs["spec"]["template"]["spec"]


@pytest.mark.parametrize("wrong", [{"machine_types": ["Standard_ND96isr_H100_v5"]}, {"purchase": ["flex-start"]}])
def test_what_it_cannot_carry_is_refused_before_anything_of_it_is_registered(
    registered: Run, wrong: dict[str, Any]
) -> None:
    with pytest.raises(PlanError, match=r"elastic\.engine is 'karpenter'"):
        declared(registered, replace(ARGS, **wrong))

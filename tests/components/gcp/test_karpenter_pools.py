"""Karpenter on Google Cloud, typed out: its account and grants, its charts, its machines and its pools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.components.elastic import PoolPlan
from gpucluster.components.gcp.karpenter_iam import MACHINE_PERMISSIONS, PERMISSIONS
from gpucluster.components.gcp.karpenter_pools import KarpenterPools, KarpenterPoolsArgs
from gpucluster.components.labelling import labelled_objects
from gpucluster.components.planning import PlanError

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
                    "nodeClassRef": {"group": "karpenter.k8s.gcp", "kind": "GCENodeClass", "name": "elastic"},
                    "requirements": [
                        {
                            "key": "node.kubernetes.io/instance-type",
                            "operator": "In",
                            "values": ["a3-highgpu-1g"],
                        },
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": purchase},
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-central1-a"]},
                    ],
                    "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
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
        "elastic-karpenter-account": (
            "gcp:serviceaccount/account:Account",
            {"accountId": "trial-dev-karpenter", "project": "acme", "displayName": "Karpenter"},
        ),
        "elastic-karpenter-account-machines-role": (
            "gcp:projects/iAMCustomRole:IAMCustomRole",
            {
                "project": "acme",
                "roleId": "trial_dev_karpenter_machines",
                "title": "Karpenter trial-dev-karpenter: its machines",
                "permissions": list(MACHINE_PERMISSIONS),
            },
        ),
        "elastic-karpenter-account-machines": (
            "gcp:projects/iAMMember:IAMMember",
            {
                "project": "acme",
                "role": "projects/acme/roles/trial_dev_karpenter_machines",
                "member": "serviceAccount:trial-dev-karpenter@acme.iam.gserviceaccount.com",
                "condition": {
                    "title": "machines-of-karpenter",
                    "expression": 'resource.name.extract("/instances/{name}").startsWith("karpenter-")',
                },
            },
        ),
        "elastic-karpenter-account-role": (
            "gcp:projects/iAMCustomRole:IAMCustomRole",
            {
                "project": "acme",
                "roleId": "trial_dev_karpenter",
                "title": "Karpenter trial-dev-karpenter",
                "permissions": list(PERMISSIONS),
            },
        ),
        "elastic-karpenter-account-grant": (
            "gcp:projects/iAMMember:IAMMember",
            {
                "project": "acme",
                "role": "projects/acme/roles/trial_dev_karpenter",
                "member": f"serviceAccount:{KARPENTER}",
            },
        ),
        "elastic-karpenter-account-nodes": (
            "gcp:serviceaccount/iAMMember:IAMMember",
            {
                "serviceAccountId": f"projects/acme/serviceAccounts/{NODES}",
                "role": "roles/iam.serviceAccountUser",
                "member": f"serviceAccount:{KARPENTER}",
            },
        ),
        "elastic-karpenter-account-workload": (
            "gcp:serviceaccount/iAMMember:IAMMember",
            {
                "serviceAccountId": f"projects/acme/serviceAccounts/{KARPENTER}",
                "role": "roles/iam.workloadIdentityUser",
                "member": "serviceAccount:acme.svc.id.goog[kube-system/karpenter]",
            },
        ),
        "elastic-karpenter-crd": (
            "kubernetes:helm.sh/v3:Release",
            {
                "chart": "karpenter-crd",
                "version": "0.5.0",
                "repositoryOpts": {"repo": CHARTS},
                "namespace": "kube-system",
                "values": {},
                "skipCrds": False,
                "atomic": True,
                "timeout": 600,
                "compat": "true",
            },
        ),
        "elastic-karpenter": (
            "kubernetes:helm.sh/v3:Release",
            {
                "name": "karpenter",
                "chart": "karpenter",
                "version": "0.5.0",
                "repositoryOpts": {"repo": CHARTS},
                "namespace": "kube-system",
                "values": {
                    "controller": {
                        "settings": {
                            "projectID": "acme",
                            "clusterLocation": "us-central1",
                            "clusterName": "trial-dev",
                            "defaultNodePoolTemplateName": "trial-system-nodes",
                            "defaultNodepoolServiceAccount": NODES,
                        }
                    },
                    "credentials": {"enabled": False},
                    "serviceAccount": {
                        "name": "karpenter",
                        "annotations": {"iam.gke.io/gcp-service-account": KARPENTER},
                    },
                },
                "skipCrds": True,
                "atomic": True,
                "timeout": 600,
                "compat": "true",
            },
        ),
        "elastic-class": (
            "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass",
            {
                "apiVersion": "karpenter.k8s.gcp/v1alpha1",
                "kind": "GCENodeClass",
                "metadata": {"name": "elastic", "labels": {"team": "ml"}},
                "spec": {
                    "serviceAccount": NODES,
                    "imageSelectorTerms": [{"family": "ContainerOptimizedOS", "channel": "cluster"}],
                    "disks": [{"category": "pd-balanced", "sizeGiB": 200, "boot": True}],
                    "networkConfig": {"enablePrivateNodes": True, "subnetwork": SUBNET},
                    "gpuDriverVersion": "default",
                    "labels": {"name": "elastic-node"},
                },
            },
        ),
        "elastic-dev-pool": node_pool("dev", gpus="8", purchase=["spot"], expected="2"),
        "elastic-fine-tuning-pool": node_pool("fine-tuning", gpus="16", purchase=["spot"], empty="30m", age="336h"),
    }


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

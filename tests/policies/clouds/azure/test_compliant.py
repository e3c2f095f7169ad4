"""Compliant clusters on Azure have no finding of any rule, and leave nothing open."""

from __future__ import annotations

import copy

from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING


def _findings(program):
    outcomes = evaluate(TRAINING.rules, program.stack().resources, today=program.today)
    found = [(outcome.rule.name, v.what) for outcome in outcomes for v in (*outcome.violations, *outcome.unknown)]
    return [finding for finding in found if not finding[0].startswith(("budget", "not-known-yet"))]


def test_a_compliant_cluster_has_no_finding(nd):
    assert _findings(nd) == []


def test_elastic_and_sliced_pools_beside_it_have_none(nd):
    nvl = copy.deepcopy(nd["train"])
    nvl.update(vmSize="Standard_NC40ads_H100_v5", count=2.0)
    sliced = {**nvl, "agentPoolName": "mig"}
    sliced["nodeLabels"] = {**nd.labels, "gpucluster/pool": "mig", "nvidia.com/mig.config": "all-1g.12gb"}
    elastic = {**nvl, "agentPoolName": "elastic", "enableAutoScaling": True, "minCount": 0.0, "maxCount": 8.0}
    elastic.update(scaleSetPriority="Spot", scaleSetEvictionPolicy="Delete", spotMaxPrice=-1.0)
    elastic["nodeLabels"] = {**nd.labels, "gpucluster/pool": "elastic"}
    for name, pool in (("mig", sliced), ("elastic", elastic)):
        nd.add("azure-native:containerservice:AgentPool", name, pool, resourceName=["cluster"], vnetSubnetID=["nodes"])
    assert _findings(nd) == []


def test_a_cluster_without_gpus_has_no_finding_of_any_rule(nd):
    nd.remove("train")
    nd["vnet"]["addressSpace"] = {"addressPrefixes": ["172.16.0.0/16"]}
    nd["cluster"].pop("autoUpgradeProfile")
    nd["cluster"]["agentPoolProfiles"][0].pop("type")
    nd.add(
        "azure-native:containerservice:AgentPool",
        "web",
        {
            "resourceName": nd.unknown,
            "agentPoolName": "web",
            "vmSize": "Standard_D4s_v5",
            "count": 3.0,
            "scaleSetPriority": "Spot",
            "vnetSubnetID": nd.unknown,
            "nodeLabels": dict(nd.labels),
            "tags": dict(nd.labels),
        },
        resourceName=["cluster"],
        vnetSubnetID=["nodes"],
    )
    requirements = [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]
    template = {
        "metadata": {"labels": dict(nd.labels)},
        "spec": {"nodeClassRef": {"group": "karpenter.azure.com"}, "requirements": requirements},
    }
    metadata = {"name": "default", "labels": dict(nd.labels)}
    nd.add("kubernetes:karpenter.sh/v1:NodePool", "default", {"metadata": metadata, "spec": {"template": template}})
    assert _findings(nd) == []

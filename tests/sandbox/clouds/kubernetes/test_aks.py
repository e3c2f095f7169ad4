"""The kinds that AKS and NVIDIA's operators put into a cluster, and what their definitions refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.ledger import Entry, Ledger

Asked = Callable[..., Resource]
Create = Callable[[Resource], Entry]

SERVER = "https://trial.hcp.eastus.azmk8s.io.sandbox.invalid:443"
RELEASE = "helm.sh/v3:Release"
POOL = "karpenter.sh/v1:NodePool"
CLASS = "karpenter.azure.com/v1beta1:AKSNodeClass"
POLICY = "mellanox.com/v1alpha1:NicClusterPolicy"
MONITOR = "azmonitoring.coreos.com/v1:PodMonitor"
RULE = "nfd.k8s-sigs.io/v1alpha1:NodeFeatureRule"

EXPRESSION = {"feature": "pci.device", "matchExpressions": {"device": {"op": "In", "value": ["101e"]}}}
GOOD: dict[str, dict[str, Any]] = {
    POOL: {"template": {"metadata": {"labels": {"team": "ml"}}, "spec": {"requirements": []}}},
    CLASS: {"imageFamily": "Ubuntu2204", "osDiskSizeGB": 200, "gpu": {"mode": "None"}},
    POLICY: {"ofedDriver": {"image": "doca-driver", "upgradePolicy": {"maxParallelUpgrades": 1}}},
    MONITOR: {"selector": {"matchLabels": {"app": "exporter"}}, "podMetricsEndpoints": [{"port": "metrics"}]},
    RULE: {"rules": [{"name": "r", "labels": {"ib": "true"}, "matchFeatures": [EXPRESSION]}]},
}


def aks_cluster(ledger: Ledger, **inputs: Any) -> Cluster:
    ledger.put(
        Entry(
            provider="azure-native",
            scope="s",
            type="azure-native:containerservice:ManagedCluster",
            id="c",
            name="c",
            urn="u",
            inputs=inputs,
            outputs={"fqdn": "trial.hcp.eastus.azmk8s.io.sandbox.invalid"},
        )
    )
    return Cluster(ledger, SERVER, {})


@pytest.fixture
def cluster(ledger: Ledger) -> Cluster:
    """An AKS cluster with node auto provisioning and managed Prometheus."""
    return aks_cluster(
        ledger,
        nodeProvisioningProfile={"mode": "Auto", "defaultNodePools": "None"},
        azureMonitorProfile={"metrics": {"enabled": True}},
    )


@pytest.fixture
def put(cluster: Cluster, ledger: Ledger) -> Create:
    """Creates an object in the AKS cluster as the engine would."""

    def make(resource: Resource) -> Entry:
        checked = replace(resource, inputs=cluster.defaults(resource, b"seed"))
        made = cluster.create(checked)
        entry = Entry(
            provider="kubernetes",
            scope=SERVER,
            type=checked.token,
            id=made.id,
            name=made.name,
            urn=checked.urn,
            inputs=dict(checked.inputs),
            outputs={},
        )
        ledger.put(entry)
        return entry

    return make


@pytest.mark.parametrize("token", [POOL, CLASS])
def test_a_cluster_that_provisions_nodes_knows_karpenters_kinds(put: Create, asked: Asked, token: str) -> None:
    assert put(asked(token, metadata={"name": "it"}, spec=GOOD[token])).id == "it"


@pytest.mark.parametrize("profile", [{}, {"nodeProvisioningProfile": {"mode": "Manual"}}])
@pytest.mark.parametrize("token", [POOL, CLASS])
def test_without_provisioning_they_are_not_there(
    ledger: Ledger, asked: Asked, token: str, profile: dict[str, Any]
) -> None:
    with pytest.raises(CloudError, match="no matches for kind"):
        aks_cluster(ledger, **profile).create(asked(token, metadata={"name": "it"}, spec=GOOD[token]))


def test_a_cluster_with_managed_prometheus_knows_its_kinds(put: Create, asked: Asked) -> None:
    assert put(asked(MONITOR, metadata={"name": "it"}, spec=GOOD[MONITOR])).id == "it"


@pytest.mark.parametrize("profile", [{}, {"azureMonitorProfile": {"metrics": {"enabled": False}}}])
def test_without_managed_prometheus_they_are_not_there(ledger: Ledger, asked: Asked, profile: dict[str, Any]) -> None:
    with pytest.raises(CloudError, match="no matches for kind"):
        aks_cluster(ledger, **profile).create(asked(MONITOR, metadata={"name": "it"}, spec=GOOD[MONITOR]))


@pytest.mark.parametrize(
    ("release", "token", "known"),
    [
        ({"chart": "network-operator"}, POLICY, True),
        ({"chart": "network-operator"}, RULE, True),
        ({"chart": "network-operator", "values": {"nfd": {"enabled": False}}}, RULE, False),
        ({"chart": "network-operator", "skipCrds": True}, POLICY, False),
        ({"chart": "network-operator"}, "nvidia.com/v1:ClusterPolicy", False),
        ({"chart": "gpu-operator"}, "nvidia.com/v1:ClusterPolicy", True),
        ({"chart": "gpu-operator"}, RULE, True),
        ({"chart": "gpu-operator", "values": {"nfd": {"enabled": False}}}, RULE, False),
        ({"chart": "gpu-operator"}, POLICY, False),
        ({"chart": "some-operator"}, POLICY, False),
    ],
)
def test_an_operator_brings_the_kinds_of_its_chart_and_of_the_parts_that_are_on(
    put: Create, asked: Asked, release: dict[str, Any], token: str, known: bool
) -> None:
    put(asked(RELEASE, "r", **release))
    made = asked(token, metadata={"name": "it"}, spec=GOOD.get(token, {}))
    if known:
        assert put(made).id == "it"
    else:
        with pytest.raises(CloudError, match="no matches for kind"):
            put(made)


def labelled(key: str) -> dict[str, Any]:
    return {"template": {"metadata": {"labels": {key: "x"}}}}


def required(key: str) -> dict[str, Any]:
    return {"template": {"spec": {"requirements": [{"key": key, "operator": "Exists"}]}}}


@pytest.mark.parametrize(
    ("token", "spec", "expected"),
    [
        (
            POOL,
            labelled("karpenter.azure.com/team"),
            'NodePool.karpenter.sh "it" is invalid: spec.template.metadata.labels: Invalid value: "object": label '
            'domain "karpenter.azure.com" is restricted',
        ),
        (POOL, labelled("kubernetes.azure.com/team"), 'label domain "kubernetes.azure.com" is restricted'),
        (POOL, labelled("agentpool"), 'label "agentpool" is restricted'),
        (
            POOL,
            required("karpenter.azure.com/sku-speed"),
            'spec.template.spec.requirements[0].key: Invalid value: "string": label domain "karpenter.azure.com" is '
            "restricted",
        ),
        (
            CLASS,
            {"gpu": {"mode": "none"}},
            'AKSNodeClass.karpenter.azure.com "it" is invalid: spec.gpu.mode: Unsupported value: "none": supported '
            'values: "Driver", "None"',
        ),
        (CLASS, {"imageFamily": "Ubuntu2004"}, 'spec.imageFamily: Unsupported value: "Ubuntu2004"'),
        (CLASS, {"osDiskSizeGB": 29}, "spec.osDiskSizeGB in body should be greater than or equal to 30"),
        (CLASS, {"osDiskSizeGB": 4096}, "spec.osDiskSizeGB in body should be less than or equal to 2048"),
        (CLASS, {"maxPods": 5}, "spec.maxPods in body should be greater than or equal to 10"),
        (CLASS, {"vnetSubnetID": "nodes"}, 'spec.vnetSubnetID: Invalid value: "nodes"'),
        (CLASS, {"fipsMode": "FIPS"}, "FIPS is not yet supported for Ubuntu2204 or Ubuntu2404"),
        (POLICY, {"ofedDriver": {"version": "v1"}}, "spec.ofedDriver.image: Required value"),
        (
            POLICY,
            {"ofedDriver": {"image": "i", "upgradePolicy": {"maxParallelUpgrades": -1}}},
            "spec.ofedDriver.upgradePolicy.maxParallelUpgrades: Invalid value: -1",
        ),
        (MONITOR, {}, "spec.selector: Required value"),
        (
            MONITOR,
            {"selector": {}, "podMetricsEndpoints": [{"relabelings": [{"action": "labelDrop"}]}]},
            'spec.podMetricsEndpoints[0].relabelings[0].action: Unsupported value: "labelDrop"',
        ),
        (RULE, {}, "spec.rules: Required value"),
        (RULE, {"rules": [{}]}, "spec.rules[0].name: Required value"),
        (
            RULE,
            {"rules": [{"name": "r", "matchFeatures": [{**EXPRESSION, "matchExpressions": {"device": {"op": "in"}}}]}]},
            'spec.rules[0].matchFeatures[0].matchExpressions.device.op: Unsupported value: "in"',
        ),
    ],
)
def test_what_their_definitions_refuse_is_refused_on_create_and_update(
    cluster: Cluster, put: Create, asked: Asked, token: str, spec: dict[str, Any], expected: str
) -> None:
    put(asked(RELEASE, "r", chart="network-operator"))
    wrong = asked(token, metadata={"name": "it"}, spec=spec)
    with pytest.raises(CloudError, match=re.escape(expected)):
        put(wrong)
    with pytest.raises(CloudError, match=re.escape(expected)):
        cluster.update(replace(wrong, id="it"))


@pytest.mark.parametrize("key", ["team", "karpenter.azure.com/sku-gpu-count", "kubernetes.azure.com/mode"])
def test_other_keys_are_taken(put: Create, asked: Asked, key: str) -> None:
    put(asked(POOL, "a", metadata={"name": "a"}, spec=labelled(key)))
    put(asked(POOL, "b", metadata={"name": "b"}, spec=required(key)))


def test_what_azure_keeps_for_itself_is_free_on_another_cloud(asked: Asked, ledger: Ledger) -> None:
    eks = "https://ABC.gr7.us-east-1.eks.sandbox.invalid"
    ledger.put(
        Entry(
            provider="aws",
            scope="us-east-1",
            type="aws:eks/cluster:Cluster",
            id="c",
            name="c",
            urn="u",
            inputs={},
            outputs={"endpoint": eks},
        )
    )
    elsewhere = Cluster(ledger, eks, {})
    assert elsewhere.update(replace(asked(POOL, metadata={"name": "p"}, spec=labelled("agentpool")), id="p")).id == "p"

"""The kinds that GKE puts into its clusters, and what their definitions refuse."""

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

SERVER = "https://203.0.113.7"
NETWORK = "networking.gke.io/v1:Network"
PARAMETERS = "networking.gke.io/v1:GKENetworkParamSet"
CLASS = "cloud.google.com/v1:ComputeClass"
MONITORING = "monitoring.googleapis.com/v1:PodMonitoring"
RULES = "monitoring.googleapis.com/v1:ClusterRules"
PROMETHEUS = {"monitoringConfig": {"managedPrometheus": {"enabled": True}}}
NODE_CLASS = "karpenter.k8s.gcp/v1alpha1:GCENodeClass"
POOL = "karpenter.sh/v1:NodePool"
RELEASE = "helm.sh/v3:Release"
CHARTS = {"repositoryOpts": {"repo": "https://cloudpilot-ai.github.io/karpenter-provider-gcp"}}

GOOD: dict[str, dict[str, Any]] = {
    NETWORK: {
        "type": "Device",
        "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": "v"},
    },
    PARAMETERS: {"vpc": "v", "vpcSubnet": "s", "deviceMode": "NetDevice"},
    CLASS: {
        "priorities": [{"nodepools": ["elastic"]}, {"machineType": "a3-highgpu-1g", "spot": True}],
        "whenUnsatisfiable": "DoNotScaleUp",
    },
    MONITORING: {
        "selector": {"matchLabels": {"app": "exporter"}},
        "endpoints": [{"port": "metrics", "interval": "30s"}],
        "targetLabels": {"metadata": ["pod"]},
    },
    RULES: {"groups": [{"name": "g", "rules": [{"record": "a:b", "expr": "up"}, {"alert": "A", "expr": "up == 0"}]}]},
}


@pytest.fixture
def cluster(ledger: Ledger) -> Cluster:
    """A GKE cluster with multi-networking and managed Prometheus."""
    return gke_cluster(ledger, enableMultiNetworking=True, **PROMETHEUS)


def gke_cluster(ledger: Ledger, **inputs: Any) -> Cluster:
    ledger.put(
        Entry(
            provider="gcp",
            scope="p",
            type="gcp:container/cluster:Cluster",
            id="c",
            name="c",
            urn="u",
            inputs=inputs,
            outputs={"endpoint": "203.0.113.7"},
        )
    )
    return Cluster(ledger, SERVER, {})


@pytest.fixture
def put(cluster: Cluster, ledger: Ledger) -> Create:
    """Creates an object in the GKE cluster as the engine would."""

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


@pytest.mark.parametrize("token", [NETWORK, PARAMETERS, CLASS, MONITORING, RULES])
def test_a_gke_cluster_with_multi_networking_and_prometheus_knows_googles_kinds(
    put: Create, asked: Asked, token: str
) -> None:
    assert put(asked(token, metadata={"name": "it"}, spec=GOOD[token])).id == "it"


@pytest.mark.parametrize("chart", [None, "some-operator"])
@pytest.mark.parametrize("token", [NETWORK, PARAMETERS])
def test_without_multi_networking_its_kinds_are_not_there_whatever_charts_are(
    ledger: Ledger, asked: Asked, token: str, chart: str | None
) -> None:
    plain = gke_cluster(ledger)
    if chart is not None:
        ledger.put(
            Entry(
                provider="kubernetes",
                scope=SERVER,
                type="kubernetes:helm.sh/v3:Release",
                id="kube-system/r",
                name="r",
                urn="u",
                inputs={"chart": chart},
                outputs={},
            )
        )
    with pytest.raises(CloudError, match=r"no matches for kind .* in version \"networking.gke.io/v1\""):
        plain.create(asked(token, metadata={"name": "it"}, spec=GOOD[token]))
    assert plain.create(asked(CLASS, metadata={"name": "it"}, spec=GOOD[CLASS])).id == "it"


@pytest.mark.parametrize("token", [MONITORING, RULES])
@pytest.mark.parametrize("managed", [{}, {"monitoringConfig": {"managedPrometheus": {"enabled": False}}}])
def test_without_managed_prometheus_its_kinds_are_not_there(
    ledger: Ledger, asked: Asked, token: str, managed: dict[str, Any]
) -> None:
    with pytest.raises(CloudError, match=r"no matches for kind .* in version \"monitoring.googleapis.com/v1\""):
        gke_cluster(ledger, **managed).create(asked(token, metadata={"name": "it"}, spec=GOOD[token]))


@pytest.mark.parametrize("token", [NETWORK, PARAMETERS, CLASS, MONITORING, RULES])
def test_a_cluster_of_another_cloud_knows_none_of_them(asked: Asked, token: str, ledger: Ledger) -> None:
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
    with pytest.raises(CloudError, match="no matches for kind"):
        Cluster(ledger, eks, {}).create(asked(token, metadata={"name": "it"}, spec=GOOD[token]))


@pytest.mark.parametrize(
    ("token", "name", "change", "expected"),
    [
        (
            NETWORK,
            "n" * 42,
            {},
            f'Network.networking.gke.io "{"n" * 42}" is invalid: metadata.name: Too long: must have at most 41 '
            "characters",
        ),
        (
            NETWORK,
            "n",
            {"parametersRef": None},
            'Network.networking.gke.io "n" is invalid: spec.parametersRef: Required',
        ),
        (
            PARAMETERS,
            "p" * 42,
            {},
            f'GKENetworkParamSet.networking.gke.io "{"p" * 42}" is invalid: metadata.name: Too long',
        ),
        (
            PARAMETERS,
            "p",
            {"vpc": None},
            'GKENetworkParamSet.networking.gke.io "p" is invalid: spec.vpc: Required value',
        ),
        (
            PARAMETERS,
            "p",
            {"vpc": None, "vpcSubnet": ""},
            "spec.vpc: Required value; spec.vpcSubnet: Required value",
        ),
        (
            PARAMETERS,
            "p",
            {"deviceMode": "rdma"},
            'spec.deviceMode: Unsupported value: "rdma": supported values: "NetDevice", "RDMA"',
        ),
        (CLASS, "gke-elastic", {}, 'metadata.name: Invalid value: "gke-elastic"'),
        (
            CLASS,
            "c",
            {"priorities": [{"nodepools": ["a"], "spot": True}]},
            "spec.priorities[0]: Invalid value: Nodepool field cannot be set along with other fields",
        ),
        (
            CLASS,
            "c",
            {"priorities": [{"spot": True, "flexStart": {"enabled": True}}]},
            "spec.priorities[0]: Invalid value: Flex Start provisioning model is incompatible with Spot",
        ),
        (
            CLASS,
            "c",
            {"priorities": [{"machineFamily": "a3", "machineType": "a3-highgpu-1g"}, {}]},
            "spec.priorities[0]: Invalid value: MachineFamily and MachineType cannot be set together; "
            "spec.priorities[1]: "
            "Invalid value: should have at least 1 properties",
        ),
        (CLASS, "c", {"whenUnsatisfiable": "Never"}, 'spec.whenUnsatisfiable: Unsupported value: "Never"'),
        (
            MONITORING,
            "m",
            {"selector": None},
            'PodMonitoring.monitoring.googleapis.com "m" is invalid: spec.selector: Required',
        ),
        (
            MONITORING,
            "m",
            {"targetLabels": {"metadata": ["namespace"]}},
            'spec.targetLabels.metadata[0]: Unsupported value: "namespace"',
        ),
        (
            RULES,
            "r",
            {"groups": [{"name": "g", "rules": [{"record": "a:b"}, {"expr": "up"}]}]},
            'spec.groups[0].rules[0].expr: Required value; spec.groups[0].rules[1]: Invalid value: "object": Must set '
            "exactly one of Record or Alert",
        ),
        (
            RULES,
            "r",
            {"groups": [{"name": "g", "rules": [{"record": "a:b", "expr": "up", "annotations": {"a": "b"}}]}]},
            "Annotations are only allowed for alerting rules",
        ),
    ],
)
def test_what_their_definitions_refuse_is_refused_on_create_and_update(
    cluster: Cluster, put: Create, asked: Asked, token: str, name: str, change: dict[str, Any], expected: str
) -> None:
    wrong = asked(token, metadata={"name": name}, spec={**GOOD[token], **change})
    with pytest.raises(CloudError, match=re.escape(expected)):
        put(wrong)
    with pytest.raises(CloudError, match=re.escape(expected)):
        cluster.update(replace(wrong, id=name))


def test_a_name_of_41_characters_is_taken(put: Create, asked: Asked) -> None:
    assert put(asked(NETWORK, metadata={"name": "n" * 41}, spec=GOOD[NETWORK])).id == "n" * 41


@pytest.mark.parametrize(
    ("release", "token", "known"),
    [
        ({"chart": "karpenter-crd", **CHARTS}, NODE_CLASS, True),
        ({"chart": "karpenter-crd", **CHARTS}, POOL, True),
        ({"chart": "karpenter-crd", **CHARTS}, "karpenter.k8s.aws/v1:EC2NodeClass", False),
        ({"chart": "karpenter", **CHARTS}, NODE_CLASS, True),
        ({"chart": "karpenter", "skipCrds": True, **CHARTS}, NODE_CLASS, False),
        ({"chart": "oci://public.ecr.aws/karpenter/karpenter-crd"}, NODE_CLASS, False),
        ({"chart": "some-operator"}, NODE_CLASS, False),
    ],
)
def test_karpenter_for_google_cloud_brings_its_own_kinds(
    put: Create, asked: Asked, release: dict[str, Any], token: str, known: bool
) -> None:
    put(asked(RELEASE, "r", **release))
    if known:
        assert put(asked(token, metadata={"name": "it"})).id == "it"
    else:
        with pytest.raises(CloudError, match="no matches for kind"):
            put(asked(token, metadata={"name": "it"}))


@pytest.mark.parametrize("chart", ["karpenter", "karpenter-crd"])
def test_karpenter_is_not_removed_while_a_class_of_google_clouds_exists(
    cluster: Cluster, put: Create, asked: Asked, ledger: Ledger, chart: str
) -> None:
    releases = {name: put(asked(RELEASE, name, chart=name, **CHARTS)) for name in ("karpenter-crd", "karpenter")}
    left = put(asked(NODE_CLASS, metadata={"name": "elastic"}))
    with pytest.raises(CloudError, match="while GCENodeClass elastic exists"):
        cluster.delete(releases[chart])
    ledger.remove(left.provider, left.scope, left.type, left.id)
    cluster.delete(releases[chart])


def test_a_cluster_with_managed_prometheus_has_its_namespaces(ledger: Ledger, asked: Asked) -> None:
    secret = {"metadata": {"name": "alertmanager", "namespace": "gmp-public"}, "stringData": {"alertmanager.yaml": ""}}
    made = gke_cluster(ledger, **PROMETHEUS).create(asked("core/v1:Secret", **secret))
    assert made.id == "gmp-public/alertmanager"
    with pytest.raises(CloudError, match='namespaces "gmp-public" not found'):
        gke_cluster(ledger).create(asked("core/v1:Secret", **secret))

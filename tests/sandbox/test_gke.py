"""A GKE cluster on the real engine: what it knows by itself, what it refuses, and the order in which things go."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.engine

PROGRAM = """
    import json
    import pulumi
    import pulumi_gcp as gcp
    import pulumi_kubernetes as kubernetes
    from pulumi_gcp import container
    from pulumi_kubernetes.apiextensions import CustomResource
    from pulumi_kubernetes.helm.v3 import Release, RepositoryOptsArgs

    config = pulumi.Config()
    google = gcp.Provider("google", project="acme-project", region="us-central1")
    multi = config.get("multi") != "no"
    cluster = container.Cluster(
        "c", location="us-central1", initial_node_count=1, deletion_protection=False, networking_mode="VPC_NATIVE",
        ip_allocation_policy={}, enable_multi_networking=multi, datapath_provider="ADVANCED_DATAPATH",
        opts=pulumi.ResourceOptions(provider=google),
    )
    provider = kubernetes.Provider("api", kubeconfig=cluster.endpoint.apply(lambda host: json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        "clusters": [{"name": "it", "cluster": {"server": f"https://{host}"}}],
        "users": [{"name": "it", "user": {"exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1", "command": "gke-gcloud-auth-plugin",
            "provideClusterInfo": True,
        }}}],
    })))

    def on(*before):
        return pulumi.ResourceOptions(provider=provider, depends_on=list(before))

    name = config.get("name") or "vpc1"
    parameters = CustomResource(
        "parameters", api_version="networking.gke.io/v1", kind="GKENetworkParamSet", metadata={"name": name},
        spec={
            "vpcSubnet": "s", config.get("field") or "deviceMode": "NetDevice",
            **({} if config.get("vpc") == "no" else {"vpc": "v"}),
        },
        opts=on(),
    )
    CustomResource(
        "network", api_version="networking.gke.io/v1", kind="Network", metadata={"name": name},
        spec={"type": "Device", "parametersRef": {
            "group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name,
        }},
        opts=on(parameters),
    )
    charts = RepositoryOptsArgs(repo="https://cloudpilot-ai.github.io/karpenter-provider-gcp")
    crd = Release("crd", chart="karpenter-crd", repository_opts=charts, namespace="kube-system", opts=on())
    chart = Release("karpenter", chart="karpenter", repository_opts=charts, skip_crds=True, namespace="kube-system",
                    opts=on(crd))
    CustomResource("class", api_version="karpenter.k8s.gcp/v1alpha1", kind="GCENodeClass",
                   metadata={"name": "elastic"}, spec={"imageSelectorTerms": []}, opts=on(chart))
    CustomResource("native", api_version="cloud.google.com/v1", kind="ComputeClass", metadata={"name": "elastic"},
                   spec={"priorities": [{"machineType": "a3-highgpu-1g", "spot": True}]}, opts=on())
"""


@pytest.mark.slow
def test_a_whole_life_with_googles_own_kinds_and_karpenter(project: Any) -> None:
    project.write(PROGRAM)
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.plan() == {}
    lines = project.pulumi("destroy", "--yes", "--skip-preview").splitlines()
    gone = [words[words.index("deleted") - 1] for words in map(str.split, lines) if "deleted" in words[:5]]
    assert [name for name in gone if name in ("class", "karpenter", "crd", "c")] == ["class", "karpenter", "crd", "c"]
    assert project.ledger() == []


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({"small:multi": "no"}, 'no matches for kind "GKENetworkParamSet" in version "networking.gke.io/v1"'),
        ({"small:name": "n" * 42}, "is invalid: metadata.name: Too long: must have at most 41 characters"),
        ({"small:vpc": "no"}, 'GKENetworkParamSet.networking.gke.io "vpc1" is invalid: spec.vpc: Required value'),
        ({"small:field": "deviceMod"}, "unknown property 'deviceMod'; did you mean 'deviceMode'?"),
    ],
    ids=["no-multi-networking", "long-name", "no-vpc", "no-such-property"],
)
def test_what_a_real_cluster_would_refuse_is_refused(project: Any, setting: dict[str, str], expected: str) -> None:
    project.write(PROGRAM, **setting)
    assert expected in project.refused("up", "--yes", "--skip-preview")

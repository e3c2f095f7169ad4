"""Every Kubernetes object of every recorded spec has the properties and values of its kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.object_types import custom_type
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.values import Secret
from tests.components.recorded import SPECS, Hidden, Recorded, plan_of

SERVERS = {
    "aws": ("aws:eks/cluster:Cluster", {"endpoint": "https://c.sandbox.invalid"}),
    "azure": ("azure-native:containerservice:ManagedCluster", {"fqdn": "c.sandbox.invalid"}),
    "gcp": ("gcp:container/cluster:Cluster", {"endpoint": "c.sandbox.invalid"}),
}
SERVER = {
    "aws": "https://c.sandbox.invalid",
    "azure": "https://c.sandbox.invalid:443",
    "gcp": "https://c.sandbox.invalid",
}
UNPUBLISHED = {
    "aws": set[str](),
    # Of NVIDIA's network operator and of AKS' metrics: no module has their definitions.
    "azure": {"NicClusterPolicy", "PodMonitor", "ServiceMonitor"},
    # Of GKE's classes and of Karpenter for Google Cloud, likewise.
    "gcp": {"ComputeClass", "GCENodeClass"},
}


Making = Callable[[str, Any], Resource]


@pytest.fixture(scope="module")
def resource() -> Making:
    """An object of a type with these inputs, as the sandbox has it."""
    kubernetes, schema = Kubernetes(), Schema(installed_sdks(site_packages(None))["kubernetes"])

    def make(token: str, inputs: Any) -> Resource:
        type_ = kubernetes.resource_type(schema, token)
        assert type_ is not None
        return Resource(urn=f"urn:pulumi:dev::small::{token}::it", type=type_, inputs=inputs)

    return make


def opened(value: Any) -> Any:
    """A recorded value as the sandbox has it."""
    if isinstance(value, Hidden):
        return Secret(opened(value["secret"]))
    if isinstance(value, dict):
        return {key: opened(item) for key, item in value.items()}
    return [opened(item) for item in value] if isinstance(value, list) else value


def cluster_of(cloud: str, plan: Recorded, folder: Path) -> Cluster:
    """The cluster of a plan with all its charts."""
    ledger = Ledger(folder / "ledger")
    type_, outputs = SERVERS[cloud]

    def put(scope: str, token: str, name: str, inputs: Any, outputs: Any) -> None:
        ledger.put(
            Entry(
                provider=token.partition(":")[0],
                scope=scope,
                type=token,
                id=name,
                name=name,
                urn=name,
                inputs=inputs,
                outputs=outputs,
            )
        )

    put("here", type_, "c", plan.inputs["control-plane-cluster"], outputs)
    for name, token in plan.types.items():
        if token == RELEASE:
            put(SERVER[cloud], token, name, opened(plan.inputs[name]), {})
    return Cluster(ledger, SERVER[cloud], {})


def objects_of(plan: Recorded) -> dict[str, str]:
    """Name -> token of the objects of a plan."""
    return {name: token for name, token in plan.types.items() if token.startswith("kubernetes:") and token != RELEASE}


@pytest.mark.parametrize(("cloud", "spec"), SPECS)
def test_every_object_has_the_properties_and_values_of_its_kind(
    cloud: str, spec: str, resource: Making, tmp_path: Path
) -> None:
    plan = plan_of(cloud, spec)
    cluster, objects = cluster_of(cloud, plan, tmp_path), objects_of(plan)
    made = {name: resource(token, opened(plan.inputs[name])) for name, token in objects.items()}
    assert {name: found for name, one in made.items() if (found := cluster.failures(one))} == {}
    custom = {token for name, token in objects.items() if made[name].type.open}
    unknown = {token for token in custom if custom_type(cluster.ledger, cluster.server, token) is None}
    assert {token.rpartition(":")[2] for token in unknown} <= UNPUBLISHED[cloud]


def with_mistake(value: Any, right: str, wrong: str) -> Any:
    """The same value with another name of a property, or another text."""
    if isinstance(value, Hidden):
        return Hidden(secret=with_mistake(value["secret"], right, wrong))
    if isinstance(value, dict):
        return {wrong if key == right else key: with_mistake(item, right, wrong) for key, item in value.items()}
    if isinstance(value, list):
        return [with_mistake(item, right, wrong) for item in value]
    return wrong if value == right else value


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "reasons"),
    [
        ("NetworkPolicy", "podSelector", "podSelektor", {
            "unknown property 'podSelektor'; did you mean 'podSelector'?", "missing required property 'podSelector'",
        }),
        ("ClusterQueue", "nominalQuota", "nominalQuotas", {
            "unknown property 'nominalQuotas'; did you mean 'nominalQuota'?",
            "missing required property 'nominalQuota'",
        }),
        ("ClusterRoleBinding", "roleRef", "roleReff", {
            "unknown property 'roleReff'; did you mean 'roleRef'?", "missing required property 'roleRef'",
        }),
        ("NodePool", "consolidateAfter", "consolidatAfter", {
            "unknown property 'consolidatAfter'; did you mean 'consolidateAfter'?"
        }),
        ("PersistentVolume", "Retain", "Retains", {"expected one of Delete, Recycle, Retain, got 'Retains'"}),
        ("Deployment", "priorityClassName", "priorityClasName", {
            "unknown property 'priorityClasName'; did you mean 'priorityClassName'?"
        }),
    ],
)  # fmt: skip
def test_a_mistake_of_one_letter_in_an_object_is_found(
    kind: str, right: str, wrong: str, reasons: set[str], resource: Making, tmp_path: Path
) -> None:
    plan = plan_of("aws", "trial")
    cluster, given = cluster_of("aws", plan, tmp_path), plan.of(kind)
    mistaken = {name: changed for name, one in given.items() if (changed := with_mistake(one, right, wrong)) != one}
    assert mistaken
    for name, inputs in mistaken.items():
        found = cluster.failures(resource(plan.types[name], opened(inputs)))
        assert {failure.reason for failure in found} == reasons, name

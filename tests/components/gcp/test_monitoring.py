"""Whom Google's collector may be in a cluster, typed from the definitions of managed Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.components.gcp.monitoring import Monitoring
from gpucluster.components.kubernetes.telemetry.alerts import Watched
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


@pytest.fixture
def declared(registered: Run) -> Callable[..., dict[str, dict[str, Any]]]:
    """The objects of a cluster, by name."""

    def run(*, karpenter: bool = False) -> dict[str, dict[str, Any]]:
        watched = Watched(labels={}, gpus=8, gpu_hour_usd=None)
        plan = TelemetryPlan(
            watched=watched, price_sheet=None, collector=False, node_health=False, million_samples=Decimal(1), bought=()
        )
        found = registered(lambda: Monitoring("m", plan, karpenter=karpenter, registry=None, after=[], queue=[]))
        return {name: inputs for _, name, inputs in found}

    return run


@pytest.mark.parametrize(("target", "namespace"), [("kueue", "kueue-system"), ("jobset", "jobset-system")])
def test_a_token_of_the_targets_namespace_is_read_by_the_collector_alone(
    declared: Callable[..., dict[str, dict[str, Any]]], target: str, namespace: str
) -> None:
    found = declared()

    secret, role = found[f"m-{target}-token"], found[f"m-{target}-token-role"]
    assert (secret["type"], secret["metadata"]) == (
        "kubernetes.io/service-account-token",
        {
            "name": "metrics-reader",
            "namespace": namespace,
            "annotations": {"kubernetes.io/service-account.name": "metrics-reader"},
        },
    )
    assert found[f"m-{target}-reader"]["metadata"] == {"name": "metrics-reader", "namespace": namespace}
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["metrics-reader"], "verbs": ["get"]}
    ]
    bound = found[f"m-{target}-token-binding"]
    assert (bound["metadata"]["namespace"], bound["roleRef"]["name"], bound["subjects"]) == (
        namespace,
        "metrics-reader",
        [{"kind": "ServiceAccount", "name": "collector", "namespace": "gmp-system"}],
    )
    reads = found[f"m-{target}-reads-metrics"]
    assert (reads["roleRef"]["name"], reads["subjects"]) == (
        f"{target}-metrics-reader",
        [{"kind": "ServiceAccount", "name": "metrics-reader", "namespace": namespace}],
    )
    [endpoint] = found[f"m-{target}"]["spec"]["endpoints"]
    assert (endpoint["scheme"], endpoint["tls"], endpoint["authorization"]) == (
        "https",
        {"insecureSkipVerify": True},
        {"credentials": {"secret": {"name": "metrics-reader", "key": "token"}}},
    )


def test_karpenter_is_read_where_it_runs(declared: Callable[..., dict[str, dict[str, Any]]]) -> None:
    assert "m-karpenter" not in declared()
    monitor = declared(karpenter=True)["m-karpenter"]
    assert (monitor["metadata"]["namespace"], monitor["spec"]["selector"]) == (
        "kube-system",
        {"matchLabels": {"app.kubernetes.io/name": "karpenter"}},
    )
    assert monitor["spec"]["endpoints"][0]["metricRelabeling"][0] == {
        "action": "keep",
        "sourceLabels": ["reason"],
        "regex": "insufficient_capacity",
    }

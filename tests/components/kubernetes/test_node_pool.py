"""Karpenter's rules for a NodePool, before a cluster exists to apply them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gpucluster.components.kubernetes.node_pool import NodePool
from gpucluster.components.kubernetes.objects import check
from gpucluster.components.plan import PlanError

SPEC: dict[str, Any] = {
    "template": {
        "metadata": {"labels": {"team": "ml"}},
        "spec": {
            "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "elastic"},
            "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}],
            "expireAfter": "720h",
            "terminationGracePeriod": "24h",
        },
    },
    "limits": {"nvidia.com/gpu": "8"},
    "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m", "budgets": [{"nodes": "0"}]},
}
REQUIREMENT = "template.spec.requirements"


def problems(path: str, value: object) -> list[str]:
    """What is refused when the field at a path has this value."""
    spec = copy.deepcopy(SPEC)
    *parents, last = path.split(".")
    place = spec
    for step in parents:
        place = place.setdefault(step, {})
    if value is None:
        del place[last]
    else:
        place[last] = value
    try:
        check(NodePool, spec, "NodePool elastic", at="spec")
    except PlanError as error:
        return list(map(str, error.problems))
    return []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("disruption.consolidateAfter", "Never"),
        ("disruption.consolidateAfter", "1h30m"),
        ("template.spec.expireAfter", "Never"),
        ("disruption.budgets", [{"nodes": "10%", "schedule": "0 9 * * 1-5", "duration": "8h"}]),
        ("disruption.budgets", [{"nodes": "100%", "reasons": ["Empty", "Drifted", "Underutilized"]}]),
        ("weight", 100),
        (REQUIREMENT, [{"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "Gt", "values": ["0"]}]),
        (REQUIREMENT, [{"key": "karpenter.k8s.gcp/instance-gpu-count", "operator": "Gt", "values": ["0"]}]),
        (REQUIREMENT, [{"key": "nvidia.com/gpu", "operator": "Exists"}]),
        ("template.metadata.labels", {"example.com/team": "ml"}),
        ("template.spec.taints", [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]),
    ],
)
def test_what_karpenter_takes_is_taken(path: str, value: object) -> None:
    assert problems(path, value) == []


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (
            "disruption.expireAfter",
            "720h",
            "spec.disruption.expireAfter is not a field; allowed: budgets, consolidateAfter, consolidationPolicy; "
            "move it to spec.template.spec.expireAfter",
        ),
        (
            "disruption.consolidateAfter",
            "5 minutes",
            "spec.disruption.consolidateAfter is '5 minutes'; allowed: hours, minutes and seconds, or Never; "
            "change it, as in 5m",
        ),
        (
            "template.spec.terminationGracePeriod",
            "Never",
            "spec.template.spec.terminationGracePeriod is 'Never'; allowed: hours, minutes and seconds; "
            "change it, as in 24h",
        ),
        (
            "disruption.consolidationPolicy",
            "whenempty",
            "spec.disruption.consolidationPolicy is 'whenempty'; allowed: WhenEmpty, WhenEmptyOrUnderutilized, "
            "Balanced; write WhenEmpty",
        ),
        (
            "disruption.budgets",
            [{"nodes": "0"}, {"nodes": "1", "schedule": "@daily"}],
            "spec.disruption.budgets[1] has schedule '@daily' and no duration; allowed: both or neither; "
            "add duration or remove schedule",
        ),
        (
            "disruption.budgets",
            [{"nodes": "101%"}],
            "spec.disruption.budgets[0].nodes is '101%'; allowed: a count or a share, as text; "
            "change it, as in '0' or '10%'",
        ),
        (
            "disruption.budgets",
            [{"nodes": "1", "reasons": ["Expired"]}],
            "spec.disruption.budgets[0].reasons[0] is 'Expired'; allowed: Underutilized, Empty, Drifted; "
            "write one of these",
        ),
        ("weight", 101, "spec.weight is 101; allowed: 1 to 100; change it, as in 10"),
        ("weight", "10", "spec.weight is '10'; allowed: 1 to 100; change it, as in 10"),
        (
            REQUIREMENT,
            [{"key": "a", "operator": "Equals", "values": ["b"]}],
            "spec.template.spec.requirements[0].operator is 'Equals'; allowed: In, NotIn, Exists, DoesNotExist, "
            "Gt, Lt, "
            "Gte, Lte; write one of these",
        ),
        (
            REQUIREMENT,
            [{"key": "a", "operator": "In", "values": []}],
            "spec.template.spec.requirements[0] has no values for a; allowed with In: at least one; add it",
        ),
        (
            REQUIREMENT,
            [{"key": "a", "operator": "Gt", "values": ["1", "2"]}],
            "spec.template.spec.requirements[0] has values ['1', '2']; allowed with Gt: one whole number of 0 or more; "
            "write it so",
        ),
        (
            REQUIREMENT,
            [{"key": "a", "operator": "Exists", "values": ["1"]}],
            "spec.template.spec.requirements[0] has values ['1']; allowed with Exists: none; remove them",
        ),
        (
            REQUIREMENT,
            [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["ondemand"]}],
            "spec.template.spec.requirements[0] has values ['ondemand']; allowed for karpenter.sh/capacity-type: "
            "on-demand, spot, reserved; write one of these",
        ),
        (
            REQUIREMENT,
            [{"key": "karpenter.sh/nodepool", "operator": "Exists"}],
            "spec.template.spec.requirements[0].key is 'karpenter.sh/nodepool'; allowed: a key outside "
            "karpenter.sh, "
            "karpenter.k8s.aws, karpenter.k8s.gcp, karpenter.azure.com, kubernetes.azure.com, and none of "
            "accelerator, agentpool, kubernetes.io/hostname, storageprofile, storagetier: Karpenter and the clouds set "
            "those; choose "
            "another key",
        ),
        (
            "template.metadata.labels",
            {"karpenter.k8s.aws/team": "ml"},
            "spec.template.metadata.labels has the key 'karpenter.k8s.aws/team'; allowed: a key outside "
            "karpenter.sh, "
            "karpenter.k8s.aws, karpenter.k8s.gcp, karpenter.azure.com, kubernetes.azure.com, and none of "
            "accelerator, agentpool, kubernetes.io/hostname, storageprofile, storagetier: Karpenter and the clouds set "
            "those; choose "
            "another key",
        ),
        (
            "template.metadata.labels",
            {"karpenter.k8s.gcp/team": "ml"},
            "spec.template.metadata.labels has the key 'karpenter.k8s.gcp/team'; allowed: a key outside karpenter.sh, "
            "karpenter.k8s.aws, karpenter.k8s.gcp, karpenter.azure.com, kubernetes.azure.com, and none of "
            "accelerator, agentpool, kubernetes.io/hostname, storageprofile, storagetier: Karpenter and the clouds set "
            "those; choose "
            "another "
            "key",
        ),
        (
            "template.metadata.labels",
            {"team": "m l"},
            "spec.template.metadata.labels has team: 'm l'; allowed: up to 63 letters, digits, -, _ and ., with "
            "a letter "
            "or digit at both ends; change it",
        ),
        (
            "limits",
            {"cpu": "many"},
            "spec.limits.cpu is 'many'; allowed: a number with an optional unit: m, k, M, G, T or Ki, Mi, Gi, Ti; "
            "write 100Gi, 8 or 500m",
        ),
        (
            "template.spec.nodeClassRef",
            {"group": "g", "kind": "k"},
            "spec.template.spec.nodeClassRef.name is missing; allowed: text that is not empty; add it",
        ),
        (
            "template.spec.taint",
            [],
            "spec.template.spec.taint is not a field; allowed: expireAfter, nodeClassRef, requirements, startupTaints, "
            "taints, terminationGracePeriod; write taints",
        ),
        (
            "template.spec.taints",
            [{"key": "a", "effect": "NO_SCHEDULE"}],
            "spec.template.spec.taints[0].effect is 'NO_SCHEDULE'; allowed: NoSchedule, PreferNoSchedule, NoExecute; "
            "write NoSchedule",
        ),
    ],
)
def test_a_wrong_field_is_one_line_with_value_choice_and_change(path: str, value: object, expected: str) -> None:
    assert problems(path, value) == [f"NodePool elastic: {expected}"]


def test_a_static_pool_has_neither_weight_nor_other_limits() -> None:
    spec = {**SPEC, "replicas": 2, "weight": 5, "limits": {"cpu": "8", "nodes": "2"}}
    with pytest.raises(PlanError) as refused:
        check(NodePool, spec, "NodePool p", at="spec")
    assert tuple(map(str, refused.value.problems)) == (
        "NodePool p: spec has replicas 2 and weight 5; allowed with replicas: no weight; remove one",
        "NodePool p: spec has replicas 2 and limits for cpu; allowed with replicas: limits.nodes alone; "
        "remove the others",
    )
    check(NodePool, {**SPEC, "replicas": 2, "limits": {"nodes": "2"}}, "NodePool p", at="spec")


def test_all_mistakes_are_reported_at_once() -> None:
    spec = {**SPEC, "weight": 0, "disruption": {"consolidateAfter": "soon"}}
    with pytest.raises(PlanError) as refused:
        check(NodePool, spec, "NodePool p", at="spec")
    assert len(refused.value.problems) == 2

"""The judge of Kubernetes objects: published schemas, definitions of the plan, and definitions that are pinned."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.operate.judges.kubernetes import judge
from gpucluster.operate.judges.kubernetes.judge import JUDGE, nearest
from gpucluster.operate.judges.verdicts import Outcome, Remark, Verdict
from tests.gpucluster.operate.judges.conftest import resources
from tests.says import Says

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
DEFINITION = "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition"
BEACON = "kubernetes:example.com/v1:Beacon"
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["color"],
            "properties": {
                "color": {"type": "string", "pattern": "^(?i)(red|green)$"},
                "size": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "none": {"type": "string", "nullable": True},
            },
        }
    },
}
DEFINED = {
    "spec": {
        "group": "example.com",
        "names": {"kind": "Beacon"},
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": SCHEMA}}],
    }
}


def verdicts(**declared: tuple[str, dict[str, Any]]) -> dict[str, Verdict]:
    stack = resources(**declared)
    return {found.resource.name: found for found in JUDGE.judge([*stack.of_type(declared["it"][0])], stack)}


def verdict(type_: str, inputs: dict[str, Any], **others: tuple[str, dict[str, Any]]) -> Verdict:
    return verdicts(it=(type_, inputs), **others)["it"]


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("kubernetes:core/v1:ConfigMap", {"metadata": {"name": "a"}, "data": {"a": "b"}}),
        ("kubernetes:core/v1:ConfigMap", {"metadata": "${it}", "data": {"a": "${it}"}}),
        (CLAIM, {"spec": {"accessModes": ["${it}", "${it}"], "resources": {"requests": {"storage": 1}}}}),
    ],
)
def test_an_object_that_fits_is_accepted_and_what_is_known_later_breaks_nothing(type_: str, inputs: Any) -> None:
    found = verdict(type_, inputs)
    assert (found.outcome, found.refusals) == (Outcome.ACCEPTED, ())


@pytest.mark.parametrize(
    ("type_", "inputs", "remark"),
    [
        ("kubernetes:core/v1:ConfigMap", {"data": {"a": 1}}, Remark("data.a", "1 is not of type 'string', 'null'")),
        ("kubernetes:core/v1:ConfigMap", {"dato": {}},
         Remark("", "Additional properties are not allowed ('dato' was unexpected)")),
        ("kubernetes:apps/v1:DaemonSet", {"spec": {"selector": {}, "template": {"spec": {"containers": [{}]}}}},
         Remark("spec.template.spec.containers[0]", "'name' is a required property")),
        (CLAIM, {"spec": {"resources": {"requests": {"storage": True}}}},
         Remark("spec.resources.requests.storage", "True is not of type 'string', 'null'")),
    ],
)  # fmt: skip
def test_an_object_that_does_not_fit_is_refused_at_the_field(type_: str, inputs: Any, remark: Remark) -> None:
    assert verdict(type_, inputs).refusals == (remark,)


@pytest.mark.parametrize(
    ("spec", "refusals"),
    [
        ({"color": "Red", "size": 3, "free": {"a": 1}, "none": None}, ()),
        ({"color": "blue"}, (Remark("spec.color", "'blue' does not match '^(?i)(red|green)$'"),)),
        ({"size": 3}, (Remark("spec", "'color' is a required property"),)),
        (
            {"color": "red", "more": 1},
            (Remark("spec", "Additional properties are not allowed ('more' was unexpected)"),),
        ),
    ],
)
def test_a_kind_that_the_plan_defines_is_judged_by_its_definition(spec: Any, refusals: tuple[Remark, ...]) -> None:
    found = verdict(BEACON, {"metadata": {"name": "a"}, "spec": spec}, definition=(DEFINITION, DEFINED))
    assert found.refusals == refusals


def test_a_definition_that_is_pinned_and_fetched_is_used_and_none_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    made = judge._kinds(DEFINED)
    source = object()
    monkeypatch.setattr(judge, "sources", lambda: [source])
    monkeypatch.setattr(judge, "_of_source", lambda _: made)
    assert verdict(BEACON, {"spec": {}}).outcome is Outcome.REFUSED
    monkeypatch.setattr(judge, "_of_source", lambda _: {})
    assert verdict(BEACON, {"spec": {}}).why == Says("no", "example.com/v1", "Beacon", "gpucluster sandbox kubernetes")


def test_of_several_definitions_that_are_pinned_one_that_fits_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Karpenter's differ from cloud to cloud, and a plan need not say whose is meant."""
    strict = {"spec": {**DEFINED["spec"], "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"not": {}}}}]}}
    known = {"strict": judge._kinds(strict), "loose": judge._kinds(DEFINED)}
    monkeypatch.setattr(judge, "sources", lambda: ["strict", "loose"])
    monkeypatch.setattr(judge, "_of_source", lambda source: known[source])
    assert verdict(BEACON, {"spec": {"color": "red"}}).outcome is Outcome.ACCEPTED
    assert verdict(BEACON, {"spec": {"color": "blue"}}).outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    ("type_", "why"),
    [
        ("kubernetes:helm.sh/v3:Release", Says("objects", "Helm", "renders", "not")),
        ("kubernetes:apps/v1:DeploymentPatch", "a patch is only part of an object"),
    ],
)
def test_what_no_schema_can_judge_is_said(type_: str, why: str) -> None:
    assert verdict(type_, {}).why == why


def test_the_version_is_that_of_the_plan_s_clusters() -> None:
    """Resources of a pod as a whole, `spec.resources`, came with 1.32."""
    pod = {"spec": {"containers": [{"name": "a"}], "resources": {}}}
    old, new = (
        verdict("kubernetes:core/v1:Pod", pod, cluster=("aws:eks/cluster:Cluster", {"version": version}))
        for version in ("1.31", "1.33")
    )
    assert (old.outcome, new.outcome) == (Outcome.REFUSED, Outcome.ACCEPTED)


def test_the_nearest_version_is_the_newest_that_is_not_newer() -> None:
    newest = nearest(None)
    assert (nearest("1.30.4-gke.100"), nearest("1.99"), nearest("1.2")) == ("1.30", newest, "1.25")


MAP = "kubernetes:core/v1:ConfigMap"


@pytest.mark.parametrize(
    ("type_", "name", "form"),
    [
        (MAP, "Upper_Case", "DNS subdomain"),
        (MAP, "a..b", "DNS subdomain"),
        (MAP, "a" * 254, "DNS subdomain"),
        ("kubernetes:core/v1:Namespace", "a.b", "DNS label"),
        ("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "a/b", "segment of a path"),
    ],
)
def test_a_name_with_illegal_characters_is_refused_with_its_form(type_: str, name: str, form: str) -> None:
    [refusal] = verdict(type_, {"metadata": {"name": name}}).refusals
    assert (refusal.path, form in refusal.text) == ("metadata.name", True)


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        (MAP, "kube-root-ca.crt"),
        (MAP, "${it}"),
        (MAP, ""),
        ("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "system:node"),
        ("kubernetes:networking.k8s.io/v1:IPAddress", "2001:db8::1"),
    ],
)
def test_a_name_in_the_form_of_its_kind_is_accepted(type_: str, name: str) -> None:
    assert [one for one in verdict(type_, {"metadata": {"name": name}}).refusals if one.path == "metadata.name"] == []

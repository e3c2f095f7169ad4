"""Manifests with values in the place of what is left open."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.azure.pools.node_storage import PATH
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.namespace import CLUSTER_CRITICAL
from gpucluster.components.kubernetes.telemetry.plan import NODE_HEALTH
from gpucluster.components.planning.names import NODE_HEALTH_PORT, POOL, TRAINING_POOL

ROOT = Path(__file__).parents[4]

POLICY = """\
# ${nobody} reads a comment.
kind: Policy
metadata: {name: a, labels: {app: a}}
spec:
  values: ${names}
  variables: [{name: names, expression: "${names}"}, {name: most, expression: "${most} + 1"}]
  message: "allowed: ${names}; found: ${none}; not ${text}, nor {braces} or $(other)"
---
kind: Daemon
metadata: {name: b}
spec: {template: {metadata: {labels: {app: b}}, spec: {containers: []}}}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY)
    return file


def test_a_value_is_itself_or_cel_or_words(policy: Path) -> None:
    values = {"names": ["a", "b"], "most": {"a": {"b": 1}}, "none": [], "text": "c"}
    first, second = manifests(policy, values)
    assert first == {
        "kind": "Policy",
        "metadata": {"name": "a", "labels": {"app": "a"}},
        "spec": {
            "values": ["a", "b"],
            "variables": [
                {"name": "names", "expression": '["a", "b"]'},
                {"name": "most", "expression": '{"a": {"b": 1}} + 1'},
            ],
            "message": "allowed: a, b; found: none; not c, nor {braces} or $(other)",
        },
    }
    assert second == {
        "kind": "Daemon",
        "metadata": {"name": "b"},
        "spec": {"template": {"metadata": {"labels": {"app": "b"}}, "spec": {"containers": []}}},
    }


def test_a_place_without_a_value_is_refused(policy: Path) -> None:
    with pytest.raises(ValueError, match=r"^policy\.yaml: \$\{text\} has no value; known: most, names, none$"):
        manifests(policy, {"names": [], "most": {}, "none": []})


@pytest.mark.parametrize("file", sorted(ROOT.glob("components/**/manifests/*.yaml")), ids=lambda file: file.stem)
def test_the_comment_at_the_top_names_what_is_left_open(file: Path) -> None:
    comment, _, objects = file.read_text().partition("\napiVersion: ")
    named = re.findall(r"^#   \$\{(\w+)\} {2,}\S", comment, re.MULTILINE)
    assert named == list(dict.fromkeys(named))
    assert set(named) == set(re.findall(r"\$\{(\w+)\}", objects))


def test_manifests_say_the_names_that_the_program_goes_by() -> None:
    """What an alert, a policy or a pool's own labels look for."""
    gcp = ROOT / "components/gcp/fabric/manifests"
    nodes = {"accelerator": "a", "plugin": "b", "version": "c", "marker": "d"}
    for file in gcp.glob("*.yaml"):
        [daemon] = manifests(file, nodes)
        assert (POOL, [TRAINING_POOL]) in _chosen(daemon)
    [scratch] = manifests(ROOT / "components/azure/pools/manifests/scratch.yaml", {"disks": "8", "pools": ["a"]})
    assert _chosen(scratch) == [(POOL, ["a"])]
    assert f"mkdir -p {PATH}" in scratch["spec"]["template"]["spec"]["initContainers"][0]["command"][-1].splitlines()
    places = ("namespace", "program", "settings", "read", "image", "port", "tolerations")
    values = {**dict.fromkeys(places, "a"), "port_number": NODE_HEALTH_PORT}
    *_, health = manifests(ROOT / "components/kubernetes/jobs/manifests/node-health.yaml", values)
    template = health["spec"]["template"]
    [container] = template["spec"]["containers"]
    assert (health["metadata"]["name"], template["metadata"]["labels"]) == (NODE_HEALTH.name, NODE_HEALTH.labels)
    assert container["ports"] == [{"name": NODE_HEALTH.port, "containerPort": NODE_HEALTH_PORT}]
    assert template["spec"]["priorityClassName"] == CLUSTER_CRITICAL


def _chosen(daemon: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Labels of the nodes that a DaemonSet is for."""
    affinity = daemon["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]
    [term] = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return [(one["key"], one["values"]) for one in term["matchExpressions"]]

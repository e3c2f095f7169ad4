"""required-labels: one mutation of the compliant program per case."""

from __future__ import annotations

import dataclasses
import json

import pytest

from gpucluster.policies.engine.rule import Violation
from gpucluster.policies.rules.required_labels import RULE
from tests.says import Says


def test_labels_that_stay_as_they_were_made_need_not_be_those_of_today(mega, found):
    mega["train"]["nodeConfig"]["resourceLabels"] = {"team": "former"}
    assert found(RULE, mega) == [("train", Says("resourceLabels", "owner", "missing", "resourceLabels", "team", "not"))]
    mega.keep("train", "nodeConfig.resourceLabels")  # what is missing there, the cluster annotates
    assert found(RULE, mega) == []
    del mega["cluster"]["resourceLabels"]["owner"]
    assert [name for name, _ in found(RULE, mega)] == ["cluster", "train"]


@pytest.mark.parametrize("written", [lambda labels: labels, json.dumps], ids=["as they are", "as the SDK writes them"])
def test_default_labels_of_the_provider_count(program, mega, found, written):
    del program["group"]["tags"]
    program.provider_inputs["defaultTags"] = written({"tags": program.labels})
    del mega["cluster"]["resourceLabels"]
    mega.provider_inputs["defaultLabels"] = written(mega.labels)
    assert (found(RULE, program), found(RULE, mega)) == ([], [])


def test_labels_that_google_cloud_returns_count(mega, found):
    mega["cluster"].update(resourceLabels={}, pulumiLabels=dict(mega.labels))
    assert found(RULE, mega) == []


def _edits(program, config=None):
    """(resource, path, what to write there) of every edit."""
    stack = dataclasses.replace(program.stack(), config=config or {})
    violations = [finding for finding in RULE.check(stack) if isinstance(finding, Violation)]
    return [(found.resource.name, edit.path, edit.value) for found in violations for edit in found.edits]


def test_a_program_with_its_labels_has_nothing_to_write(program, mega, nd):
    assert [_edits(one) for one in (program, mega, nd)] == [[], [], []]


def test_what_to_write_is_every_wrong_label_where_its_type_has_it(program):
    program["group"]["tags"] = {"team": "sales", "Name": "group"}
    program["train"]["labels"] = {"owner": "ada"}
    program["template"]["tagSpecifications"] = [{"resourceType": "volume", "tags": {"team": "research"}}]
    program.add("aws:autoscaling/group:Group", "asg", {"tags": [{"key": "team", "value": "research"}]})
    labels = {"metadata": {"labels": program.labels}}
    program.add("kubernetes:karpenter.sh/v1:NodePool", "pool", labels)
    program.add("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "class", labels)
    program.add("kubernetes:core/v1:Namespace", "jobs", {})
    assert _edits(program) == [
        ("group", "tags", program.labels),
        ("template", "tagSpecifications", [{"resourceType": "instance", "tags": program.labels}]),
        ("template", "tagSpecifications[0].tags", {"owner": "ada"}),
        ("train", "labels", {"team": "research"}),
        ("asg", "tags", [{"key": "owner", "value": "ada", "propagateAtLaunch": True}]),
        ("pool", "spec.template.metadata.labels", program.labels),
        ("class", "spec.tags", program.labels),
        ("jobs", "metadata.labels", program.labels),
    ]


def test_what_to_write_on_google_cloud(mega):
    pool = {"name": "inside", "nodeConfig": {"labels": dict(mega.labels)}}
    mega["cluster"].update(nodePools=[{"nodeConfig": dict.fromkeys(("labels", "resourceLabels"), mega.labels)}, pool])
    del mega["cluster"]["resourceLabels"]
    del mega["train"]["nodeConfig"]["labels"]
    mega.add("gcp:monitoring/alertPolicy:AlertPolicy", "alert", {})
    mega.add("kubernetes:karpenter.k8s.gcp/v1:GCENodeClass", "class", {"metadata": {"labels": mega.labels}})
    assert _edits(mega) == [
        ("cluster", "resourceLabels", mega.labels),
        ("cluster", "nodePools[1].nodeConfig.resourceLabels", mega.labels),
        ("train", "nodeConfig.labels", mega.labels),
        ("alert", "userLabels", mega.labels),
        ("class", "spec.labels", mega.labels),
    ]


def test_what_to_write_on_azure(nd):
    del nd["cluster"]["agentPoolProfiles"][0]["tags"]
    del nd["train"]["nodeLabels"]
    nd["vnet"]["tags"] = {}
    assert _edits(nd) == [
        ("vnet", "tags", nd.labels),
        ("cluster", "agentPoolProfiles[0].tags", nd.labels),
        ("train", "nodeLabels", nd.labels),
    ]


def test_a_value_that_is_not_known_or_not_taken_there_is_left_to_the_reader(program):
    program["trial"]["requiredLabels"] = {"team": "AI Research", "owner": program.unknown, "cost-center": 7.0}
    for name in list(program.declared):
        if name != "trial" and "tags" in program[name] and name != "group":
            program.remove(name)
    program.add("kubernetes:core/v1:Namespace", "jobs", {})
    del program["group"]["tags"]
    assert _edits(program) == [
        ("group", "tags", {"team": "AI Research", "owner": "", "cost-center": "7"}),
        ("jobs", "metadata.labels", {"team": "", "owner": "", "cost-center": "7"}),
    ]
    assert ("group", "tags", {"gpu": ""}) in _edits(program, {"keys": ["gpu"]})

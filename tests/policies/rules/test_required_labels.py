"""required-labels: labels that a provider adds, and those that a resource keeps."""

from __future__ import annotations

import json

import pytest

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


def test_default_tags_of_the_provider_reach_disks_of_instances_and_no_auto_scaling_group(program, found):
    program.provider_inputs["defaultTags"] = {"tags": program.labels}
    program.add("aws:ec2/instance:Instance", "web", {})
    program.add("aws:autoscaling/group:Group", "asg", {"launchConfiguration": "p5"})
    missing = Says("tags", "owner", "team", "missing", "instances", "owner", "team", "missing")
    assert found(RULE, program) == [("asg", missing)]

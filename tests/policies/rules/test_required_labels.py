"""required-labels: labels that a provider adds, and those that a resource keeps."""

from __future__ import annotations

import datetime
import json
import re

import pytest

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.run import evaluate
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


def _checked(**components):
    """What is missing: in `inner`, in `outer` around it, and outside both, by the labels that components register."""
    parents = {"inner": "outer"}
    urns = {name: f"urn:pulumi:test::test::shop:index:Part::{name}" for name in components}
    states = [
        {
            "urn": urns[name],
            "type": "shop:index:Part",
            "custom": False,
            "parent": urns.get(parents.get(name, "")),
            "inputs": {},
            "outputs": {} if labels is None else {"requiredLabels": labels},
        }
        for name, labels in components.items()
    ]
    vpc = {"type": "aws:ec2/vpc:Vpc", "custom": True, "inputs": {"tags": {"note": "x"}}, "outputs": {}}
    for parent in (*components, None):
        urn = f"urn:pulumi:test::test::aws:ec2/vpc:Vpc::in-{parent}"
        states.append({**vpc, "urn": urn, "parent": urns.get(parent or "")})
    state = {"version": 3, "deployment": {"resources": states}}
    resources = read_file(json.dumps(state), "state").resources
    [outcome] = evaluate([RULE], resources, today=datetime.date(2026, 11, 21))
    return {one.resource.name: re.findall("`(.*?)`", one.what) for one in outcome.violations}


@pytest.mark.parametrize(
    ("inner", "missing"),
    [
        (None, {"in-outer": ["team"], "in-inner": ["team"], "in-None": ["team"]}),
        ({}, {"in-outer": ["team"], "in-inner": ["team"], "in-None": ["team"]}),
        ({"owner": "ada"}, {"in-outer": ["team"], "in-inner": ["owner", "team"], "in-None": ["owner", "team"]}),
    ],
    ids=["none of its own", "none at all", "more"],
)
def test_an_inner_component_takes_no_required_label_away(inner, missing):
    assert _checked(outer={"team": "research"}, inner=inner) == missing


def test_a_component_elsewhere_takes_no_required_label_from_what_no_component_surrounds():
    assert _checked(cluster={"team": "research"}, other={"note": "x"})["in-None"] == ["team"]

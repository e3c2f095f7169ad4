"""The file that goes from the job that runs a change to the one that judges it."""

from __future__ import annotations

import json

import jsonschema
import pytest

from gpucluster.core.program.readers.records import NotReadable, resource_of
from gpucluster.operate.pull_request import evidence as module
from gpucluster.operate.pull_request.evidence import json_schema, kept_of_plan, kept_of_state, read_evidence
from tests.gpucluster.operate.pull_request.conftest import TRIAL, evidence, stack
from tests.says import Says

GOOD = json.loads(evidence(stack(TRIAL)).model_dump_json())


def refused(document: object) -> str:
    with pytest.raises(NotReadable) as caught:
        read_evidence(json.dumps(document).encode(), "pr-check.json")
    return str(caught.value)


def test_the_schema_that_is_printed_is_that_of_the_file() -> None:
    jsonschema.validate(GOOD, json_schema())


def test_evidence_is_read_as_it_was_written() -> None:
    assert read_evidence(json.dumps(GOOD).encode(), "pr-check.json") == evidence(stack(TRIAL))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": 2}, Says("pr-check.json", "schema_version", "1")),
        ({"surprise": 1}, Says("pr-check.json", "surprise", "not", "permitted")),
        ({"head": "main"}, Says("pr-check.json", "^[0-9a-f]{40}([0-9a-f]{24})?$")),
        ({"stacks": []}, Says("pr-check.json", "least", "1", "not", "0")),
        ({"stacks": "none"}, Says("pr-check.json", "stacks", "should")),
        (
            {"stacks": [{**GOOD["stacks"][0], "name": "<img src=x>"}]},
            Says("pr-check.json", "stacks.0.name", "^[A-Za-z0-9._-]+$"),
        ),
        (
            {"prices": {"before": {}, "after": {"../../aws.csv": ""}}},
            "pr-check.json: prices.after.../../aws.csv.[key]: String should match pattern '^[a-z0-9-]+\\.csv$'",
        ),
    ],
    ids=["version", "key", "commit", "no stack", "type", "name", "path"],
)
def test_what_does_not_fit_the_schema_is_refused_by_field(change, said) -> None:
    assert refused({**GOOD, **change}) == said


def test_every_problem_is_said_up_to_ten() -> None:
    lines = refused({**GOOD, **{f"key-{number}": 1 for number in range(12)}}).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "pr-check.json: and 2 more like these"


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000])
def test_evidence_that_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(NotReadable, match=r"^pr-check\.json: the file: "):
        read_evidence(text, "pr-check.json")


def test_what_is_too_large_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST", 10)
    with pytest.raises(NotReadable, match="has 11 bytes; more than 10 are not read"):
        read_evidence(b"x" * 11, "pr-check.json")


def test_a_plan_keeps_what_its_readers_use_and_no_path_of_a_machine() -> None:
    urn = "urn:pulumi:dev::shop::aws:s3/bucket:Bucket::b"
    known = {"urn": urn, "type": "aws:s3/bucket:Bucket", "custom": True, "inputs": {"a": 1}}
    noise = {"stackTrace": [{"sourcePosition": "file:///home/me"}], "created": "now", "outputs": {}, "parent": None}
    step = {"op": "update", "urn": urn, "detailedDiff": {"a": 1}, "diffReasons": ["a"]}
    document = {
        "config": {"aws:region": "us-east-1"},
        "steps": [
            {**step, "oldState": {**known, **noise}, "newState": {**known, **noise}},
            {"op": "delete", "urn": urn, "oldState": {**known, "retainOnDelete": True}, "replaceReasons": ["a"]},
        ],
        "diagnostics": [{"severity": "info", "message": "table"}, {"severity": "error", "message": "no"}],
        "duration": 1,
        "changeSummary": {"update": 1},
    }
    assert kept_of_plan(document) == {
        "config": {"aws:region": "us-east-1"},
        "changeSummary": {"update": 1},
        "steps": [
            {"op": "update", "urn": urn, "newState": known},
            {"op": "delete", "urn": urn, "replaceReasons": ["a"], "oldState": {"retainOnDelete": True}},
        ],
        "diagnostics": [{"severity": "error", "message": "no"}],
    }
    assert kept_of_state([{**known, **noise}]) == {"version": 3, "deployment": {"resources": [known]}}


def test_a_plan_keeps_the_call_of_a_cluster_without_the_folder_of_this_package() -> None:
    type_ = "gpucluster:aws:TrainingCluster"
    inside = "project:///../home/me/venv/gpucluster/components/aws/cluster.py#46"
    calls = [inside, "project:///../home/me/venv/gpucluster/aws.py#78", "project:///__main__.py#8", "project:///b.py#1"]
    record = {"urn": f"urn:pulumi:dev::shop::{type_}::trial", "type": type_, "sourcePosition": "project:///a.py#1"}
    traced = {**record, "stackTrace": [{"sourcePosition": call} for call in calls]}
    [kept] = kept_of_state([traced])["deployment"]["resources"]
    assert kept == {
        **record,
        "stackTrace": [{"sourcePosition": "gpucluster/aws.py#78"}, {"sourcePosition": "project:///__main__.py#8"}],
    }
    assert [resource_of(one, "state", "").source_position for one in (record, traced, kept)] == [
        None,
        "__main__.py#8",
        "__main__.py#8",
    ]
    outside = {**traced, "stackTrace": [{"sourcePosition": calls[1]}, {"sourcePosition": "project:///../b.py#1"}]}
    assert kept_of_state([outside]) == kept_of_state([record])

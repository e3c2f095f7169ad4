"""A report for machines."""

from __future__ import annotations

import json

from gpucluster.core.documents.formats import written
from gpucluster.policies.render.document import check_document, json_schema


def test_the_schema_names_every_field_and_lets_no_other_pass():
    schema = json_schema()
    finding = schema["$defs"]["Finding"]
    for part in (schema, finding):
        assert part["additionalProperties"] is False
        assert part["required"] == [name for name in part["properties"] if name in part["required"]]
    assert set(finding["required"]) == set(finding["properties"])


def test_findings_of_all_files_are_in_one_list(report):
    read = json.loads(written(check_document(report), "json"))
    assert [(f["file"], f["rule"], f["enforcement"], f["source_position"], f["what"]) for f in read["findings"]] == [
        ("plans/one.json", "near", "mandatory", "infra/my program.py#14,3", "far <away>\x00"),
        ("plans/one.json", "near", "mandatory", None, "further"),
        ("plans/one.json", "told", "advisory", None, "nothing stated"),
    ]
    assert {name: value for name, value in read.items() if name != "findings"} == {
        "schema_version": 1,
        "machines": [],
        "nodes": [],
        "pack": "training",
        "files": ["plans/one.json", "two.json"],
        "rules": 3,
        "not_run": [],
        "resources": 2,
        "mandatory": 2,
        "advisory": 1,
    }


def test_what_to_write_is_data(report):
    assert [finding["edits"] for finding in json.loads(written(check_document(report), "json"))["findings"]] == [
        [
            {"at": "placements[0].tags", "write": {"team": "a\x1b"}},
            {"at": "tags", "write": [{"key": "team", "value": ""}]},
        ],
        [],
        [],
    ]

"""A report as SARIF 2.1.0, held against what its schema requires."""

from __future__ import annotations

import json
import re

from gpucluster.policies.render.sarif import as_sarif

REQUIRED = {"log": {"version", "runs"}, "run": {"tool"}, "driver": {"name"}, "rule": {"id"}, "result": {"message"}}
"""Required members, by sarif-schema-2.1.0.json."""


def test_every_object_has_what_the_schema_requires(report):
    log = json.loads(as_sarif(report))
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    assert REQUIRED["log"] <= set(log)
    assert REQUIRED["run"] <= set(run)
    assert REQUIRED["driver"] <= set(driver)
    assert log["version"] == "2.1.0"
    for rule in driver["rules"]:
        assert REQUIRED["rule"] <= set(rule)
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
        assert all(rule[part]["text"] for part in ("shortDescription", "fullDescription", "help"))
    for result in run["results"]:
        assert REQUIRED["result"] <= set(result)
        assert result["level"] in ("none", "note", "warning", "error")
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result["locations"]:
            physical = location["physicalLocation"]
            assert re.fullmatch(r"[\w./%-]+", physical["artifactLocation"]["uri"])
            assert physical.get("region", {"startLine": 1})["startLine"] >= 1


def test_what_to_write_is_in_the_message_and_under_the_properties(report):
    [run] = json.loads(as_sarif(report))["runs"]
    [mended] = [result for result in run["results"] if "properties" in result]
    assert mended["message"]["text"].splitlines()[2:] == [
        'write in placements[0].tags: {"team": "a\\u001b"}',
        'write in tags: [{"key": "team", "value": ""}]',
    ]
    assert mended["properties"]["edits"] == [
        {"at": "placements[0].tags", "write": {"team": "a\x1b"}},
        {"at": "tags", "write": [{"key": "team", "value": ""}]},
    ]


def test_a_finding_stands_at_the_line_of_its_resource_else_at_the_file(report):
    [run] = json.loads(as_sarif(report))["runs"]
    assert [(result["level"], result["locations"]) for result in run["results"]] == [
        (
            "error",
            [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "infra/my%20program.py", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 14},
                    },
                    "logicalLocations": [_logical("a")],
                }
            ],
        ),
        (
            "error",
            [
                {
                    "physicalLocation": {"artifactLocation": {"uri": "plans/one.json"}},
                    "logicalLocations": [_logical("b")],
                }
            ],
        ),
        ("note", [{"physicalLocation": {"artifactLocation": {"uri": "plans/one.json"}}}]),
    ]


def test_a_finding_is_found_again_when_only_its_line_changes(report):
    [run] = json.loads(as_sarif(report))["runs"]
    prints = [result["partialFingerprints"]["finding/v1"] for result in run["results"]]
    assert len(set(prints)) == 3
    moved = json.loads(as_sarif(report).replace("my%20program", "main"))["runs"][0]["results"]
    assert [result["partialFingerprints"]["finding/v1"] for result in moved] == prints


def _logical(within: str) -> dict[str, str]:
    urn = f"urn:pulumi:dev::shop::{within}$aws:ec2/placementGroup:PlacementGroup::group"
    return {"name": "group", "fullyQualifiedName": urn, "kind": "resource"}

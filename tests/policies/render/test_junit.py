"""A report as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

from gpucluster.policies.render.junit import as_junit


def test_a_mandatory_finding_fails_an_advisory_one_is_skipped_and_a_clean_rule_passes(report):
    root = ElementTree.fromstring(as_junit(report))
    assert root.tag == "testsuites"
    assert [suite.attrib for suite in root] == [
        {"name": "plans/one.json", "tests": "4", "failures": "2", "errors": "0", "skipped": "1"},
        {"name": "two.json", "tests": "1", "failures": "0", "errors": "0", "skipped": "0"},
    ]
    cases = [(case.get("classname"), case.get("name"), [told.tag for told in case]) for case in root[0]]
    assert cases == [
        ("near", "group", ["failure"]),
        ("near", "group", ["failure"]),
        ("told", "the whole stack", ["skipped"]),
        ("clean", "every resource", []),
    ]


def test_a_failure_says_what_why_fix_and_where(report):
    case = ElementTree.fromstring(as_junit(report))[0][0]
    assert (case.get("file"), case.get("line")) == ("infra/my program.py", "14")
    assert case[0].attrib == {"message": "far <away>?", "type": "high"}
    assert case[0].text == "why: It costs.\nfix: Mend it.\nsee: gpucluster guardrails explain near"

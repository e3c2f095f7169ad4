"""A report as JUnit XML, which CI servers show as tests."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree

from gpucluster.policies.engine.rule import Enforcement, explained_by
from gpucluster.policies.report import Checked, Found, Report

_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters not representable in XML 1.0, not even escaped."""


def as_junit(report: Report) -> str:
    """One suite per file; one case for each finding, and for each rule without findings.

    A mandatory finding is a failed case, an advisory one a skipped case, so that it is visible and stops nothing.
    """
    root = ElementTree.Element("testsuites", name=f"guardrails {report.pack}")
    for checked in report.files:
        _suite(root, checked, [found for found in report if found.checked is checked])
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, checked: Checked, found: list[Found]) -> None:
    with_findings = {item.rule.name for item in found}
    passed = [outcome.rule.name for outcome, _ in checked.outcomes if outcome.rule.name not in with_findings]
    failed = sum(item.level is Enforcement.MANDATORY for item in found)
    counts = {"tests": len(found) + len(passed), "failures": failed, "errors": 0, "skipped": len(found) - failed}
    suite = ElementTree.SubElement(root, "testsuite", name=_plain(checked.file))
    for name, count in counts.items():
        suite.set(name, str(count))
    for item in found:
        case = ElementTree.SubElement(suite, "testcase", classname=item.rule.name, name=_plain(item.subject))
        if item.place is not None:
            case.set("file", _plain(item.place[0]))
            case.set("line", str(item.place[1]))
        kind = "failure" if item.level is Enforcement.MANDATORY else "skipped"
        element = ElementTree.SubElement(case, kind, message=_plain(item.violation.what))
        if kind == "failure":
            element.set("type", item.rule.severity.value)
        element.text = _plain(f"why: {item.rule.why}\nfix: {item.fix}\nsee: {explained_by(item.rule)}")
    for name in passed:
        ElementTree.SubElement(suite, "testcase", classname=name, name="every resource")


def _plain(text: str) -> str:
    return _NOT_XML.sub("?", text)

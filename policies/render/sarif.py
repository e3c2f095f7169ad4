"""A report as SARIF 2.1.0, which code hosts show next to changed lines.

Source: OASIS Static Analysis Results Interchange Format 2.1.0, sarif-schema-2.1.0.json.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final
from urllib.parse import quote

from gpucluster.policies.engine.rule import Enforcement, Rule, Severity, explained_by
from gpucluster.policies.report import Found, Report

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(report: Report) -> str:
    """One run with every rule and every finding.

    A finding is located at the program line that declares its resource; without a line, at the file.
    The edit to make is in its message and in its properties. It is not a SARIF `fix`, which replaces text of a
    file: it is known where the program creates a resource, but not how.
    """
    rules = [rule.name for rule, _ in report.rules]
    driver: dict[str, Any] = {"name": "guardrails", "rules": [_rule(rule, level) for rule, level in report.rules]}
    with contextlib.suppress(PackageNotFoundError):  # a checkout that is not installed has no version
        driver["version"] = version("gpucluster")
    results = [_result(found, rules.index(found.rule.name)) for found in report]
    run = {"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(rule: Rule, level: Enforcement) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.fix}\nSee {explained_by(rule)}."},
        "defaultConfiguration": {"level": _level(rule, level)},
        "properties": {"severity": rule.severity.value, "enforcement": level.value},
    }


def _level(rule: Rule, level: Enforcement) -> str:
    if level is Enforcement.MANDATORY:
        return "error"
    return "note" if rule.severity is Severity.LOW else "warning"


def _result(found: Found, index: int) -> dict[str, Any]:
    about = found.resource
    identity = "\n".join((found.rule.name, about.urn if about else "", found.violation.what))
    location: dict[str, Any] = {"physicalLocation": _physical(found)}
    if about is not None:
        logical = {"name": about.name, "fullyQualifiedName": about.urn, "kind": "resource"}
        location["logicalLocations"] = [logical]
    return {
        "ruleId": found.rule.name,
        "ruleIndex": index,
        "level": _level(found.rule, found.level),
        "message": {"text": "\n".join(_message(found))},
        "locations": [location],
        "partialFingerprints": {"finding/v1": hashlib.sha256(identity.encode()).hexdigest()},
        **({"properties": {"edits": _edits(found)}} if found.edits else {}),
    }


def _message(found: Found) -> Iterator[str]:
    yield f"{found.subject}: {found.violation.what}"
    yield found.fix
    for edit in found.edits:
        yield f"write in {edit.path}: {edit.snippet}"


def _edits(found: Found) -> list[dict[str, Any]]:
    """In the form of the JSON report."""
    return [{"at": edit.path, "write": edit.value} for edit in found.edits]


def _physical(found: Found) -> dict[str, Any]:
    if found.place is None:
        return {"artifactLocation": {"uri": quote(found.checked.file)}}
    path, line = found.place
    return {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}, "region": {"startLine": line}}

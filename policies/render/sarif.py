"""A report as SARIF 2.1.0, which code hosts show beside the lines of a change.

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

from gpucluster.policies.message import explained_by
from gpucluster.policies.report import Found, Report
from gpucluster.policies.rule import Enforcement, Rule, Severity

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(report: Report) -> str:
    """One run with every rule and every finding.

    A finding stands at the line of the program that declares its resource; where the file does not say it, at the file.
    What to write into the resource is in its message, and under its properties. It is no `fix` of SARIF's, which names
    the text of a file to replace: where the program makes a resource is known, how it writes it is not.
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
    """As the report in JSON has them."""
    return [{"at": edit.path, "write": edit.value} for edit in found.edits]


def _physical(found: Found) -> dict[str, Any]:
    if found.place is None:
        return {"artifactLocation": {"uri": quote(found.checked.file)}}
    path, line = found.place
    return {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}, "region": {"startLine": line}}

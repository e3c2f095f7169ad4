"""The rules of a pack, and one of them, as documents."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Literal

from gpucluster.core.documents.document import Document, Row, Table, table
from gpucluster.core.documents.model import Model
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Rule, page_of


class FrameworkModel(Model):
    name: str
    specification: str
    reference: str


class RuleModel(Model):
    name: str
    title: str
    severity: Literal["critical", "high", "medium", "low"]
    enforcement: Literal["mandatory", "advisory"]
    why: str
    fix: str
    reads: str
    frameworks: list[FrameworkModel]


class Rules(Model):
    """Result of `gpucluster guardrails list --format json`."""

    schema_version: Literal[1] = 1
    rules: list[RuleModel]


def rules_document(pack: Pack) -> Document:
    """A row for each rule."""
    found = [_rule(rule, pack) for rule in pack.rules]
    rows = [(rule.name, rule.severity, rule.enforcement, rule.title) for rule in found]
    return Document(
        title="",
        sections=lambda: [
            table(("name", "severity", "enforcement", "title"), rows, left=range(4), wide=3),
            f"Next: {explaining(pack.rules)}",
        ],
        model=lambda: Rules(rules=found),
    )


def rule_document(rule: Rule, pack: Pack) -> Document:
    """Why the rule exists, and how to fix a finding."""
    found = _rule(rule, pack)
    rows = [
        Row(("severity", f"{found.severity}, {found.enforcement}")),
        *(Row((name, getattr(found, name))) for name in ("why", "fix", "reads")),
        *(Row(("setting", f"{name} ({of['type']}): {of['description']}")) for name, of in rule.settings.items()),
        Row(("page", page_of(rule))),
        *(Row(("see", f"{of.name}, {of.specification}"), lines=[of.reference]) for of in found.frameworks),
    ]
    return Document(
        title=f"{rule.name}: {rule.title}",
        sections=lambda: [Table(heads=("", ""), rows=rows, left={0, 1}, wide=1, across=True)],
        model=lambda: found,
    )


def _rule(rule: Rule, pack: Pack) -> RuleModel:
    fields = ("name", "title", "why", "fix", "reads", "frameworks")
    levels = {"severity": rule.severity.value, "enforcement": pack.enforcement(rule).value}
    return RuleModel.model_validate({**{name: getattr(rule, name) for name in fields}, **levels})


def explaining(rules: Iterable[Rule]) -> str:
    """The command that explains any of these rules."""
    folder = next((rule.folder for rule in rules if rule.folder), "")
    return f"gpucluster guardrails explain NAME{f' --pack {shlex.quote(folder)}' if folder else ''}"

"""Answers as a scenario of the sandbox, without what identifies the account."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.charts import ABOUT as CHARTS
from gpucluster.operate.preflight.document import Found
from gpucluster.operate.preflight.own_address import ABOUT as ADDRESS
from gpucluster.sandbox.clouds.events.quotas import quota_kinds

_HIDDEN: Final = (
    # An account of AWS, a project number of Google Cloud.
    (re.compile(r"(?<![\w-])\d{8,}(\d{4})(?![\w-])"), r"********\1"),
    # A subscription, tenant or object of Azure.
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b", re.I), r"********-\1"),
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"), "someone@…"),
    # Resources of AWS: vpc-, subnet-, cr-, eni- and others.
    (re.compile(r"\b([a-z]{2,12})-[0-9a-f]{8,13}([0-9a-f]{4})\b"), r"\1-********\2"),
)
"""Identities in texts, and the text in place of each: enough to tell two apart, too little to find one."""


def masked(text: str) -> str:
    """A text without the ids of accounts, people and resources."""
    for pattern, instead in _HIDDEN:
        text = pattern.sub(instead, text)
    return text


def save(found: Found, cloud: str, file: Path, stacks: Collection[str] = ()) -> None:
    """Writes the answers, which a later `--save` replaces. stacks: of the project."""
    text = yaml.safe_dump(_content(found, cloud, stacks), sort_keys=False, allow_unicode=True, width=120)
    head = (
        f"# What the account of {found.stack} answered to `gpucluster preflight`, with masked ids and no secrets.\n"
        "# Plans show it in place of what they would ask you to check; the sandbox refuses what this account would.\n"
    )
    file.write_text(head + text, encoding="utf-8")


def _content(found: Found, cloud: str, stacks: Collection[str]) -> Mapping[str, Any]:
    asked = {
        "stack": found.stack,
        "at": found.asked.replace(microsecond=0).isoformat(),
        "answers": [_answer(answer) for answer in found.answers if answer.question.about not in _OF_THIS_MACHINE],
    }
    return {"asked": asked, **_scenario(found.answers, cloud, stacks)}


_OF_THIS_MACHINE: Final = ("program", "disk", CHARTS, ADDRESS)
"""What another machine answers differently."""


def _answer(answer: Answer) -> Mapping[str, Any]:
    asked = answer.question
    given = {
        "about": asked.about,
        "subject": asked.subject,
        "place": asked.place,
        "needed": asked.needed,
        "verdict": str(answer.verdict),
        "found": masked(answer.found),
        "fix": masked(answer.fix),
    }
    return {name: value for name, value in given.items() if value not in ("", None)}


def _scenario(
    answers: Iterable[Answer], cloud: str, stacks: Collection[str]
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The parts that the sandbox knows; it refuses a quota that it does not count. stacks: of the project, the only
    ones that are named.
    """
    known, parts = quota_kinds(cloud), dict[str, list[Mapping[str, Any]]]()
    for answer in answers:
        for name, rows in answer.scenario.items():
            found = [_named(row, stacks) for row in rows if name != "quotas" or str(row["name"]).lower() in known]
            parts.setdefault(name, []).extend(row for row in found if row not in parts.get(name, []))
    return {name: rows for name, rows in parts.items() if rows}


def _named(row: Mapping[str, Any], stacks: Collection[str]) -> Mapping[str, Any]:
    """A row without the names of other projects' stacks."""
    of_stacks = {name: amount for name, amount in row.get("stacks", {}).items() if name in stacks}
    rest = {name: value for name, value in row.items() if name != "stacks"}
    if not of_stacks:
        return rest
    # Metrics of use are minutes behind the machines themselves.
    return {**rest, "usage": max(rest["usage"], sum(of_stacks.values())), "stacks": of_stacks}

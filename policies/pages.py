"""Writes docs/rules: a page for each rule, and an index. `make docs` runs it; a test compares the pages.

Everything in a page comes from the rule itself, so that `gpucluster guardrails explain` and the page never differ.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import yaml

from gpucluster.catalog.clouds import clouds
from gpucluster.policies.changes import Changes
from gpucluster.policies.evaluate import evaluate
from gpucluster.policies.examples import Example, example_of, plan_of
from gpucluster.policies.message import page_of
from gpucluster.policies.packs import PACKS, TRAINING
from gpucluster.policies.rule import EXEMPTIONS, ChangeRule, ReportRule, ResourceRule, Rule, StackRule
from gpucluster.policies.settings import REMEDIATE
from gpucluster.program.readers.files import read_file

__all__ = ["FOLDER", "pages", "write_pages"]

FOLDER: Final = Path(__file__).parents[1] / "docs/rules"

_DAY: Final = datetime.date(2026, 11, 21)
"""The day that examples with an end date are held against, so that a page stays the same."""

_CLOUDS: Final[Mapping[str, str]] = {f"{cloud.package}:": cloud.title for cloud in clouds().values()}
_WHEN: Final[Mapping[type[Rule], str]] = {
    ResourceRule: "In `preview` and `up`, before the resource is made, and in `gpucluster guardrails check`. It states "
    "what the cloud itself refuses, so no exemption reaches it.",
    StackRule: "In `preview` and `up`, when all resources are registered, and in `gpucluster guardrails check`.",
    ChangeRule: "In `gpucluster guardrails check` on plan files only: a policy pack does not see what goes.",
    ReportRule: "In `preview`, `up` and `gpucluster guardrails check`, after all others, on what they found.",
}


def pages() -> dict[str, str]:
    """File name -> text of every page."""
    return {"README.md": _index(), **{f"{rule.name}.md": _page(rule) for rule in TRAINING.rules}}


def write_pages(folder: Path = FOLDER) -> None:
    """Write every page, and remove those of rules that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    written = pages()
    for file in folder.glob("*.md"):
        if file.name not in written:
            file.unlink()
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")


def _index() -> str:
    rows = [
        f"| [{rule.name}]({rule.name}.md) | {rule.title} | {_clouds(rule)} | {_level(rule)} |"
        for rule in TRAINING.rules
    ]
    return "\n".join(
        (
            "# Rules",
            "",
            f"The {len(TRAINING.rules)} rules of the [policy packs](../../policies/README.md). Written by `make docs`.",
            "",
            "| rule | what must be true | clouds | in the training pack |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        )
    )


def _page(rule: Rule) -> str:
    return (
        "\n\n".join(
            (
                f"# {rule.name}",
                f"{rule.title}.",
                f"Severity {rule.severity.value}. Clouds: {_clouds(rule)}.",
                "\n".join(("| pack | a finding is |", "| --- | --- |", *_levels(rule))),
                f"## Why\n\n{rule.why}",
                f"## Fix\n\n{_fix(rule)}",
                f"## What it looks at\n\n{_code(_sentence(rule.reads))}",
                f"## When it runs\n\n{_WHEN[type(rule)]}",
                *_settings(rule),
                *_mend(rule),
                *_accept(rule),
                *_see(rule),
                *_example(rule),
                f"## Try it\n\n{_try(rule)}",
            )
        )
        + "\n"
    )


def _clouds(rule: Rule) -> str:
    """The clouds whose types it names; a rule that names none looks at every resource."""
    named = [cloud for prefix, cloud in _CLOUDS.items() if re.search(rf"(?<![\w-]){prefix}", rule.reads)]
    return ", ".join(named) or "every one"


def _level(rule: Rule) -> str:
    return TRAINING.enforcement(rule).value


def _levels(rule: Rule) -> list[str]:
    return [f"| {pack.name} | {pack.enforcement(rule).value} |" for pack in PACKS.values()]


def _fix(rule: Rule) -> str:
    """Each cloud's own words in a line of their own."""
    return re.sub(rf" (?=({'|'.join(_CLOUDS.values())}): )", "\n\n", rule.fix)


def _sentence(text: str) -> str:
    """The text as a sentence; a type token at its start keeps its spelling."""
    token = ":" in text.split()[0]
    return f"{text if token else text[0].upper() + text[1:]}."


def _code(text: str) -> str:
    """Type tokens set as code."""
    return re.sub(r"[\w-]+:[\w./-]+:\w+", lambda token: f"`{token[0]}`", text)


def _settings(rule: Rule) -> list[str]:
    own = {name: of for name, of in rule.settings.items() if name != EXEMPTIONS}
    rows = [f"- `{name}` ({of['type']}): {of['description']}." for name, of in own.items()]
    return ["## Settings\n\n" + "\n".join(rows)] if rows else []


def _mend(rule: Rule) -> list[str]:
    if rule.mends_by is None:
        return []
    entry = f'{{"{rule.name}": {{"enforcementLevel": "{REMEDIATE}", "labels": {{"team": "research"}}}}}}'
    words = (
        f"At level `{REMEDIATE}`, which no pack has of its own, the rule writes into each resource before it is made; "
        "`preview --diff` shows what. It knows no more than its settings then: what components register comes later. "
        "What is left wrong is a mandatory finding."
    )
    return [f"## Mend it\n\n{words}\n\n```\n{entry}\n```"]


def _accept(rule: Rule) -> list[str]:
    if not rule.accepts:
        return []
    entry = f'{{"rule": "{rule.name}", "resource": "NAME", "reason": "...", "owner": "...", "until": "YYYY-MM-DD"}}'
    configured = entry.replace(f'"rule": "{rule.name}", ', "")
    return [
        f"## Accept it\n\nIn the exemptions of the component around it:\n\n```\n{entry}\n```\n\n"
        "For a program without one, in the pack's configuration:\n\n"
        f'```\n{{"{rule.name}": {{"{EXEMPTIONS}": [{configured}]}}}}\n```'
    ]


def _see(rule: Rule) -> list[str]:
    if not rule.frameworks:
        return []
    return ["## See\n\n" + "\n".join(f"- [{f.name}, {f.specification}]({f.reference})" for f in rule.frameworks)]


def _example(rule: Rule) -> list[str]:
    """A program that passes, what makes it fail, and what is found then."""
    example = example_of(rule.name)
    if example is None:
        return []
    passing = _yaml(example.resources)
    if isinstance(example.fail, list):
        verb, _, name = example.fail[0].rpartition(" ")
        failing = f"A plan that {verb or 'delete'}s `{name}` fails"
    else:
        failing = f"With these properties instead (null: without it)\n\n{_yaml(example.fail)}\n\nit fails"
    return [f"## Example\n\nPasses:\n\n{passing}", f"{failing}, with:\n\n```\n{_finding(rule, example)}\n```"]


def _finding(rule: Rule, example: Example) -> str:
    read = read_file(json.dumps(plan_of(example, fails=True)), rule.name)
    changes = Changes(ended=read.ended, before=read.standing(), after=read.resources)
    outcomes = evaluate(TRAINING.rules, read.resources, changes, today=_DAY)
    outcome = next(outcome for outcome in outcomes if outcome.rule is rule)
    return "\n".join(
        f"{found.resource.name if found.resource else 'the whole stack'}: {found.what}" for found in outcome.violations
    )


def _yaml(value: object) -> str:
    return f"```yaml\n{yaml.safe_dump(value, sort_keys=False, default_flow_style=False)}```"


def _try(rule: Rule) -> str:
    if example_of(rule.name) is not None:
        guardrails = ".venv/bin/gpucluster guardrails"
        command = f"{guardrails} explain {rule.name} --example fail | {guardrails} check"
        return f"```\n{command}\n```\n\nA finding names this page: `{page_of(rule)}`."
    plan = "gpucluster sandbox pulumi preview --stack aws-trial --json --show-sames > plan.json"
    commands = [
        f".venv/bin/gpucluster guardrails explain {rule.name}",
        f".venv/bin/{plan}",
        ".venv/bin/gpucluster guardrails check plan.json",
    ]
    return "\n".join(("```", *commands, "```", "", f"A finding names this page: `{page_of(rule)}`."))


if __name__ == "__main__":
    write_pages()

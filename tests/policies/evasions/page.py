"""docs/reference/evasions.md: what comes of each way around a rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.policies.evasions.tried import CAUGHT, KINDS, NO_WAY, OUT_OF_REACH, SAID, Evasion

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).parents[3] / "docs/reference/evasions.md"

_HEAD = """# Ways around the rules

{number} programs that break a rule in a form that the rule might miss, and the result of each: {counts}.
`tests/policies/evasions` runs all of them and compares this page.

- caught: the rule has a finding.
- said: [`not-known-yet`](rules.md#not-known-yet) reports that the rule was not evaluated, or
  [`gpu-machines-unread`](rules.md#gpu-machines-unread) that it does not read some machines.
- out of reach: no finding; the table below gives the reason.
- no way around: the input of the rule has no such form.

The five kinds: a value unknown before the update; a resource of another stack; another provider for the same resource;
another form of the same text; another resource type with the same effect.
"""


def page(tried: Sequence[Evasion]) -> str:
    """The whole page."""
    rules = list(dict.fromkeys(one.rule for one in tried))
    counts = {is_: sum(one.is_ == is_ for one in tried) for is_ in (CAUGHT, SAID, OUT_OF_REACH)}
    number = sum(counts.values())
    head = _HEAD.format(number=number, counts=", ".join(f"{count} {is_}" for is_, count in counts.items()))
    matrix = [f"| rule | {' | '.join(KINDS)} |", f"| --- {'| --- ' * len(KINDS)}|"]
    matrix += [f"| {_link(rule)} | {' | '.join(_cell(tried, rule, by) for by in KINDS)} |" for rule in rules]
    rows = [
        f"| {_link(one.rule)} | {one.by} | {_escaped(one.how)} | {one.is_} | {_why(one)} |"
        for one in tried
        if one.is_ != NO_WAY
    ]
    table = ["| rule | kind | how | result | because |", "| --- | --- | --- | --- | --- |", *rows]
    return "\n".join((head, *matrix, "", "## Each way", "", *table, ""))


def _cell(tried: Sequence[Evasion], rule: str, by: str) -> str:
    """The outcomes of one kind, each once, the best first."""
    here = {one.is_ for one in tried if (one.rule, one.by) == (rule, by)}
    order = (CAUGHT, SAID, OUT_OF_REACH, NO_WAY)
    return ", ".join(is_ for is_ in order if is_ in here)


def _why(one: Evasion) -> str:
    return _escaped(one.because) if one.told == one.rule else f"by {_link(one.told)}"


def _link(rule: str) -> str:
    return f"[{rule}](rules.md#{rule})"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")

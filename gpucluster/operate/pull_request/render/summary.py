"""The verdict in one sentence, and totals of several stacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.documents.markdown import code
from gpucluster.cost.documents.diff.diff_text import bounded, comparable, how_much, missing, share, sides
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.money import ranged
from gpucluster.operate.pull_request.judgement import Judgement, StackJudgement


@dataclass(frozen=True, kw_only=True)
class Totals:
    """USD per month of the stacks with both sides, and the unpriced items missing in it."""

    before: Decimal
    after: Decimal
    gap_before: Gap
    gap_after: Gap
    compared: int


def totals(found: Judgement) -> Totals:
    """The sum over every compared stack; a new one costs nothing before."""
    compared = [stack.diff for stack in found.compared if stack.diff]
    return Totals(
        before=sum((each.before.expected for each in compared), Decimal(0)),
        after=sum((each.after.expected for each in compared), Decimal(0)),
        gap_before=Gap.sum(each.old.estimate.gaps.expected for each in compared),
        gap_after=Gap.sum(each.new.estimate.gaps.expected for each in compared),
        compared=len(compared),
    )


def counted(number: int, what: str) -> str:
    """`1 stack`, `2 stacks`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


_NAMED: Final = 3
"""Maximum stacks listed in one line."""


def named(stacks: Sequence[StackJudgement]) -> str:
    """The names of stacks, the first few of them."""
    names = [code(stack.name) for stack in stacks]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])


def first_line(found: Judgement) -> str:
    """The essentials in one line: verdict, money, and parts of the change that affect the judgement itself."""
    touched = _touched(found)
    if found.calm:
        total = totals(found)
        amount = ranged(total.after, total.gap_after)
        who = (
            f"{code(found.stacks[0].name)} costs" if len(found.stacks) == 1 else f"the {len(found.stacks)} stacks cost"
        )
        return f"No cost or policy change: {who} {amount} a month, as before, and no mandatory rule is broken."
    return " ".join(filter(None, [f"**{_VERDICTS[found.verdict]}: {'; '.join(_reasons(found))}.**", touched]))


_VERDICTS: Final = {"passes": "Passes", "fails": "Fails", "cannot tell": "Cannot tell whether it costs more or less"}


def _reasons(found: Judgement) -> Iterator[str]:
    if found.mandatory:
        stacks = list({stack.name: stack for stack, _ in found.mandatory}.values())
        yield f"{counted(len(found.mandatory), 'mandatory finding')} in {named(stacks)}"
    if found.without_plan:
        yield f"no plan of {named(found.without_plan)}"
    if found.refused:
        yield f"an update of {named(found.refused)} refused over its budget"
    if found.stuck:
        jobs = sum(len(stack.stuck) for stack in found.stuck)
        what = f"{counted(jobs, 'job')} that would not run" if jobs else "jobs that could not be rehearsed"
        yield f"{what} on {named(found.stuck)}"
    if found.price_problem:
        yield "its price book cannot be used"
    gone = [stack for stack in found.stacks if stack.head == "absent"]
    if gone:
        yield f"{named(gone)} no longer in the project, though still in the cloud"
    yield _money(found)
    lost = sum(len(stack.diff.losses) for stack in found.stacks if stack.diff and stack.after is not None)
    if lost:
        yield f"{counted(lost, 'resource')} with data or reserved capacity deleted or replaced"
    if found.passes:
        yield "no mandatory rule is broken"


def _money(found: Judgement) -> str:
    total = totals(found)
    apart = [stack for stack in found.stacks if stack.no_comparison and stack.after is not None]
    without = f", without {named(apart)}, which has nothing to compare with" if apart else ""
    if not total.compared:
        return "no cost to compare"
    before = ranged(total.before, total.gap_before)
    after = ranged(total.after, total.gap_after)
    told = found.change
    rest = f"{missing([stack.diff for stack in found.compared if stack.diff], code)}{without}"
    if told.direction == "cannot tell":
        known = f"{bounded(told)}{before} a month before, {after} after"
        verdict = "cannot tell whether it costs more or less, " if not found.passes else ""
        return f"{verdict}{known}; {comparable(told)}{rest}"
    if told.direction == "the same":
        return f"the cost stays the same, {after} a month{rest}"
    shared = share(told, total.before, complete=not total.gap_before.missing and not total.gap_after.missing)
    return f"{how_much(told)} a month {told.direction}{shared}{sides(before, after)}{rest}"


def _touched(found: Judgement) -> str:
    kinds = [*found.touched]
    if any(stack.exemptions for stack in found.stacks):
        kinds.append("exemptions")
    return f"**This change also modifies its own checks: {', '.join(kinds)}.**" if kinds else ""

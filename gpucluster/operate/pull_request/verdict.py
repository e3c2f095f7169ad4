"""The verdict on a change as one sentence, and its totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.documents.document import counted, quoted
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


_NAMED: Final = 3
"""Maximum stacks listed in one line."""


def named(stacks: Sequence[StackJudgement]) -> str:
    """The names of stacks, the first few of them."""
    names = [quoted(stack.name) for stack in stacks]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])


def verdict_of(found: Judgement) -> str:
    """The essentials in one sentence: verdict, money, and parts of the change that affect the judgement itself."""
    if found.calm:
        total = totals(found)
        amount = ranged(total.after, total.gap_after)
        who = (
            f"{quoted(found.stacks[0].name)} costs"
            if len(found.stacks) == 1
            else f"the {len(found.stacks)} stacks cost"
        )
        return f"No cost or policy change: {who} {amount} a month, as before, and {_unbroken(found)}."
    kinds = [*found.touched, *(["exemptions"] if any(stack.exemptions for stack in found.stacks) else [])]
    touched = f" This change also modifies its own checks: {', '.join(kinds)}." if kinds else ""
    return f"{_VERDICTS[found.verdict]}: {'; '.join(_reasons(found))}.{touched}"


_VERDICTS: Final = {"passes": "Passes", "fails": "Fails", "cannot tell": "Cannot tell whether it costs more or less"}


def _reasons(found: Judgement) -> Iterator[str]:
    if found.failing:
        stacks = list({stack.name: stack for stack, _ in found.failing}.values())
        new = "new " if found.only_new else ""
        yield f"{counted(len(found.failing), f'{new}mandatory finding')} in {named(stacks)}{_base_too(found)}"
    if found.others:
        stacks = list({stack.name: stack for stack, _ in found.others}.values())
        yield f"{counted(len(found.others), 'mandatory finding')} of other policy packs in {named(stacks)}"
    if found.unrun:
        yield f"policy packs did not run on {named(found.unrun)}"
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
        yield _unbroken(found)


def _unbroken(found: Judgement) -> str:
    return f"no new mandatory finding{_base_too(found)}" if found.tolerated else "no mandatory rule is broken"


def _base_too(found: Judgement) -> str:
    return f" ({len(found.tolerated):,} more in the base too)" if found.tolerated else ""


def _money(found: Judgement) -> str:
    total = totals(found)
    apart = [stack for stack in found.stacks if stack.no_comparison and stack.after is not None]
    without = f", without {named(apart)}, which has nothing to compare with" if apart else ""
    if not total.compared:
        return "no cost to compare"
    before = ranged(total.before, total.gap_before)
    after = ranged(total.after, total.gap_after)
    delta = found.change
    rest = f"{missing([stack.diff for stack in found.compared if stack.diff])}{without}"
    if delta.direction == "cannot tell":
        known = f"{bounded(delta)}{before} a month before, {after} after"
        verdict = "cannot tell whether it costs more or less, " if not found.passes else ""
        return f"{verdict}{known}; {comparable(delta)}{rest}"
    if delta.direction == "the same":
        return f"the cost stays the same, {after} a month{rest}"
    shared = share(delta, total.before, complete=not total.gap_before.missing and not total.gap_after.missing)
    return f"{how_much(delta)} a month {delta.direction}{shared}{sides(before, after)}{rest}"

"""The verdict in one sentence, and amounts of several stacks together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from cost.money import at_least, money, percent
from cost.render.markdown import code
from pull_request.judgement import Judgement, StackJudgement

__all__ = ["Totals", "counted", "first_line", "named", "totals"]


@dataclass(frozen=True, kw_only=True)
class Totals:
    """USD a month of the stacks that have both sides; `complete` whether everything in them has a price."""

    before: Decimal
    after: Decimal
    complete_before: bool
    complete_after: bool
    compared: int

    @property
    def change(self) -> Decimal:
        return self.after - self.before


def totals(stacks: Sequence[StackJudgement]) -> Totals:
    """The sum over every stack that was compared; one that is new costs nothing before."""
    both = [(stack.before, stack.after) for stack in stacks]
    compared = [(old, new) for old, new in both if old is not None and new is not None]
    return Totals(
        before=sum((old.monthly.expected for old, _ in compared), Decimal(0)),
        after=sum((new.monthly.expected for _, new in compared), Decimal(0)),
        complete_before=all(old.complete for old, _ in compared),
        complete_after=all(new.complete for _, new in compared),
        compared=len(compared),
    )


def counted(number: int, what: str) -> str:
    """`1 stack`, `2 stacks`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def named(stacks: Sequence[StackJudgement], most: int = 3) -> str:
    """The names of stacks, the first few of them."""
    names = [code(stack.name) for stack in stacks]
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def first_line(found: Judgement) -> str:
    """What somebody who reads one line must know: verdict, money, and what of the change touches the judging itself."""
    touched = _touched(found)
    if found.calm:
        total = totals(found.stacks)
        amount = at_least(total.after, complete=total.complete_after)
        who = (
            f"{code(found.stacks[0].name)} costs" if len(found.stacks) == 1 else f"the {len(found.stacks)} stacks cost"
        )
        return f"Nothing to look at here: {who} {amount} a month, as before, and no mandatory rule is broken."
    return " ".join(filter(None, [f"**{_verdict(found)}: {'; '.join(_reasons(found))}.**", touched]))


def _verdict(found: Judgement) -> str:
    return "Passes" if found.passes else "Fails"


def _reasons(found: Judgement) -> Iterator[str]:
    if found.mandatory:
        stacks = list({stack.name: stack for stack, _ in found.mandatory}.values())
        yield f"{counted(len(found.mandatory), 'mandatory finding')} in {named(stacks)}"
    if found.without_plan:
        yield f"no plan of {named(found.without_plan)}"
    if found.refused:
        yield f"an update of {named(found.refused)} refused over its budget"
    if found.price_problem:
        yield "its price book cannot be used"
    gone = [stack for stack in found.stacks if stack.head == "absent"]
    if gone:
        yield f"{named(gone)} no longer in the project, though still in the cloud"
    yield _money(found)
    lost = sum(len(stack.diff.losses) for stack in found.stacks if stack.diff and stack.after is not None)
    if lost:
        stay = "does" if lost == 1 else "do"
        yield f"{counted(lost, 'resource')} with data or reserved capacity that {stay} not stay"
    if found.passes:
        yield "no mandatory rule is broken"


def _money(found: Judgement) -> str:
    total = totals(found.stacks)
    apart = [stack for stack in found.stacks if stack.no_comparison and stack.after is not None]
    without = f", without {named(apart)}, which has nothing to compare with" if apart else ""
    if not total.compared:
        return "no cost to compare"
    before = at_least(total.before, complete=total.complete_before)
    after = at_least(total.after, complete=total.complete_after)
    priced = "" if total.complete_before and total.complete_after else " for what has a price"
    if not total.change:
        return f"the cost stays the same, {after} a month{priced}{without}"
    share = f" ({percent(abs(total.change) / total.before)})" if total.before else ""
    word = "more" if total.change > 0 else "less"
    return f"{money(abs(total.change))} a month {word}{share}{priced}, from {before} to {after}{without}"


def _touched(found: Judgement) -> str:
    kinds = [*found.touched]
    if any(stack.exemptions for stack in found.stacks):
        kinds.append("exemptions")
    return f"**It also changes how it is judged: {', '.join(kinds)}.**" if kinds else ""

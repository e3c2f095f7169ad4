"""The JSON of a change."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasPath, Field

from gpucluster.core.documents.model import Model, command_schema
from gpucluster.cost.diff import Change, Diff
from gpucluster.cost.diff.diff import Kind, change_of
from gpucluster.cost.documents.json_schema import Amount, Amounts, Answer, Known, known
from gpucluster.cost.documents.report.report_json import Line, Outcome, Unpriced
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.pricing.model import Amounts as AmountsOf


class CompleteSides(Model):
    before: bool
    after: bool


class KnownSides(Model):
    before: Known
    after: Known


class Sides(Model):
    before: Amount
    after: Amount


class MaybeSides(Model):
    before: Amount | None
    after: Amount | None


class Moved(Model):
    """Null if a price is lost or gained, or one of two ceilings has no bound."""

    floor: Amount | None
    expected: Amount | None
    ceiling: Amount | None


class Monthly(Model):
    before: Amounts
    after: Amounts
    change: Moved


class ChangeOfCost(Model):
    """Change of cost a month. A price that is lost or gained is not a change of cost: then there is no amount, and
    the verdict follows from the bound, if it does.
    """

    verdict: Literal["more", "less", "the same", "cannot tell"] = Field(validation_alias="direction")
    expected: Amount | None = Field(validation_alias="exact", description="USD a month more; null if unknown")
    at_least: Amount | None = Field(description="null if something that differs had no price before")
    at_most: Amount | None = Field(description="null if something that differs has no price after")
    priced_on_both_sides: Amount = Field(
        validation_alias="comparable", description="the change without lines that lose or gain a price"
    )


class ChangedLine(Model):
    kind: Kind
    change: Amount | None = Field(
        description="expected USD a month more than before; null if a price is lost or gained"
    )
    before: Line | None
    after: Line | None


class ChangedResource(Model):
    name: str
    monthly: Monthly
    lines: list[ChangedLine]


class ChangedPart(Model):
    name: str
    change: ChangeOfCost
    complete: CompleteSides
    monthly: Monthly
    resources: list[ChangedResource]
    lines_the_same: int


class LostResource(Model):
    resource: str = Field(validation_alias="urn")
    type: str
    what: str = Field(description="storage, reserved capacity or machines in a reservation")
    how: Literal["deleted", "replaced", "not in the new file"]
    because: list[str] = Field(description="properties that force a replacement")
    retained: bool = Field(description="whether it continues to exist and be billed")
    monthly_before: Amount = Field(validation_alias="monthly")


class BudgetOutcome(Model):
    monthly: Amount = Field(validation_alias=AliasPath("budget", "monthly"))
    verdict: Outcome = Field(validation_alias="outcome")


class CostChange(Answer):
    """How the cost of a stack changes."""

    stack: str = Field(description="name after or before the change; empty if no resource has it")
    old: str = Field(description="file or revision")
    new: str
    change: ChangeOfCost
    complete: CompleteSides = Field(description="whether everything has a price; amounts are of what has one")
    known: KnownSides
    monthly: Monthly
    hourly: Monthly
    per_training_gpu_hour: MaybeSides
    committed_elsewhere_monthly: Sides = Field(description="part of monthly")
    budget: BudgetOutcome | None
    parts: list[ChangedPart]
    losses: list[LostResource] = Field(description="storage and reserved capacity that are deleted or replaced")
    newly_unpriced: list[Unpriced]
    no_longer_unpriced: list[Unpriced]
    changed_unpriced: list[Unpriced] = Field(description="without a price before and after, and changed")


def diff_json(found: Diff) -> CostChange:
    """Unchanged lines are only counted. A change is null if one of its amounts is unbounded, or if a price is lost or
    gained, which is no change of cost; `change` gives the known part. Amounts are of priced items; `known` gives what
    they lack.
    """
    old, new = found.old.estimate, found.new.estimate
    return CostChange.model_validate(
        {
            "stack": found.stack,
            "old": found.old.title,
            "new": found.new.title,
            "change": found.change,
            "complete": {"before": old.complete, "after": new.complete},
            "known": {
                "before": known(found.before.expected, old.gaps.expected),
                "after": known(found.after.expected, new.gaps.expected),
            },
            "monthly": _monthly(found.before, found.after, found.change),
            "hourly": _monthly(old.hourly, new.hourly, found.change),
            "per_training_gpu_hour": {"before": old.per_training_gpu_hour, "after": new.per_training_gpu_hour},
            "committed_elsewhere_monthly": {"before": old.committed_monthly, "after": new.committed_monthly},
            "budget": budget_verdict(new),
            "parts": [
                {
                    "name": part.name,
                    "change": part.change,
                    "complete": {"before": not part.lacks[0].missing, "after": not part.lacks[1].missing},
                    "monthly": _monthly(part.before, part.after, part.change),
                    "resources": [
                        {
                            "name": item.name,
                            "monthly": _monthly(item.before, item.after, item.change),
                            "lines": item.changed,
                        }
                        for item in part.resources
                        if item.changed
                    ],
                    "lines_the_same": len(part.lines) - len(part.changed),
                }
                for part in found.parts
            ],
            "losses": found.losses,
            "newly_unpriced": found.newly_unpriced,
            "no_longer_unpriced": found.no_longer_unpriced,
            "changed_unpriced": found.changed_unpriced,
        },
        context={**old.names, **new.names},
    )


def change_json(found: Change) -> dict[str, Any]:
    """A change: an amount if known, and its bounds, null without a bound."""
    return ChangeOfCost.model_validate(found).model_dump()


def _monthly(before: AmountsOf, after: AmountsOf, found: Change) -> dict[str, Any]:
    """Both sides and the change, which is null if prices are lost or gained."""
    known = found.exact is not None
    return {
        "before": before,
        "after": after,
        "change": {
            "floor": after.floor - before.floor if known else None,
            "expected": after.expected - before.expected if known else None,
            "ceiling": change_of(before.ceiling, after.ceiling) if known else None,
        },
    }


def diff_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster cost diff --format json`."""
    return command_schema(CostChange, "cost diff")

"""A change for machines. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.diff import Change, Diff, LineChange
from gpucluster.cost.diff.diff import ResourceChange, change_of
from gpucluster.cost.documents.diff.shape import (
    ChangeShape,
    DiffShape,
    LineChangeShape,
    MonthlyShape,
    ResourceShape,
    UnpricedShape,
)
from gpucluster.cost.documents.report.model import line_json
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, amounts_json, text_of
from gpucluster.cost.documents.words.unpriced import bound_json, known_json
from gpucluster.cost.model import Amounts, NotPriced
from gpucluster.cost.verdict import budget_verdict


def diff_model(found: Diff) -> DiffShape:
    """A document of plain values, in a stable order; unchanged lines are only counted.

    A change is null if one of its amounts is unbounded, or if a price is lost or gained, which is no change of cost;
    `change` says what is known. Amounts are of priced items; `known` gives what they lack.
    """
    verdict = budget_verdict(found.new.estimate)
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "stack": found.stack,
        "old": found.old.title,
        "new": found.new.title,
        "change": change_json(found.change),
        "complete": {"before": found.old.estimate.complete, "after": found.new.estimate.complete},
        "known": {
            "before": known_json(found.before.expected, found.old.estimate.gaps.expected),
            "after": known_json(found.after.expected, found.new.estimate.gaps.expected),
        },
        "monthly": _monthly(found.before, found.after, found.change),
        "hourly": _monthly(found.old.estimate.hourly, found.new.estimate.hourly, found.change),
        "per_training_gpu_hour": {
            "before": _maybe(found.old.estimate.per_training_gpu_hour),
            "after": _maybe(found.new.estimate.per_training_gpu_hour),
        },
        "committed_elsewhere_monthly": {
            "before": text_of(found.old.estimate.committed_monthly),
            "after": text_of(found.new.estimate.committed_monthly),
        },
        "budget": None if verdict is None else {"monthly": text_of(verdict.budget.monthly), "verdict": verdict.outcome},
        "parts": [
            {
                "name": part.name,
                "change": change_json(found.change),
                "complete": {"before": not part.lacks[0].missing, "after": not part.lacks[1].missing},
                "monthly": _monthly(part.before, part.after, part.change),
                "resources": [_resource(item, found) for item in part.resources if item.changed],
                "lines_the_same": len(part.lines) - len(part.changed),
            }
            for part in found.parts
        ],
        "losses": [
            {
                "resource": loss.urn,
                "type": loss.type,
                "what": loss.what,
                "how": loss.how,
                "because": list(loss.because),
                "retained": loss.retained,
                "monthly_before": text_of(loss.monthly),
            }
            for loss in found.losses
        ],
        "newly_unpriced": [_unpriced(item) for item in found.newly_unpriced],
        "no_longer_unpriced": [_unpriced(item) for item in found.no_longer_unpriced],
        "changed_unpriced": [_unpriced(item) for item in found.changed_unpriced],
    }


def _resource(item: ResourceChange, found: Diff) -> ResourceShape:
    return {
        "name": item.name,
        "monthly": _monthly(item.before, item.after, item.change),
        "lines": [_line(line, found) for line in item.changed],
    }


def _line(line: LineChange, found: Diff) -> LineChangeShape:
    return {
        "kind": line.kind,
        "change": _maybe(line.change),
        "before": None if line.before is None else line_json(line.before, found.old.estimate),
        "after": None if line.after is None else line_json(line.after, found.new.estimate),
    }


def change_json(told: Change) -> ChangeShape:
    """A change: an amount if known, and its bounds, null without a bound."""
    return {
        "verdict": told.direction,
        "expected": _maybe(told.exact),
        "at_least": _maybe(told.at_least),
        "at_most": _maybe(told.at_most),
        "priced_on_both_sides": text_of(told.comparable),
    }


def _monthly(before: Amounts, after: Amounts, told: Change) -> MonthlyShape:
    """Both sides and the change, which is null if prices are lost or gained."""
    known = told.exact is not None
    return {
        "before": amounts_json(before),
        "after": amounts_json(after),
        "change": {
            "floor": text_of(after.floor - before.floor) if known else None,
            "expected": text_of(after.expected - before.expected) if known else None,
            "ceiling": _maybe(change_of(before.ceiling, after.ceiling)) if known else None,
        },
    }


def _unpriced(item: NotPriced) -> UnpricedShape:
    return {
        "resource": item.urn,
        "type": item.type,
        "part": item.part,
        "reason": item.reason,
        "bound": bound_json(item),
    }


def _maybe(value: Decimal | None) -> str | None:
    return None if value is None else text_of(value)

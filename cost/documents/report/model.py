"""The estimate for machines. Money is text, so that no reader turns it into a binary fraction."""

from __future__ import annotations

from gpucluster.cost.documents.report.shape import LineShape, PartShape, ReportShape, TeamShape
from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, amounts_json, text_of
from gpucluster.cost.documents.words.unpriced import bound_json, known_json
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.model import CostLine, Part
from gpucluster.cost.teams import TeamCost, team_costs
from gpucluster.cost.verdict import budget_verdict


def as_json(estimate: Estimate) -> ReportShape:
    """A document of plain values, in a stable order. Totals are of priced items; `known` gives what they lack."""
    per_gpu = estimate.per_training_gpu_hour
    trial, trial_ceiling = estimate.trial_total, estimate.trial_ceiling
    days = estimate.facts.duration_days
    dates = estimate.price_dates
    verdict = budget_verdict(estimate)
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "complete": estimate.complete,
        "known": known_json(estimate.monthly.expected, estimate.gaps.expected),
        "monthly": amounts_json(estimate.monthly),
        "monthly_at_list_prices": text_of(estimate.listed),
        "terms": {
            cloud: {
                "support": terms.support,
                "discount": text_of(terms.discount),
                "account_spend": text_of(terms.account_usd),
            }
            for cloud, terms in estimate.terms.items()
        },
        "hourly": amounts_json(estimate.hourly),
        "per_training_gpu_hour": None if per_gpu is None else text_of(per_gpu),
        "training_gpus": None if estimate.facts.training_gpus is None else text_of(estimate.facts.training_gpus),
        "per_slice_hour": {
            part: {size: text_of(amount) for size, amount in sizes.items()}
            for part, sizes in estimate.per_slice_hour.items()
        },
        "trial": None
        if trial is None or days is None or trial_ceiling is None
        else {
            "days": text_of(days),
            "expected": text_of(trial),
            "ceiling": text_of(trial_ceiling),
            "upfront": text_of(estimate.upfront),
        },
        "committed_elsewhere_monthly": text_of(estimate.committed_monthly),
        "unpriced_compute": sorted({item.urn for item in estimate.unpriced_compute}),
        "budget": None
        if verdict is None
        else {
            "monthly": text_of(verdict.budget.monthly),
            "on_exceed": verdict.budget.on_exceed,
            "verdict": verdict.outcome,
            "ceiling_over": verdict.ceiling_over,
        },
        "teams": [_team(team) for team in team_costs(estimate)],
        "parts": [_part(part) for part in estimate.parts],
        "lines": [line_json(line, estimate) for line in estimate.lines],
        "free": [
            {"resource": item.urn, "type": item.type, "why": item.why, "source": item.source}
            for item in sorted(estimate.free, key=lambda item: item.urn)
        ],
        "not_priced": [
            {
                "resource": item.urn,
                "type": item.type,
                "part": item.part,
                "reason": item.reason,
                "own_price_row": item.own_row,
                "bound": bound_json(item),
            }
            for item in sorted(estimate.not_priced, key=lambda item: item.urn)
        ],
        "what_if": list(estimate.facts.what_if),
        "not_built": list(estimate.facts.not_built),
        "idle_own_prices": [row.source for row in estimate.idle_prices],
        "assumptions": list(estimate.assumptions),
        "lines_by_usage": sum(line.by_usage for line in estimate.lines),
        "coverage": {
            "resources": estimate.coverage.resources,
            "priced": estimate.coverage.priced,
            "free": estimate.coverage.free,
            "not_priced": estimate.coverage.not_priced,
            "both": estimate.coverage.both,
        },
        "price_dates": None if dates is None else {"oldest": dates[0], "newest": dates[1]},
        "monthly_by_confidence": {key: text_of(value) for key, value in estimate.by_confidence.items()},
    }


def _team(team: TeamCost) -> TeamShape:
    return {
        "name": team.name,
        "gpus": team.gpus,
        "gpu_hours": text_of(team.gpu_hours),
        "monthly": text_of(team.monthly),
        "hourly": text_of(team.hourly),
        "budget": None if team.budget is None else text_of(team.budget),
        "verdict": team.outcome,
    }


def _part(part: Part) -> PartShape:
    return {"name": part.name, "training": part.training, "monthly": amounts_json(part.monthly)}


def line_json(line: CostLine, estimate: Estimate) -> LineShape:
    """One line with all details of its price."""
    return {
        "resource": line.urn,
        "resource_name": estimate.names.get(line.urn, ""),
        "part": line.part,
        "name": line.name,
        "quantity": text_of(line.quantity),
        "floor_quantity": text_of(line.floor),
        "ceiling_quantity": text_of(line.ceiling),
        "unit": line.unit,
        "basis": line.basis,
        "unit_price": text_of(line.unit_price),
        "list_unit_price": text_of(line.unit_price if line.list_price is None else line.list_price),
        "monthly": text_of(line.monthly),
        "monthly_floor": text_of(line.monthly_floor),
        "monthly_ceiling": text_of(line.monthly_ceiling),
        "region": line.region,
        "purchase": line.purchase,
        "term": line.term,
        "source": line.source,
        "as_of": line.as_of,
        "confidence": line.confidence,
        "assumption": line.assumption,
        "usage": list(line.usage),
        "spend": line.spend,
        "paid_by": line.paid_by,
        "idle_quantity": text_of(line.idle),
        "upfront": text_of(line.upfront),
    }

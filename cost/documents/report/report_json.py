"""The JSON of a report, and its parts that other documents use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from pydantic import AliasPath, Field

from gpucluster.core.documents.model import Model, command_schema
from gpucluster.cost.documents.json_schema import Amount, Amounts, Answer, Between, Bound, Date, Known, Name, known
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import Group, Grouping
from gpucluster.cost.estimate.teams import team_costs
from gpucluster.cost.pricing.model import CostLine

Outcome = Literal["within", "over", "cannot tell"]


class Line(Model):
    """What one item of a resource costs."""  # JSON, its schema and the columns of a CSV are made of these fields

    resource: str = Field(validation_alias="urn", description="URN")
    resource_name: Name = Field(validation_alias="urn")
    part: str = Field(description="name of the component it is shown under")
    name: str = Field(description="what is billed")
    quantity: Amount = Field(description="billing units a month, as expected")
    floor_quantity: Amount = Field(validation_alias="floor")
    ceiling_quantity: Bound = Field(validation_alias="ceiling")
    unit: str
    basis: str = Field(description="how the quantity is computed")
    unit_price: Amount = Field(description="USD per unit")
    list_unit_price: Amount = Field(description="USD per unit before a discount")
    monthly: Amount = Field(description="USD, quantity x unit_price rounded half up to the cent")
    monthly_floor: Amount
    monthly_ceiling: Bound
    region: str
    purchase: str
    term: str
    source: str
    as_of: Date = Field(description="day, month or year of the price; empty if another line pays")
    confidence: Literal["high", "medium", "low"]
    assumption: str
    usage: list[str] = Field(
        description="names of the usage in the quantity; a line of quantity 0 with any depends on usage"
    )
    spend: Literal["new", "committed-elsewhere"] = Field(
        description="committed-elsewhere: capacity that is bought outside the stack; it counts in every sum"
    )
    paid_by: str = Field(description="reservation or block that pays for these machines; empty if this line does")
    idle_quantity: Amount = Field(
        validation_alias="idle", description="units of the quantity that are paid for but unused here"
    )
    upfront: Amount = Field(description="fee of a capacity block for the stated duration, paid before it starts")


class Terms(Model):
    support: str = Field(description="support plan, empty for none")
    discount: Amount = Field(description="share off list prices")
    account_spend: Amount = Field(
        validation_alias="account_usd",
        description="USD a month that the account spends outside the stack; support fees depend on it",
    )


class Team(Model):
    name: str
    gpus: int
    gpu_hours: Amount
    monthly: Amount
    this_trial: Amount | None = Field(
        validation_alias="trial", description="in the stated duration; null without one. The teams add up to trial"
    )
    hourly: Amount
    budget: Amount | None
    verdict: Outcome | None = Field(validation_alias="outcome")


class Trial(Model):
    days: Amount
    expected: Amount
    ceiling: Bound
    upfront: Amount = Field(description="part of expected that is paid before the machines start")


class Budget(Model):
    monthly: Amount = Field(validation_alias=AliasPath("budget", "monthly"))
    on_exceed: Literal["fail", "warn"] = Field(validation_alias=AliasPath("budget", "on_exceed"))
    verdict: Outcome = Field(validation_alias="outcome")
    ceiling_over: bool


class Part(Model):
    name: str
    training: bool
    monthly: Amounts


class Free(Model):
    resource: str = Field(validation_alias="urn")
    type: str
    why: str
    source: str


class Unpriced(Model):
    resource: str = Field(validation_alias="urn")
    type: str
    part: str
    reason: str
    bound: Between | None = Field(validation_alias="between")


class NotPriced(Unpriced):
    own_price_row: str = Field(validation_alias="own_row")


class NotConsidered(Model):
    type: str
    inputs: list[str] = Field(description="paths without the indices of lists")


class Coverage(Model):
    resources: int
    priced: int
    free: int
    not_priced: int
    both: int = Field(description="priced in part: in both numbers")


class Dates(Model):
    oldest: str
    newest: str


class GroupSum(Model):
    value: str
    complete: bool
    known: Known
    lines: int
    monthly: Amounts
    committed_elsewhere_monthly: Amount
    parts: dict[str, Amount]


class LabelSums(Model):
    label: str
    groups: list[GroupSum]


class Report(Answer):
    """What a Pulumi plan or state costs. Totals include what has a price; known describes the rest."""

    complete: bool = Field(description="whether every resource is priced or free")
    known: Known
    monthly: Amounts
    monthly_at_list_prices: Amount = Field(description="expected, before discounts")
    terms: dict[str, Terms] = Field(description="cloud -> agreed terms of its account, included in the amounts")
    hourly: Amounts
    per_training_gpu_hour: Amount | None
    training_gpus: Amount | None
    per_slice_hour: dict[str, dict[str, Amount]] = Field(
        description="part -> size of a MIG slice -> USD for an hour of one"
    )
    trial: Trial | None
    committed_elsewhere_monthly: Amount = Field(description="part of monthly")
    unpriced_compute: list[str] = Field(description="URNs of machines without a price")
    budget: Budget | None
    teams: list[Team] = Field(description="cost of each team's share; (no team) is the rest")
    parts: list[Part]
    lines: list[Line]
    free: list[Free]
    not_priced: list[NotPriced]
    not_considered: list[NotConsidered] = Field(
        description="inputs that are set and that no amount depends on, though no source says that they never cost"
    )
    what_if: list[str] = Field(description="values of this preview that differ from the spec")
    not_built: list[str]
    idle_own_prices: list[str]
    assumptions: list[str]
    lines_by_usage: int = Field(description="lines with a known price whose usage is assumed to be zero")
    coverage: Coverage
    price_dates: Dates | None
    monthly_by_confidence: dict[str, Amount]
    group_by: list[LabelSums] | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="with --group-by: every line is in exactly one group",
    )


def report_json(estimate: Estimate, groupings: Sequence[Grouping] = ()) -> Report:
    """Lists are in a stable order. Totals are of priced items; `known` gives what they lack."""
    facts, dates = estimate.facts, estimate.price_dates
    trial, ceiling, days = estimate.trial_total, estimate.trial_ceiling, facts.duration_days
    has_trial = trial is not None and ceiling is not None and days is not None
    return Report.model_validate(
        {
            "complete": estimate.complete,
            "known": known(estimate.monthly.expected, estimate.gaps.expected),
            "monthly": estimate.monthly,
            "monthly_at_list_prices": estimate.listed,
            "terms": estimate.terms,
            "hourly": estimate.hourly,
            "per_training_gpu_hour": estimate.per_training_gpu_hour,
            "training_gpus": facts.training_gpus,
            "per_slice_hour": estimate.per_slice_hour,
            "trial": {"days": days, "expected": trial, "ceiling": ceiling, "upfront": estimate.upfront}
            if has_trial
            else None,
            "committed_elsewhere_monthly": estimate.committed_monthly,
            "unpriced_compute": sorted({item.urn for item in estimate.unpriced_compute}),
            "budget": budget_verdict(estimate),
            "teams": team_costs(estimate),
            "parts": estimate.parts,
            "lines": estimate.lines,
            "free": sorted(estimate.free, key=lambda item: item.urn),
            "not_priced": sorted(estimate.not_priced, key=lambda item: item.urn),
            "not_considered": estimate.not_considered,
            "what_if": facts.what_if,
            "not_built": facts.not_built,
            "idle_own_prices": [row.source for row in estimate.idle_prices],
            "assumptions": estimate.assumptions,
            "lines_by_usage": sum(line.by_usage for line in estimate.lines),
            "coverage": estimate.coverage,
            "price_dates": None if dates is None else {"oldest": dates[0], "newest": dates[1]},
            "monthly_by_confidence": estimate.by_confidence,
            "group_by": [label_sums(grouping) for grouping in groupings] or None,
        },
        context=estimate.names,
    )


def label_sums(found: Grouping) -> LabelSums:
    """The groups of one label."""
    return LabelSums(label=found.label, groups=[_group(group) for group in found.groups])


def _group(group: Group) -> GroupSum:
    return GroupSum.model_validate(
        {
            "value": group.value,
            "complete": group.complete,
            "known": known(group.monthly.expected, group.gap),
            "lines": len(group.lines),
            "monthly": group.monthly,
            "committed_elsewhere_monthly": group.committed_monthly,
            "parts": dict(parts_of(group.lines)),
        }
    )


def parts_of(lines: Sequence[CostLine]) -> list[tuple[str, Decimal]]:
    """(component, its expected amount in these lines), most expensive first, without usage assumed to be zero."""
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.part] = sums.get(line.part, Decimal(0)) + line.monthly
    autoscaled = {line.part for line in lines if line.autoscaled}
    kept = [(name, amount) for name, amount in sums.items() if amount or name in autoscaled]
    return sorted(kept, key=lambda item: (-item[1], item[0]))


def line_fields(lines: Sequence[CostLine], names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The fields of lines as in JSON, for other formats."""
    for line in lines:
        yield Line.model_validate(line, context=names).model_dump()


def report_schema() -> dict[str, Any]:
    """JSON Schema of `gpucluster cost report --format json`."""
    return command_schema(Report, "cost report")

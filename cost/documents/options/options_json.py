"""The JSON of purchase options."""

from __future__ import annotations

from typing import Any

from pydantic import AliasPath, Field

from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.json_schema import Amount, Amounts, Answer, Bound, Known, known
from gpucluster.cost.purchasing import Option, Options, PoolOptions


class PriceOf(Model):
    usd_per_machine_hour: Amount = Field(validation_alias=AliasPath("rate", "usd"))
    source: str = Field(validation_alias=AliasPath("rate", "row", "source"))
    as_of: str = Field(validation_alias=AliasPath("rate", "row", "as_of"))
    confidence: str = Field(validation_alias=AliasPath("rate", "price", "confidence"))
    rankable: bool = Field(validation_alias=AliasPath("rate", "rankable"))


class Share(PriceOf):
    machines: Amount
    purchase: str = Field(validation_alias=AliasPath("rate", "row", "purchase"))
    term: str = Field(validation_alias=AliasPath("rate", "row", "term"))


class Mix(Model):
    baseline: Share | None
    above: list[Share]
    spot_share: Amount
    monthly: Amounts
    idle_machines: Amount = Field(validation_alias="idle")
    rankable: bool


class Fitting(Model):
    """The smaller block of the pool without the spares that need the larger one."""

    machines_bought: Amount
    spares: Amount
    machines_monthly: Amount
    stack_monthly: Amount
    upfront: Amount | None
    by_end_of_days: Amount | None


class Cash(Model):
    upfront: Amount | None
    then_monthly: Amount
    by_end_of_days: Amount | None = Field(validation_alias="by_end")


class TakenBack(Model):
    an_hour: Amount
    a_month_least: Amount | None = Field(validation_alias="month_least")
    a_month_most: Amount | None = Field(validation_alias="month_most")
    said: str = Field(validation_alias="text")
    source: str
    as_of: str


class Interruptions(Model):
    taken_back: TakenBack = Field(validation_alias="taken")
    nodes: Amount
    share_of_hours: Amount = Field(validation_alias="per_hour")
    hours_between: Amount | None = Field(validation_alias="between")
    hours_lost_each: Amount = Field(validation_alias="lost")
    useful_share: Amount = Field(validation_alias="useful")


class Way(PriceOf):
    way: str
    purchase: str
    term: str
    machines_used: Amount
    machines_bought: Amount
    machines_idle: Amount
    days_bought: Amount | None
    block_that_fits: Fitting | None
    covered_share: Amount
    machines_monthly: Amount
    stack_monthly: Amount
    stack_monthly_with_support: Amount
    cash: Cash
    contract_value: Amount | None
    cheaper_than_on_demand_from_share_of_hours: Amount | None
    per_gpu_hour: Amount | None
    per_useful_gpu_hour: Amount | None
    useful_is_most: bool
    interruptions: Interruptions | None
    said: list[str]


class Zone(Model):
    zone: str = Field(validation_alias=AliasPath("row", "zone"))
    usd_per_machine_hour: Amount = Field(validation_alias=AliasPath("row", "usd_per_unit"))
    monthly: Amount
    per_gpu_hour: Amount | None
    per_useful_gpu_hour: Amount | None
    useful_is_most: bool
    source: str = Field(validation_alias=AliasPath("row", "source"))
    as_of: str = Field(validation_alias=AliasPath("row", "as_of"))


class Ends(Model):
    rule: str
    usd_per_machine_hour: list[Amount]
    machines_monthly: list[Amount]


class WayWithoutPrice(Model):
    way: str
    reason: str
    own_price_row: str
    bound: Ends | None


class Machines(Model):
    floor: Amount
    expected: Amount
    ceiling: Bound


class Pool(Model):
    resource: str
    resource_name: str
    part: str
    machine: str
    region: str
    machines: Machines
    bought_in_the_plan: str
    works_as_one: bool
    nodes_of_a_job: Amount
    gpus: Amount
    rest_monthly: Amounts
    complete: bool
    rest_known: Known
    options: list[Way]
    mixes: list[Mix]
    spot_by_zone: list[Zone]
    not_priced: list[WayWithoutPrice]


class Assumptions(Model):
    utilisation: Amount
    cover: Amount
    interruption_rate: Amount | None
    checkpoint_hours: Amount
    restart_hours: Amount
    baseline: Amount | None
    spot_share: Amount
    support: str | None
    account_spend: Amount | None


class Held(Model):
    resource: str = Field(validation_alias=AliasPath("line", "urn"))
    name: str = Field(validation_alias=AliasPath("line", "name"))
    monthly: Amount = Field(validation_alias=AliasPath("line", "monthly"))
    upfront: Amount = Field(validation_alias=AliasPath("line", "upfront"))


class WaysToBuy(Answer):
    """The purchase options of each pool of a stack, and the machines in reservations."""

    days: Amount | None
    assumptions: Assumptions
    pools: list[Pool]
    bought_elsewhere: list[Held]


def options_json(options: Options) -> WaysToBuy:
    """Lists are in a stable order."""
    settings, support = options.settings, options.support
    names = ("utilisation", "cover", "interruption_rate", "checkpoint_hours", "restart_hours", "baseline", "spot_share")
    return WaysToBuy.model_validate(
        {
            "days": options.days,
            "assumptions": {
                **{name: getattr(settings, name) for name in names},
                "support": None if support is None else support.plan,
                "account_spend": None if support is None else options.account_usd,
            },
            "pools": [_pool(found, options) for found in options.pools],
            "bought_elsewhere": options.held,
        }
    )


def _pool(found: PoolOptions, options: Options) -> dict[str, Any]:
    pool = found.pool
    return {
        "resource": pool.urn,
        "resource_name": pool.name,
        "part": pool.part,
        "machine": pool.machine,
        "region": pool.region,
        "machines": pool.count,
        "bought_in_the_plan": pool.purchase,
        "works_as_one": pool.gang,
        "nodes_of_a_job": found.nodes,
        "gpus": found.gpus,
        "rest_monthly": found.rest,
        "complete": found.complete,
        "rest_known": known(found.rest.expected, found.gap),
        "options": [_way(option, found, options) for option in found.options],
        "mixes": [
            {
                "baseline": mix.baseline,
                "above": mix.above,
                "spot_share": mix.spot_share,
                "monthly": {"floor": mix.floor, "expected": mix.expected, "ceiling": mix.ceiling},
                "idle": mix.idle,
                "rankable": mix.rankable,
            }
            for mix in found.mixes
        ],
        "spot_by_zone": found.zones,
        "not_priced": [
            {
                "way": one.words,
                "reason": one.reason.reason,
                "own_price_row": one.reason.own_row,
                "bound": None if one.ends is None else _ends(*one.ends),
            }
            for one in found.not_priced
        ],
    }


def _ends(low: Option, high: Option) -> dict[str, Any]:
    return {
        "rule": low.rate.remark,
        "usd_per_machine_hour": [low.rate.usd, high.rate.usd],
        "machines_monthly": [low.monthly, high.monthly],
    }


def _way(option: Option, found: PoolOptions, options: Options) -> dict[str, Any]:
    monthly = found.stack_monthly(option)
    return {
        **dict(PriceOf.model_validate(option)),
        "way": option.way.words,
        "purchase": option.way.purchase,
        "term": option.way.term,
        "machines_used": option.bought.used,
        "machines_bought": option.bought.machines,
        "machines_idle": option.bought.idle,
        "days_bought": option.bought.days,
        "block_that_fits": _fitting(found.fitting_of(option), found),
        "covered_share": option.covered,
        "machines_monthly": option.monthly,
        "stack_monthly": monthly,
        "stack_monthly_with_support": options.with_support(monthly),
        "cash": option,
        "contract_value": option.contract,
        "cheaper_than_on_demand_from_share_of_hours": option.beats_on_demand,
        "per_gpu_hour": found.per_gpu_hour(option),
        "per_useful_gpu_hour": found.per_useful_gpu_hour(option, options.settings),
        "useful_is_most": option.useful_is_most,
        "interruptions": option.interruptions,
        "said": [text for text in (option.way.remark, option.rate.remark) if text],
    }


def _fitting(fitting: Option | None, found: PoolOptions) -> dict[str, Any] | None:
    if fitting is None:
        return None
    return {
        "machines_bought": fitting.bought.machines,
        "spares": fitting.bought.used - found.nodes,
        "machines_monthly": fitting.monthly,
        "stack_monthly": found.stack_monthly(fitting),
        "upfront": fitting.upfront,
        "by_end_of_days": fitting.by_end,
    }

"""Purchase options for machines. Money is text, as in `gpucluster cost report`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from gpucluster.cost.documents.words.plain import SCHEMA_VERSION, amounts_json, text_of
from gpucluster.cost.documents.words.unpriced import known_json
from gpucluster.cost.model import Unbounded
from gpucluster.cost.purchasing import Option, Options, PoolOptions
from gpucluster.cost.purchasing.mix import Mix
from gpucluster.cost.purchasing.rate import Rate


def options_model(options: Options) -> dict[str, Any]:
    """A document of plain values, in a stable order."""
    settings = options.settings
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "days": _text(options.days),
        "assumptions": {
            "utilisation": text_of(settings.utilisation),
            "cover": text_of(settings.cover),
            "interruption_rate": _text(settings.interruption_rate),
            "checkpoint_hours": text_of(settings.checkpoint_hours),
            "restart_hours": text_of(settings.restart_hours),
            "baseline": _text(settings.baseline),
            "spot_share": text_of(settings.spot_share),
            "support": None if options.support is None else options.support.plan,
            "account_spend": None if options.support is None else text_of(options.account_usd),
        },
        "pools": [_pool(found, options) for found in options.pools],
        "bought_elsewhere": [
            {
                "resource": held.line.urn,
                "name": held.line.name,
                "monthly": text_of(held.line.monthly),
                "upfront": text_of(held.line.upfront),
            }
            for held in options.held
        ],
    }


def _pool(found: PoolOptions, options: Options) -> dict[str, Any]:
    pool = found.pool
    return {
        "resource": pool.urn,
        "resource_name": pool.name,
        "part": pool.part,
        "machine": pool.machine,
        "region": pool.region,
        "machines": {
            "floor": text_of(pool.count.floor),
            "expected": text_of(pool.count.expected),
            "ceiling": text_of(pool.count.ceiling),
        },
        "bought_in_the_plan": pool.purchase,
        "works_as_one": pool.gang,
        "nodes_of_a_job": text_of(found.nodes),
        "gpus": text_of(found.gpus),
        "rest_monthly": amounts_json(found.rest),
        "complete": found.complete,
        "rest_known": known_json(found.rest.expected, found.gap),
        "options": [_option(option, found, options) for option in found.options],
        "mixes": [_mix(mix) for mix in found.mixes],
        "spot_by_zone": [
            {
                "zone": zone.row.zone,
                "usd_per_machine_hour": text_of(zone.row.usd_per_unit),
                "monthly": text_of(zone.monthly),
                "per_gpu_hour": _text(zone.per_gpu_hour),
                "per_useful_gpu_hour": _text(zone.per_useful_gpu_hour),
                "useful_is_most": zone.useful_is_most,
                "source": zone.row.source,
                "as_of": zone.row.as_of,
            }
            for zone in found.zones
        ],
        "not_priced": [
            {
                "way": one.words,
                "reason": one.reason.reason,
                "own_price_row": one.reason.own_row,
                "bound": None if one.ends is None else _bound(*one.ends),
            }
            for one in found.not_priced
        ],
    }


def _bound(low: Option, high: Option) -> dict[str, Any]:
    return {
        "rule": low.rate.said,
        "usd_per_machine_hour": [text_of(low.rate.usd), text_of(high.rate.usd)],
        "machines_monthly": [text_of(low.monthly), text_of(high.monthly)],
    }


def _option(option: Option, found: PoolOptions, options: Options) -> dict[str, Any]:
    monthly = found.stack_monthly(option)
    stop = option.interruptions
    return {
        "way": option.way.words,
        "purchase": option.way.purchase,
        "term": option.way.term,
        **_rate(option.rate),
        "machines_used": text_of(option.bought.used),
        "machines_bought": text_of(option.bought.machines),
        "machines_idle": text_of(option.bought.idle),
        "days_bought": _text(option.bought.days),
        "block_that_fits": _fitting(found.fitting_of(option), found),
        "covered_share": text_of(option.covered),
        "machines_monthly": text_of(option.monthly),
        "stack_monthly": text_of(monthly),
        "stack_monthly_with_support": text_of(options.with_support(monthly)),
        "cash": {
            "upfront": _text(option.upfront),
            "then_monthly": text_of(option.then_monthly),
            "by_end_of_days": _text(option.by_end),
        },
        "contract_value": _text(option.contract),
        "cheaper_than_on_demand_from_share_of_hours": _text(option.beats_on_demand),
        "per_gpu_hour": _text(found.per_gpu_hour(option)),
        "per_useful_gpu_hour": _text(found.per_useful_gpu_hour(option, options.settings)),
        "useful_is_most": option.useful_is_most,
        "interruptions": None
        if stop is None
        else {
            "taken_back": {
                "an_hour": text_of(stop.taken.an_hour),
                "a_month_least": _text(stop.taken.month_least),
                "a_month_most": _text(stop.taken.month_most),
                "said": stop.taken.said,
                "source": stop.taken.source,
                "as_of": stop.taken.as_of,
            },
            "nodes": text_of(stop.nodes),
            "share_of_hours": text_of(stop.per_hour),
            "hours_between": _text(stop.between),
            "hours_lost_each": text_of(stop.lost),
            "useful_share": text_of(stop.useful),
        },
        "said": [text for text in (option.way.said, option.rate.said) if text],
    }


def _fitting(fitting: Option | None, found: PoolOptions) -> dict[str, Any] | None:
    """The smaller block of the pool without the spares that need the larger one."""
    if fitting is None:
        return None
    return {
        "machines_bought": text_of(fitting.bought.machines),
        "spares": text_of(fitting.bought.used - found.nodes),
        "machines_monthly": text_of(fitting.monthly),
        "stack_monthly": text_of(found.stack_monthly(fitting)),
        "upfront": _text(fitting.upfront),
        "by_end_of_days": _text(fitting.by_end),
    }


def _mix(mix: Mix) -> dict[str, Any]:
    return {
        "baseline": None
        if mix.baseline is None
        else {"machines": text_of(mix.baseline.machines), **_bought(mix.baseline.rate)},
        "above": [{"machines": text_of(share.machines), **_bought(share.rate)} for share in mix.above],
        "spot_share": text_of(mix.spot_share),
        "monthly": {
            "floor": text_of(mix.floor),
            "expected": text_of(mix.expected),
            "ceiling": text_of(mix.ceiling),
        },
        "idle_machines": text_of(mix.idle),
        "rankable": mix.rankable,
    }


def _bought(rate: Rate) -> dict[str, Any]:
    return {"purchase": rate.row.purchase, "term": rate.row.term, **_rate(rate)}


def _rate(rate: Rate) -> dict[str, Any]:
    return {
        "usd_per_machine_hour": text_of(rate.usd),
        "source": rate.row.source,
        "as_of": rate.row.as_of,
        "confidence": rate.price.confidence,
        "rankable": rate.rankable,
    }


def _text(value: Decimal | Unbounded | None) -> str | None:
    return None if value is None else text_of(value)

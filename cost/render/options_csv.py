"""Ways to buy for spreadsheets: a row for each way, mix and zone, and for what has no price, which is never zero."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.model import Unbounded
from gpucluster.cost.options import Option, Options, PoolOptions
from gpucluster.cost.options.rate import Rate
from gpucluster.cost.render.csv import cell
from gpucluster.cost.render.json import text_of
from gpucluster.cost.render.options_rows import mix_rows

__all__ = ["COLUMNS", "options_csv"]

COLUMNS: Final = (
    "pool", "part", "machine", "region", "row", "way", "purchase", "term", "zone", "machines_bought",
    "usd_per_machine_hour", "machines_monthly", "machines_monthly_floor", "machines_monthly_ceiling", "stack_monthly",
    "stack_bound", "upfront", "then_monthly", "by_end_of_days", "contract_value", "per_gpu_hour", "per_useful_gpu_hour",
    "source", "as_of", "confidence", "rankable", "reason",
)  # fmt: skip
"""Fields as in `gpucluster cost options --format json`. row: `way`, `mix`, `spot by zone`, `not priced`, the latter
with its reason and without amounts, or `bought elsewhere`, which is part of each amount. stack_bound: `at least`
where something else in the stack has no price. What is sold by the day and for no known number of days has no
amount."""

_WORDS: Final = frozenset({"pool", "part", "machine", "region", "way", "zone", "source", "reason"})

Fields = dict[str, str]


def options_csv(options: Options) -> str:
    """The rows with a header."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [*COLUMNS], restval="", lineterminator="\n")
    writer.writeheader()
    for row in _rows(options):
        writer.writerow({name: cell(text) if name in _WORDS else text for name, text in row.items()})
    return out.getvalue().removesuffix("\n")


def _rows(options: Options) -> Iterator[Fields]:
    for found in options.pools:
        pool = found.pool
        of = {"pool": pool.name, "part": pool.part, "machine": pool.machine, "region": pool.region}
        for row in _pool(found, options):
            yield {**of, **row}
    for held in options.held:
        yield {
            "pool": held.name,
            "row": "bought elsewhere",
            "way": held.line.name,
            "machines_monthly": text_of(held.line.monthly),
            "upfront": text_of(held.line.upfront),
        }


def _pool(found: PoolOptions, options: Options) -> Iterator[Fields]:
    for option in found.options:
        yield _way(option, found, options)
    for mix, (words, *_) in zip(found.mixes, mix_rows(found)[1], strict=True):
        yield {
            "row": "mix",
            "way": words,
            "machines_monthly": _text(mix.expected),
            "machines_monthly_floor": _text(mix.floor),
            "machines_monthly_ceiling": _text(mix.ceiling),
            "rankable": _yes(mix.rankable),
        }
    for zone in found.zones:
        yield {
            "row": "spot by zone",
            "purchase": zone.row.purchase,
            "zone": zone.row.zone,
            "usd_per_machine_hour": _text(zone.row.usd_per_unit),
            "machines_monthly": _text(zone.monthly),
            "per_gpu_hour": _text(zone.per_gpu_hour),
            "per_useful_gpu_hour": _text(zone.per_useful_gpu_hour),
            "source": zone.row.source,
            "as_of": zone.row.as_of,
        }
    for words, reason in found.not_priced:
        yield {"row": "not priced", "way": words, "reason": reason.reason}


def _way(option: Option, found: PoolOptions, options: Options) -> Fields:
    return {
        "row": "way",
        "way": option.way.words,
        "purchase": option.way.purchase,
        "term": option.way.term,
        "machines_bought": _text(option.bought.machines),
        "machines_monthly": _text(option.monthly),
        "stack_monthly": _text(options.with_support(found.stack_monthly(option))),
        "stack_bound": "" if found.complete else "at least",
        "upfront": _text(option.upfront),
        "then_monthly": _text(option.then_monthly),
        "by_end_of_days": _text(option.by_end),
        "contract_value": _text(option.contract),
        "per_gpu_hour": _text(found.per_gpu_hour(option)),
        "per_useful_gpu_hour": _text(found.per_useful_gpu_hour(option, options.settings)),
        **_rate(option.rate),
    }


def _rate(rate: Rate) -> Fields:
    return {
        "usd_per_machine_hour": _text(rate.usd),
        "source": rate.row.source,
        "as_of": rate.row.as_of,
        "confidence": rate.price.confidence,
        "rankable": _yes(rate.rankable),
    }


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _text(value: Decimal | Unbounded | None) -> str:
    return "" if value is None else text_of(value)

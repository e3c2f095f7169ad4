"""Purchase options for spreadsheets: a row for each option, mix, zone and unpriced item, which is never zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.cost.documents.options.model import options_model
from gpucluster.cost.documents.options.tables import mix_table
from gpucluster.cost.documents.options.unpriced import why
from gpucluster.cost.purchasing import Options

COLUMNS: Final = (
    "pool", "part", "machine", "region", "row", "way", "purchase", "term", "zone", "machines_bought",
    "usd_per_machine_hour", "machines_monthly", "machines_monthly_floor", "machines_monthly_ceiling", "stack_monthly",
    "stack_bound", "upfront", "then_monthly", "by_end_of_days", "contract_value", "per_gpu_hour", "per_useful_gpu_hour",
    "source", "as_of", "confidence", "rankable", "reason",
)  # fmt: skip
"""Fields as in `gpucluster cost options --format json`. row: `way`, `mix`, `spot by zone`, `not priced`, the latter
with its reason and without amounts, or `bought elsewhere`, which is part of each amount. stack_bound: `bounded` or
`at least` if something else in the stack has no price. Options sold by the day have no amount if the number of days is
unknown."""

_LEAST: Final = "a useful GPU-hour costs at least that: the interruption rate of spot has no upper bound"

_BOUNDS: Final = {"complete": "", "bounded": "bounded", "unknown": "at least"}


def options_rows(options: Options) -> Iterator[Mapping[str, Any]]:
    """The lists of the model, each item with its pool."""
    model = options_model(options)
    for pool, found in zip(model["pools"], options.pools, strict=True):
        of = {name: pool[name] for name in ("part", "machine", "region")} | {"pool": pool["resource_name"]}
        bound = _BOUNDS[pool["rest_known"]["state"]]
        for one in pool["options"]:
            stack = {"stack_monthly": one["stack_monthly_with_support"], "stack_bound": bound}
            yield {**of, **one, **one["cash"], **stack, "row": "way", "reason": _open(one)}
        for one, row in zip(pool["mixes"], mix_table(found).groups[0].rows, strict=True):
            monthly = one["monthly"]
            yield {
                **of,
                "row": "mix",
                "way": row.cells[0],
                "machines_monthly": monthly["expected"],
                "machines_monthly_floor": monthly["floor"],
                "machines_monthly_ceiling": monthly["ceiling"],
                "rankable": one["rankable"],
            }
        for one in pool["spot_by_zone"]:
            spot = {"row": "spot by zone", "purchase": "spot", "machines_monthly": one["monthly"]}
            yield {**of, **one, **spot, "reason": _open(one)}
        for one in found.not_priced:
            yield {**of, "row": "not priced", "way": one.words, "reason": why(one, found, options)}
    for held, one in zip(options.held, model["bought_elsewhere"], strict=True):
        kept = {"way": one["name"], "machines_monthly": one["monthly"], "upfront": one["upfront"]}
        yield {"pool": held.name, "row": "bought elsewhere", **kept}


def _open(one: Mapping[str, Any]) -> str:
    return _LEAST if one["useful_is_most"] else ""

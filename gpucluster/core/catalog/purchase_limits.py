"""Purchase options of a machine that its cloud does not offer, offers only in a price list, or rarely offers.

Price lists contain sums of parts for unavailable options; a plan that uses one is wrong about both price and capacity.

`sold.csv`, columns: machine types, `*` for any ending; purchase: a purchase option of the price book, `reservation`,
`calendar` (a reservation in calendar mode), or `compact_flex_start` (flex-start with compact placement); sold: `no`,
`rarely` (in no table of the cloud, but declared in public blueprints), `listed` (only in a price list),
`unlisted` (in no price list) or `yes`; why, with `{source}` in it. Options without a row are unknown.
"""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from typing import NamedTuple

from gpucluster.core.catalog.tables import rows


class _Row(NamedTuple):
    machine_types: tuple[str, ...]
    purchase: str
    sold: str
    why: str


@functools.cache
def _rows() -> tuple[_Row, ...]:
    return tuple(
        _Row(tuple(row["machine_types"].split()), row["purchase"], row["sold"], row["why"].format(source=row["source"]))
        for row in rows("sold")
    )


@functools.cache
def _row(machine: str, purchase: str) -> _Row | None:
    alike = (row for row in _rows() if row.purchase == purchase)
    return next((row for row in alike if any(_is(machine, name) for name in row.machine_types)), None)


def _is(machine: str, name: str) -> bool:
    """By name or pattern; names are not turned into patterns, which would be compiled."""
    return machine == name or ("*" in name and fnmatchcase(machine, name))


def sold(machine: str, purchase: str) -> str:
    """The value of the column `sold`, empty if unknown."""
    found = _row(machine, purchase)
    return "" if found is None else found.sold


def flexible_only(machine: str) -> bool:
    """Whether a machine is sold only as Spot and flex-start."""
    return sold(machine, "on_demand") == sold(machine, "reservation") == "no"


def not_sold(machine: str, purchase: str) -> str | None:
    """Why a machine cannot be bought by this option, None without a reason."""
    found = _row(machine, purchase)
    if found is None or found.sold != "no":
        return None
    return f"{machine} is not sold {purchase.replace('_', ' ')}: {found.why}"


def hard_to_get(machine: str, purchase: str) -> str:
    """Known obstacles to getting a machine by this option, empty without any."""
    found = _row(machine, purchase)
    if found is None or found.sold not in ("rarely", "listed"):
        return ""
    return f"{machine} {purchase.replace('_', ' ')}: {found.why}"

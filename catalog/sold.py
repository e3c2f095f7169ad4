"""Ways to buy a machine that its cloud does not offer, or offers by list price only, and those that few machines have.

Price lists hold sums of parts for machines that cannot be bought so; a plan that counts on one is wrong twice.

`sold.csv`, columns: machine types, `*` for any ending; purchase: a way to buy of the price book, `reservation`,
`calendar` (a reservation in calendar mode), or `compact_flex_start` (flex-start with compact placement); sold: `no`,
`rarely` (no table of the cloud has it, and public blueprints declare it), `listed` (a price list alone has it),
`unlisted` (no price list has it) or `yes`; why, with `{source}` in it. Of what has no row nothing is known.
"""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from typing import NamedTuple

from gpucluster.catalog.rows import rows


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
    """By name or pattern; a name is not made one, since each is compiled."""
    return machine == name or ("*" in name and fnmatchcase(machine, name))


def sold(machine: str, purchase: str) -> str:
    """What the column `sold` says, empty where nothing is known."""
    found = _row(machine, purchase)
    return "" if found is None else found.sold


def flexible_only(machine: str) -> bool:
    """Whether a machine is sold as Spot and flex-start, and in no other way."""
    return sold(machine, "on_demand") == sold(machine, "reservation") == "no"


def not_sold(machine: str, purchase: str) -> str | None:
    """Why a machine cannot be bought in this way, None where nothing says so."""
    found = _row(machine, purchase)
    if found is None or found.sold != "no":
        return None
    return f"{machine} is not sold {purchase.replace('_', ' ')}: {found.why}"


def hard_to_get(machine: str, purchase: str) -> str:
    """What is known against getting a machine in this way, empty where nothing is."""
    found = _row(machine, purchase)
    if found is None or found.sold not in ("rarely", "listed"):
        return ""
    return f"{machine} {purchase.replace('_', ' ')}: {found.why}"

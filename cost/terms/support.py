"""The amount that a stack adds to a support plan's fee, which is a share of the account's whole spend, by bands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.cost.model import cents
from gpucluster.cost.prices import Price, PriceBook, PriceRow
from gpucluster.errors import InputError

_PREFIX: Final = "support-"
_UNIT: Final = "USD-of-monthly-spend"
_TO: Final = re.compile(r"^tier \d+: (?:first ([\d,]+)|[\d,]+ to ([\d,]+)|over [\d,]+)")
"""Upper end of a band, as in notes of the price book."""


class UnknownPlan(InputError):
    """The price book has no such support plan."""


@dataclass(frozen=True, slots=True)
class Support:
    """A plan: bands of monthly spend as (up to, share of it), None without an end, and the minimum of a month."""

    plan: str
    bands: tuple[tuple[Decimal | None, Decimal], ...]
    least: Decimal
    rows: tuple[PriceRow, ...]

    def fee(self, spend: Decimal) -> Decimal:
        """USD per month for an account that spends this much: the sum over the bands, at least the minimum."""
        total, done = Decimal(0), Decimal(0)
        for end, share in self.bands:
            most = spend if end is None else min(spend, end)
            total += max(most - done, Decimal(0)) * share
            done = max(done, most)
        return cents(max(total, self.least))

    def added(self, stack: Decimal, account: Decimal) -> Decimal:
        """USD per month that a stack adds to the fee of an account that otherwise spends `account`; the whole fee if
        the account has no other spend.
        """
        return self.fee(account + stack) - (self.fee(account) if account else Decimal(0))


def support_of(book: PriceBook, provider: str, plan: str) -> Support:
    """A plan by its name in the price book. UnknownPlan lists the existing ones."""
    name = plan if plan.startswith(_PREFIX) else f"{_PREFIX}{plan}"
    share = book.lookup(provider, "global", name, unit=_UNIT)
    flat = book.lookup(provider, "global", name, unit="month")
    if not isinstance(share, Price) and not isinstance(flat, Price):
        rows = (row.sku for row in book.in_region(provider, "global") if row.sku.startswith(_PREFIX))
        known = sorted({sku.removeprefix(_PREFIX) for sku in rows})
        raise UnknownPlan(f"{plan!r} is not a priced plan of {provider}; known: {', '.join(known) or 'none'}")
    rows = () if not isinstance(share, Price) else share.tiers or (share.row,)
    return Support(
        name,
        tuple((_end(row), row.usd_per_unit) for row in rows),
        flat.usd if isinstance(flat, Price) else Decimal(0),
        (*rows, *((flat.row,) if isinstance(flat, Price) else ())),
    )


def _end(row: PriceRow) -> Decimal | None:
    found = _TO.match(row.note)
    number = found and (found[1] or found[2])
    return Decimal(number.replace(",", "")) if number else None

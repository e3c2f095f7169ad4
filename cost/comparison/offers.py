"""GPUs by the hour of other providers, without clusters by this package, compared with a stack's machines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.cost.prices import Price, PriceBook, PriceRow

__all__ = ["Offer", "Ranking", "offers_of", "rank_offers"]


_GLOBAL: Final = "global"
_NOT_SAID: Final = "not stated"
_NO_FABRIC: Final = "no fabric known"


@dataclass(frozen=True, slots=True)
class Offer:
    """GPUs by the hour, machines only: no storage, traffic or support, and no statement on available quantities.

    form: `sxm`, `pcie`, `nvl`, or empty if unknown. fabric: interconnect of the machines; empty if no source states
    one. usd: per GPU-hour.
    """

    provider: str
    sku: str
    gpu: str
    form: str
    fabric: str
    fabric_source: str
    usd: Decimal
    row: PriceRow

    @property
    def name(self) -> str:
        """Provider and product."""
        return f"{self.provider} {self.sku}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """A machine of a stack or an offer, by the GPU-hour. rank: None if shown but not ranked.

    source: origin of its price. why: why it is not ranked, empty if it is. offer: whether it is an offer.
    """

    name: str
    usd: Decimal
    rank: int | None
    fabric: str
    source: str
    why: str = ""
    offer: bool = False


def offers_of(book: PriceBook, gpu: str) -> list[Offer]:
    """Every offer of a GPU model with a known price, cheapest first."""
    return sorted(_offers(book, gpu), key=lambda offer: (offer.usd, offer.name))


def _offers(book: PriceBook, gpu: str) -> Iterator[Offer]:
    for row in _sold():
        if row["gpu"] != gpu:
            continue
        unit, gpus = ("GPU-hour", 1) if row["gpus"] == "1" else ("instance-hour", int(row["gpus"]))
        found = book.lookup(row["provider"], _GLOBAL, row["sku"], unit=unit)
        if isinstance(found, Price) and found.rankable:
            yield Offer(
                row["provider"],
                row["sku"],
                row["gpu"],
                row["form"],
                row["fabric"],
                row["source"],
                found.usd / gpus,
                found.row,
            )


def rank_offers(machines: Mapping[str, tuple[Decimal, str]], offers: Sequence[Offer]) -> tuple[Ranking, ...]:
    """Machines of stacks, name -> (USD a GPU-hour, fabric), among offers of the same GPU.

    Multi-node training needs a fabric and the SXM form: machines not known to have both are shown, not ranked.
    """
    entries = [
        Ranking(name, usd, None, fabric or _NOT_SAID, "in this comparison", "" if fabric else _NO_FABRIC)
        for name, (usd, fabric) in machines.items()
    ]
    for offer in offers:
        source = f"{offer.row.document}, {offer.row.as_of} (low)"
        entries.append(Ranking(offer.name, offer.usd, None, offer.fabric or _NOT_SAID, source, _why(offer), offer=True))
    prices = [item.usd for item in entries if not item.why]
    found = [
        item if item.why else replace(item, rank=1 + sum(other < item.usd for other in prices)) for item in entries
    ]
    return tuple(sorted(found, key=lambda item: (item.rank is None, item.usd, item.name)))


def _why(offer: Offer) -> str:
    if offer.form != "sxm":
        return f"{offer.form.upper()}, not SXM" if offer.form else "form factor unknown"
    return "" if offer.fabric else _NO_FABRIC


@cache
def _sold() -> tuple[dict[str, str], ...]:
    with (Path(__file__).parent / "offers.csv").open(newline="", encoding="utf-8") as file:
        return tuple(csv.DictReader(file))

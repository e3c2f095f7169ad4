"""GPUs by the hour: of other providers, without clusters by this package, and of the clouds' own machines."""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.cost.prices import Price, PriceBook, PriceRow
from gpucluster.cost.prices.bounds import MACHINE, by_region
from gpucluster.cost.prices.row import is_fresh

__all__ = ["SXM_GPUS", "TF32_TFLOPS", "Offer", "Ranking", "market", "offers_of", "per_1000_tflops", "rank_offers"]


TF32_TFLOPS: Final = {"h100": Decimal(989), "h200": Decimal(989), "a100": Decimal(312), "b200": Decimal(2200)}
"""GPU in SXM form -> TF32 TFLOPS with sparsity. Source: NVIDIA's data sheets of H100, H200, A100 and HGX B200, as
quoted in public documents. An essay on hardware economics counts 890 for an H100, 275 for an A100:
`--tflops h100=890`."""

SXM_GPUS: Final = 8
"""GPUs of a node in SXM form; smaller machines are fractions of one, or have another form."""

_GLOBAL: Final = "global"
_NOT_SAID: Final = "not stated"
_NO_FABRIC: Final = "no fabric known"


@dataclass(frozen=True, slots=True)
class Offer:
    """GPUs by the hour, machines only: no storage, traffic or support, and no statement on available quantities.
    On demand, before tax.

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

    def old(self, today: datetime.date) -> bool:
        """Whether its price is more than 90 days old."""
        return not is_fresh(self.row.as_of, today)


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


def market(book: PriceBook, gpu: str) -> list[Offer]:
    """Every offer of a GPU model, and every machine of the clouds with eight of them in its cheapest region; cheapest
    first.
    """
    own = (one for machine in machines().values() if (one := _machine(book, machine, gpu)) is not None)
    return sorted([*_offers(book, gpu), *own], key=lambda offer: (offer.usd, offer.name))


def _machine(book: PriceBook, machine: Machine, gpu: str) -> Offer | None:
    if (machine.model, machine.gpus) != (gpu, SXM_GPUS) or machine.cloud not in clouds():
        return None
    rows = book.of_sku(machine.cloud, machine.machine_type)
    found = by_region(row for row in rows if (row.purchase, row.unit) == ("on_demand", MACHINE) and not row.alt)
    if not found:
        return None
    row = min(found.values(), key=lambda row: (row.usd_per_unit, row.region))
    return Offer(
        machine.cloud,
        machine.machine_type,
        gpu,
        "sxm",
        machine.fabric,
        machine.source,
        row.usd_per_unit / SXM_GPUS,
        row,
    )


def per_1000_tflops(hourly: Decimal, tflops: Decimal) -> Decimal:
    """USD per hour of 1,000 TFLOPS, for machines that cost `hourly` and deliver `tflops`."""
    return hourly / tflops * 1000


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

"""What leaves a region for the internet, in all bands of its price list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.model import CostLine
from gpucluster.cost.money import unit_price
from gpucluster.cost.prices import Bound, NotKnown, Price
from gpucluster.cost.pricing import Pricing
from gpucluster.cost.transfer import Egress, egress_of

_SKU: Final = "internet-egress"
_PLACES: Final = Decimal("0.000000000001")
"""The digits that the price book writes at the most."""


def egress_lines(item: Pricing, *, region: str) -> Iterator[CostLine]:
    """`egress_gib` at the price on average of the bands it lies in; what no band is known for is bounded."""
    gib, price = item.assumptions.egress_gib, item.price(_SKU, "GiB", region=region)
    found = egress_of(item.book, item.provider, region, gib)
    if not gib or isinstance(found, NotKnown):
        yield item.by_usage("Internet egress", "egress_gib", price)
        return
    if found.bands:
        yield _in_bands(item, price, gib - found.unpriced_gib, found)
    if found.unpriced_gib:
        stand_in = _stand_in(price, f"the price of {found.unpriced_gib:,f} of {gib:,f} GiB is not known")
        yield item.line("Internet egress", found.unpriced_gib, stand_in, usage=("egress_gib",))


def _in_bands(item: Pricing, price: Price, gib: Decimal, found: Egress) -> CostLine:
    usd = sum((inside * row.usd_per_unit for inside, row in found.bands), Decimal(0)) / gib
    paid = usd.quantize(_PLACES).normalize()
    listed = None if price.list_usd is None else (usd * price.list_usd / price.usd).quantize(_PLACES).normalize()
    blended = replace(price, row=replace(price.row, usd_per_unit=paid), list_usd=listed)
    bands = ", ".join(f"{inside.normalize():,f} GiB at {unit_price(row.usd_per_unit)}" for inside, row in found.bands)
    said = f"{item.assumptions.said('egress_gib')}; {bands}, as if the account had no other egress"
    return item.line("Internet egress", gib, blended, assumption=said, usage=("egress_gib",))


def _stand_in(price: Price, why: str) -> Price:
    """Between nothing, since first bands are often free, and the dearest band that is known."""
    row = max(price.tiers or (price.row,), key=lambda row: row.usd_per_unit)
    rule = f"from the other tiers of {row.region}: {unit_price(row.usd_per_unit)} at most, nothing at least"
    bound = Bound(Decimal(0), row.usd_per_unit, rule, row.as_of)
    unknown = NotKnown(f"Internet egress in {row.region}: {why}", "", bound)
    return replace(price, row=replace(row, source=rule), confidence="low", instead_of=unknown)

"""Lines for usage that no plan contains: stored data, traffic, samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.prices import Bound, NotKnown, Price
from gpucluster.cost.pricing.model import CostLine
from gpucluster.cost.pricing.money import unit_price
from gpucluster.cost.pricing.pricing import Pricing, as_number
from gpucluster.cost.pricing.transfer import Egress, egress_of


def stored_gib(item: Pricing, labels: str, key: str, otherwise: str, *, each: str) -> tuple[Decimal, str]:
    """(GiB on average, where that comes from).

    labels, key: the input, and the name in it, by which a resource says it of itself. otherwise: the assumption that
    holds for `each` where it says nothing. Raises CannotPrice when what it says is no number.
    """
    value = item.get(labels, key)
    if value is None:
        gib: Decimal = getattr(item.assumptions, otherwise)
        return gib, f"{otherwise}: {gib:f} GiB in each {each}"
    own = f"{labels.removesuffix('s')} {key}"
    gib = as_number(value, own)
    return gib, f"{gib:f} GiB stored in {item.resource.name} ({own})"


def stored_or_usage(item: Pricing, words: str, tag: str, usage: str, price: Price, *, leaves: str) -> CostLine:
    """The amount in a tag of the resource, else a line that depends on usage. leaves: costs not in the price."""
    if item.get("tags", tag) is None:
        return item.by_usage(words, usage, price, leaves=leaves)
    gib, assumption = stored_gib(item, "tags", tag, usage, each="")
    return item.line(words, gib, price, basis=f"{gib:,f} GiB", assumption=f"{assumption}; {leaves}", usage=(usage,))


_OWN: Final = "gpucluster-expected-million-samples"
"""Tag or label that says how many millions of samples a cluster's GPUs, queues and rules are."""


def says_samples(item: Pricing, tags: str) -> bool:
    """Whether a resource has the tag or label. tags: as below."""
    return item.get(tags, _OWN) is not None


def expected_samples(item: Pricing, tags: str) -> tuple[Decimal, str]:
    """Millions of samples, and the assumption as text: those that the cluster states, and those of everything else,
    which no plan knows. tags: name of the input that holds tags or labels.
    """
    others: Decimal = item.assumptions.prometheus_million_samples
    value = item.get(tags, _OWN)
    if value is None:
        return others, f"prometheus_million_samples: {others:,f} million samples a month"
    own = as_number(value, _OWN)
    return own + others, (
        f"{own:,f} million samples a month of GPUs, queues and rules ({_OWN} of {item.resource.name}), {others:,f} "
        "million of everything else that the cloud collects, such as containers (prometheus_million_samples)"
    )


_SKU: Final = "internet-egress"
_PLACES: Final = Decimal("0.000000000001")
"""The digits that the price book writes at the most."""


def egress_lines(item: Pricing, *, region: str) -> Iterator[CostLine]:
    """`egress_gib` at the price on average of the bands it lies in; amounts without a known band are bounded."""
    gib, price = item.assumptions.egress_gib, item.price(_SKU, "GiB", region=region)
    found = egress_of(item.book, item.provider, region, gib)
    if not gib or isinstance(found, NotKnown):
        yield item.by_usage("Internet egress", "egress_gib", price)
        return
    if found.bands:
        yield _in_bands(item, price, gib - found.unpriced_gib, found)
    if found.unpriced_gib:
        why = f"the price of {found.unpriced_gib:,f} of {gib:,f} GiB is not known"
        stand_in = of_other_tier(price, f"Internet egress in {price.row.region}: {why}")
        yield item.line("Internet egress", found.unpriced_gib, stand_in, usage=("egress_gib",))


def _in_bands(item: Pricing, price: Price, gib: Decimal, found: Egress) -> CostLine:
    usd = sum((inside * row.usd_per_unit for inside, row in found.bands), Decimal(0)) / gib
    paid = usd.quantize(_PLACES).normalize()
    listed = None if price.list_usd is None else (usd * price.list_usd / price.usd).quantize(_PLACES).normalize()
    blended = replace(price, row=replace(price.row, usd_per_unit=paid), list_usd=listed)
    bands = ", ".join(f"{inside.normalize():,f} GiB at {unit_price(row.usd_per_unit)}" for inside, row in found.bands)
    assumption = f"{item.assumptions.text('egress_gib')}; {bands}, as if the account had no other egress"
    return item.line("Internet egress", gib, blended, assumption=assumption, usage=("egress_gib",))


def of_other_tier(price: Price, why: str) -> Price:
    """The stand-in for a tier without a price: between nothing, since first tiers are often free and later ones
    cheaper, and the dearest tier that is known.
    """
    row = max(price.tiers or (price.row,), key=lambda row: row.usd_per_unit)
    rule = f"from the other tiers of {row.region}: {unit_price(row.usd_per_unit)} at most, nothing at least"
    unknown = NotKnown(why, "", Bound(Decimal(0), row.usd_per_unit, rule, row.as_of))
    return replace(price, row=replace(row, source=rule), confidence="low", instead_of=unknown)

"""What is stored where storage is billed by what it holds: no plan can know it."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.model import CostLine
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing import Pricing, as_number


def stored_gib(item: Pricing, labels: str, key: str, otherwise: str, *, each: str) -> tuple[Decimal, str]:
    """(GiB on average, where that comes from).

    labels, key: the input, and the name in it, by which a resource says it of itself. otherwise: the assumption that
    holds for `each` where it says nothing. Raises CannotPrice when what it says is no number.
    """
    said = item.get(labels, key)
    if said is None:
        gib: Decimal = getattr(item.assumptions, otherwise)
        return gib, f"{otherwise}: {gib:f} GiB in each {each}"
    own = f"{labels.removesuffix('s')} {key}"
    gib = as_number(said, own)
    return gib, f"{gib:f} GiB stored in {item.resource.name} ({own})"


def stored_or_usage(item: Pricing, words: str, tag: str, usage: str, price: Price, *, leaves: str) -> CostLine:
    """What a resource says of itself by a tag, else a line that depends on usage. leaves: what the price leaves out."""
    if item.get("tags", tag) is None:
        return item.by_usage(words, usage, price, leaves=leaves)
    gib, said = stored_gib(item, "tags", tag, usage, each="")
    return item.line(words, gib, price, basis=f"{gib:,f} GiB", assumption=f"{said}; {leaves}", usage=(usage,))

"""Sizes in the words of Kubernetes."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.pricing import CannotPrice, as_number


def gib(quantity: str, what: str) -> Decimal:
    """GiB in a Kubernetes quantity. The clouds bill what they call GB as GiB, so G and T count as Gi and Ti here."""
    for suffix, factor in (("Gi", 1), ("Ti", 1024), ("G", 1), ("T", 1024)):
        if quantity.endswith(suffix):
            return as_number(quantity.removesuffix(suffix), what) * factor
    raise CannotPrice(f"{what} is {quantity!r}, expected a quantity such as 100Gi")

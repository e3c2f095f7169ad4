"""The basis of a report's amounts, in words."""

from __future__ import annotations

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.terms.agreed import said


def basis(*estimates: Estimate, month: bool = False) -> str:
    """`list prices in USD, before tax, discounts, support and data transfer`; with the account's terms, if any.

    month: whether every amount is monthly.
    """
    usd = "USD a month" if month else "USD"
    terms = dict.fromkeys(text for found in estimates for text in said(found.terms))
    if not terms:
        return f"list prices in {usd}, before tax, discounts, support and data transfer"
    return f"prices in {usd}, before tax and data transfer, with {' and '.join(terms)}"


def basis_sentence(*estimates: Estimate, month: bool = False) -> str:
    """The same as a separate sentence, without the full stop."""
    words = basis(*estimates, month=month)
    return f"{words[0].upper()}{words[1:]}"

"""Amounts for machines. Money is text, so that no reader turns it into a binary fraction."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from gpucluster.cost.model import Amounts, Unbounded

if TYPE_CHECKING:  # previews do not need the JSON types
    from gpucluster.cost.documents.words.shape import AmountsShape


SCHEMA_VERSION: Final = 2
"""Raised if a field changes its meaning or is removed; new fields do not raise it."""


def amounts_json(amounts: Amounts) -> AmountsShape:
    """Floor, expected and ceiling as text."""
    return {
        "floor": text_of(amounts.floor),
        "expected": text_of(amounts.expected),
        "ceiling": text_of(amounts.ceiling),
    }


def text_of(value: Decimal | Unbounded) -> str:
    """A number as text, without an exponent."""
    return value if isinstance(value, str) else f"{value:f}"

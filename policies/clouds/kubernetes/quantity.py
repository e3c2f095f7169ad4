"""Storage quantities of Kubernetes (Kubernetes API reference, "Quantity")."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from gpucluster.program.resources import UNKNOWN, Unknown

_FORM: Final = r"(\d+(?:\.\d+)?)([KMGTP]i?|k)?"
_POWERS: Final = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}


def gib(written: str | Unknown | None) -> Decimal | Unknown | None:
    """The amount in GiB; None if it is not an amount of bytes."""
    if written is UNKNOWN:
        return UNKNOWN
    found = re.fullmatch(_FORM, written) if isinstance(written, str) else None
    if found is None:
        return None
    unit = found[2] or ""
    base = 1024 if unit.endswith("i") else 1000
    return Decimal(found[1]) * Decimal(base) ** _POWERS.get(unit[:1], 0) / 1024**3

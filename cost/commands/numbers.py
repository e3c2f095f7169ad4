"""Numbers as options take them: exact, within bounds, and with a message that says which."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import click

__all__ = ["AMOUNT", "POSITIVE", "SHARE", "Number"]


class Number(click.ParamType[Decimal]):
    """A decimal number from `least` to `most`, None for no bound."""

    name = "number"

    def __init__(self, least: int = 0, most: int | None = None, *, above: bool = False) -> None:
        """above: whether `least` itself is too little."""
        self._least, self._most, self._above = Decimal(least), most, above

    @property
    def allowed(self) -> str:
        """What may be written, in words."""
        if self._most is not None:
            return f"a number from {self._least:f} to {self._most}"
        return f"a number above {self._least:f}" if self._above else f"a number of {self._least:f} or more"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            number = Decimal("NaN")
        low = not number.is_finite() or number < self._least or (self._above and number == self._least)
        if low or (self._most is not None and number > self._most):
            self.fail(f"{value!r}; write {self.allowed}", param, ctx)
        return number


SHARE = Number(0, 1)
AMOUNT = Number(0, 10**12)
POSITIVE = Number(0, above=True)

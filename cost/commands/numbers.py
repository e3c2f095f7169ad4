"""Number options: exact, within bounds, with the bounds in the error message."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import click

from gpucluster.program.values import MOST, BadValue, amount


class Number(click.ParamType[Decimal]):
    """A decimal number from 0 to `most`."""

    name = "number"

    def __init__(self, most: int | Decimal = MOST, *, above: bool = False) -> None:
        """above: whether 0 itself is not allowed."""
        self._most, self._above = most, above

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"a number {'above 0 and up' if self._above else 'from 0'} to {self._most:,}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = amount(value, "")
        except BadValue:
            self.fail(f"{value!r}; write {self.allowed}", param, ctx)
        if number > self._most or (self._above and not number):
            self.fail(f"{value!r}; write {self.allowed}", param, ctx)
        return number


SHARE = Number(1)
AMOUNT = Number()
POSITIVE = Number(above=True)

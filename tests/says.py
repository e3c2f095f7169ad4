"""What a text says, whatever words it says it in."""

from __future__ import annotations

import re
from typing import Self

__all__ = ["Says"]


class Says(str):
    """Equal to each text that has these facts (fields, values, names, numbers) in this order.

    A fact is whole: `1` is none of `10` or `1.5`, and `nodes` none of `max_nodes`.
    """

    __slots__ = ("_facts",)

    def __new__(cls, *facts: object) -> Self:
        made = super().__new__(cls, " ... ".join(map(str, facts)))
        made._facts = re.compile(
            ".*?".join(rf"(?<![\w$-])(?<!\d[.,]){re.escape(str(fact))}(?![\w-]|[.,]\d)" for fact in facts), re.DOTALL
        )
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._facts.search(other) is not None

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

"""The rules of a modelled cloud: refusals of its real APIs. Each rule is one small function, with its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

_Subject = TypeVar("_Subject")
_Rule = Callable[[_Subject], None]


class Rules(Generic[_Subject]):
    """Rules by type token; "*" is for all types."""

    def __init__(self) -> None:
        self._rules: dict[str, list[_Rule[_Subject]]] = {}

    def rule(self, *tokens: str) -> Callable[[_Rule[_Subject]], _Rule[_Subject]]:
        """Registers a function as a rule of these types."""

        def register(function: _Rule[_Subject]) -> _Rule[_Subject]:
            for token in tokens:
                self._rules.setdefault(token, []).append(function)
            return function

        return register

    def enforce(self, token: str, subject: _Subject) -> None:
        """Raises the API's error when a request breaks a rule of its type."""
        for rule in (*self._rules.get("*", ()), *self._rules.get(token, ())):
            rule(subject)

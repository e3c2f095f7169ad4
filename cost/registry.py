"""Which function prices which resource type."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cost.model import CostLine, Free, NotPriced
from cost.subject import Subject

__all__ = ["Handler", "handler_for", "priced_types", "prices"]

Handler = Callable[[Subject], Iterator[CostLine | Free | NotPriced]]
"""Yields the lines of one resource, or says why it is free or cannot be priced; may raise CannotPrice."""

_HANDLERS: dict[str, Handler] = {}


def prices(*types: str) -> Callable[[Handler], Handler]:
    """Register a handler for type tokens, e.g. `@prices("aws:ebs/volume:Volume")`."""

    def register(handler: Handler) -> Handler:
        for type_ in types:
            if type_ in _HANDLERS:
                raise ValueError(f"{type_} already has a handler: {_HANDLERS[type_].__module__}")
            _HANDLERS[type_] = handler
        return handler

    return register


def handler_for(type_: str) -> Handler | None:
    """The handler of a type, None when it has none."""
    return _HANDLERS.get(type_)


def priced_types() -> dict[str, Handler]:
    """Every type with a handler, by name."""
    return dict(sorted(_HANDLERS.items()))

"""The handler of each resource type. The handlers of a cloud are imported at the first request for one of its types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from gpucluster.core.catalog.resource_types import free_reason
from gpucluster.cost import handlers
from gpucluster.cost.pricing.model import CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import Pricing
from gpucluster.cost.rates import rows_of

Handler = Callable[[Pricing], Iterator[CostLine | Free | NotPriced]]
"""Yields the lines of one resource, or says why it is free or cannot be priced; may raise CannotPrice."""

_HANDLERS: Final[dict[str, Handler]] = {}
_LOADED: Final[set[str]] = set()
_TABLES: Final[set[str]] = set()


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
    """The handler of a type; None without one. Tables are read for a type that is neither in a file nor free."""
    found = _HANDLERS.get(type_)
    if found is None:
        _load(handlers.scope_of(type_))
        found, package = _HANDLERS.get(type_), type_.partition(":")[0]
        if found is None and package not in _TABLES and free_reason(type_) is None:
            _load_table(package)
            found = _HANDLERS.get(type_)
    return found


def priced_types() -> dict[str, Handler]:
    """Every type with a handler, by name."""
    for package in handlers.packages():
        _load(package)
        _load_table(package)
    return dict(sorted(_HANDLERS.items()))


def _load(scope: str) -> None:
    if scope not in _LOADED:
        _LOADED.add(scope)
        handlers.load(scope)


def _load_table(package: str) -> None:
    if package in _TABLES:
        return
    _TABLES.add(package)
    if types := rows_of(package):
        from gpucluster.cost.handlers.rates_table import by_table  # a cluster may not need it

        for type_ in types:
            prices(type_)(by_table(type_))

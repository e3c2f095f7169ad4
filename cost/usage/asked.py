"""Usage names that affect the price of each resource, found by recording reads during pricing."""

from __future__ import annotations

from typing import Any, cast

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.program.resources import Resource, Resources


def asked_by(resources: Resources, book: PriceBook, assumptions: Assumptions) -> dict[str, list[str]]:
    """URN -> names in the order of `gpucluster cost usage names`, for resources whose price depends on any."""
    heard: dict[str, set[str]] = {}
    estimate(resources, book, cast(Assumptions, _Listener(assumptions, heard, "")))
    order = Assumptions.names()
    return {urn: [name for name in order if name in names] for urn, names in heard.items() if urn and names}


class _Listener:
    """Assumptions that record which names are read, and for which resource."""

    def __init__(self, assumptions: Assumptions, heard: dict[str, set[str]], urn: str) -> None:
        self._assumptions = assumptions
        self._heard = heard
        self._urn = urn

    def of(self, resource: Resource) -> _Listener:
        """Assumptions for one resource."""
        return _Listener(self._assumptions.of(resource), self._heard, resource.urn)

    def amount(self, name: str) -> Any:
        """The value of a name."""
        self._heard.setdefault(self._urn, set()).add(name)
        return self._assumptions.amount(name)

    def __getattr__(self, name: str) -> Any:
        if name in Assumptions.names():
            return self.amount(name)
        return getattr(self._assumptions, name)

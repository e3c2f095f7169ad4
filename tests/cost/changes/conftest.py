"""Sides made from lines and resources in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from cost import Estimate, PriceBook, Resource, Resources, estimate
from cost.changes import Side
from cost.sources.ended import Ended

MakeSide = Callable[..., Side]


@pytest.fixture
def side(book: PriceBook) -> MakeSide:
    """`side(*resources, ended=[...], steps=True)`: resources in us-east-1."""

    def made(*resources: Resource, title: str = "plan.json", steps: bool = False, ended: Iterable[Ended] = ()) -> Side:
        found: Estimate = estimate(Resources(resources, default_regions={"aws": "us-east-1"}), book)
        return Side(title, found, frozenset(item.urn for item in resources), "dev", steps, tuple(ended))

    return made

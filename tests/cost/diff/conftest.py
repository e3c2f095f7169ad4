"""Sides made from lines and resources in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.diff import Revision

MakeSide = Callable[..., Revision]


@pytest.fixture
def side(book: PriceBook) -> MakeSide:
    """`side(*resources, ended=[...], steps=True)`: resources in us-east-1, or in `region`."""

    def side_of(
        *resources: Resource,
        title: str = "plan.json",
        steps: bool = False,
        ended: Iterable[Deletion] = (),
        region: str = "us-east-1",
    ) -> Revision:
        made = Resources(resources, default_regions={"aws": region})
        found: Estimate = estimate(made, book)
        return Revision(title, found, made, "dev", steps, tuple(ended))

    return side_of

"""A price book on a fixed day, and resources and stacks made in one line."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cost import Estimate, PriceBook, Resource, Resources, estimate

HERE = Path(__file__).parent
TODAY = datetime.date(2026, 11, 21)

MakeResource = Callable[..., Resource]
CostOf = Callable[..., Estimate]


@pytest.fixture
def book() -> PriceBook:
    """The price book as it is read on 2026-11-21."""
    return PriceBook(today=TODAY)


@pytest.fixture
def recordings() -> Path:
    """Files that the engine wrote for the example program."""
    return HERE / "recordings"


@pytest.fixture
def make() -> MakeResource:
    """`make(type, name, **inputs)`, with `parent`, `provider`, `dependencies`, `custom` and `outputs` where needed."""

    def resource(
        type_: str,
        name: str = "it",
        /,
        *,
        parent: Resource | None = None,
        provider: Resource | None = None,
        dependencies: Mapping[str, Resource] | None = None,
        custom: bool = True,
        outputs: Mapping[str, Any] | None = None,
        **inputs: Any,
    ) -> Resource:
        above = f"{parent.urn.split('::')[2]}$" if parent else ""
        return Resource(
            urn=f"urn:pulumi:dev::test::{above}{type_}::{name}",
            type=type_,
            name=name,
            inputs=inputs,
            outputs=outputs or {},
            custom=custom,
            parent=parent.urn if parent else None,
            provider=provider.urn if provider else None,
            dependencies={key: (found.urn,) for key, found in (dependencies or {}).items()},
        )

    return resource


@pytest.fixture
def cost_of(book: PriceBook) -> CostOf:
    """The estimate of some resources in us-east-1, or in `region`."""

    def found(*resources: Resource, region: str | None = "us-east-1", **options: Any) -> Estimate:
        regions = {} if region is None else {"aws": region, "gcp": region}
        return estimate(Resources(resources, default_regions=regions), book, **options)

    return found

"""A stack with two pools, and a book of a few round prices of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, PriceBook
from gpucluster.cost.purchasing import Options, Settings, options_of

Make = Callable[..., Resource]
Found = Callable[..., Options]

HEADER = "provider,region,sku,unit,purchase,term,usd_per_unit,as_of\n"


@pytest.fixture
def trial(stack: Callable[..., list[Resource]]) -> Callable[..., Resources]:
    """`trial(cloud, *more, **facts)`: the trial of a cloud and other resources beside it."""

    def resources(cloud: str, *more: Resource, **facts: object) -> Resources:
        return Resources([*stack(cloud, **facts), *more], default_regions={"aws": "us-east-1", "gcp": "us-central1"})

    return resources


@pytest.fixture
def elastic(make: Make) -> Resource:
    """A Karpenter pool of 0 to 8 p5.4xlarge, 2 of them on average."""
    return make(
        "kubernetes:karpenter.sh/v1:NodePool",
        "elastic",
        metadata={"annotations": {"gpucluster/expected-gpus": "2"}},
        spec={
            "limits": {"nvidia.com/gpu": "8"},
            "template": {
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "name": "gpu"},
                    "requirements": [
                        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
                        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                    ],
                }
            },
        },
    )


@pytest.fixture
def options(trial: Callable[..., Resources], book: PriceBook, tmp_path: Path) -> Found:
    """`options(cloud, *more, own="aws,...", **settings)`: every purchase option, with rows of the user's own."""

    def found(
        cloud: str,
        *more: Resource,
        own: str = "",
        facts: dict[str, object] | None = None,
        terms: dict[str, Terms] | None = None,
        hours: int = 730,
        **settings: Any,
    ) -> Options:
        path = tmp_path / "own.csv"
        path.write_text(HEADER + own)
        prices = PriceBook(today=book.today, own=path if own else None)
        return options_of(
            trial(cloud, *more, **(facts or {})),
            prices,
            Settings(**settings),
            Assumptions(terms=terms or {}, hours_per_month=Decimal(hours)),
        )

    return found

"""Specs of racks are refused in words; so are counts that are no racks."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec
from gpucluster.components.spec.errors import InvalidSpec
from gpucluster.core.catalog.racks import rack_in_words


def problems(kind: type[ClusterSpec | PoolSpec], **values: Any) -> list[str]:
    with pytest.raises(InvalidSpec) as refused:
        kind.model_validate({"name": "trial", **values})
    return [str(problem) for problem in refused.value.problems]


NOT_BUILT = (
    f"accelerator is 'gb200', and clusters of racks are not built yet; {rack_in_words('gb200')}; `gpucluster quote` "
    "prices it"
)


@pytest.mark.parametrize("kind", [ClusterSpec, PoolSpec])
def test_a_spec_of_whole_racks_is_refused_as_not_built_yet(kind: type[ClusterSpec | PoolSpec]) -> None:
    assert problems(kind, accelerator="gb200", training={"nodes": 36}) == [NOT_BUILT]


@pytest.mark.parametrize(("nodes", "spares"), [(4, 0), (70, 0), (18, 1)])
def test_a_number_of_nodes_that_is_no_multiple_of_a_rack_is_said_too(nodes: int, spares: int) -> None:
    assert problems(PoolSpec, accelerator="gb200", training={"nodes": nodes, "spares": spares}) == [
        NOT_BUILT,
        f"training.nodes and training.spares make {nodes + spares} nodes; a rack has 18 nodes: write 18, 36, 54 or "
        "another multiple; aws also sells 9 nodes",
    ]


@pytest.mark.parametrize("nodes", [9, 27])
def test_half_a_rack_is_a_number_that_one_cloud_sells(nodes: int) -> None:
    assert problems(PoolSpec, accelerator="gb200", training={"nodes": nodes}) == [NOT_BUILT]


def test_no_cloud_sells_half_a_rack_of_gb300() -> None:
    assert problems(PoolSpec, accelerator="gb300", training={"nodes": 9})[1:] == [
        "training.nodes and training.spares make 9 nodes; a rack has 18 nodes: write 18, 36, 54 or another multiple"
    ]


def test_other_mistakes_wait_until_the_accelerator_is_one_that_is_built() -> None:
    assert problems(PoolSpec, accelerator="gb200", training={"nodes": "many"}, wrong=1) == [NOT_BUILT]

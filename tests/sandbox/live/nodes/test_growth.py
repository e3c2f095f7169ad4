from __future__ import annotations

from collections.abc import Callable

import pytest

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.nodes.fleet import never_grown
from tests.sandbox.live.nodes.conftest import SCOPE, managed


@pytest.mark.parametrize(
    ("size", "scaled", "names"),
    [(0, True, ["dev"]), (0, False, []), (1, True, [])],
    ids=["scaled from nothing", "of a fixed size", "with a machine"],
)
def test_a_pool_that_azure_would_grow_from_nothing_is_named_as_its_queue(
    aks: Entry, agent_pool: Callable[..., Entry], size: int, scaled: bool, names: list[str]
) -> None:
    pool = agent_pool("Standard_NC40ads_H100_v5", size, enableAutoScaling=scaled, nodeLabels={"gpucluster/pool": "dev"})
    assert never_grown([pool], aks, SCOPE) == names


@pytest.mark.parametrize(
    ("size", "more", "names"),
    [(0, {"autoscaling": {"totalMaxNodeCount": 4}}, ["gpus"]), (0, {}, []), (1, {"autoscaling": {}}, [])],
    ids=["scaled from nothing", "of a fixed size", "with a machine"],
)
def test_a_pool_that_google_would_grow_from_nothing_is_named(
    gke: Entry, node_pool: Callable[..., Entry], size: int, more: dict[str, object], names: list[str]
) -> None:
    assert never_grown([node_pool("a3-highgpu-1g", size, **more)], gke, SCOPE) == names


def test_a_class_of_google_is_a_pool_and_named_once_with_its_node_pool(
    gke: Entry, node_pool: Callable[..., Entry]
) -> None:
    pool = node_pool(
        "a3-highgpu-1g", 0, autoscaling={"totalMaxNodeCount": 4}, config={"labels": {"gpucluster/pool": "dev"}}
    )
    classes = [managed("ComputeClass", "dev"), managed("ComputeClass", "wide")]
    assert never_grown([pool, *classes], gke, SCOPE) == ["dev", "wide"]
    other = "https://another.sandbox.invalid"
    assert never_grown(classes, gke, other) == []

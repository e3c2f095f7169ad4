"""What a cluster may leave out and a stack's spec has to say: budget, duration and labels."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of
from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec, StackSpec
from gpucluster.components.spec.errors import InvalidSpec

LEFT_OUT = ("labels", "budget", "duration")
KEYS = {"requiredLabels", "budget", "durationDays"}
BLOCK = {"purchase": {"kind": "capacity-block"}, "placement": {"kind": "reservation", "id": "cr-0123456789abcdef0"}}


@pytest.fixture
def bare(trial: dict[str, Any]) -> dict[str, Any]:
    """The trial without what a cluster may leave out."""
    return {key: value for key, value in trial.items() if key not in LEFT_OUT}


def _facts(cloud: str, values: dict[str, Any]) -> dict[str, Any]:
    known = cloud_of(cloud)
    location, problems = known.locate(known.keys)
    assert problems == []
    return known.plan_cluster(ClusterSpec.model_validate(values), location, "dev", None, None).facts.registered()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_cluster_states_nothing_of_what_its_spec_leaves_out(
    cloud: str, trial: dict[str, Any], bare: dict[str, Any]
) -> None:
    whole, rest = _facts(cloud, trial), _facts(cloud, bare)
    assert {*whole} - {*rest} == KEYS
    assert rest == {key: value for key, value in whole.items() if key not in KEYS}


@pytest.mark.parametrize("field", LEFT_OUT)
def test_a_stacks_spec_leaves_none_of_it_out(field: str, trial: dict[str, Any]) -> None:
    del trial[field]
    with pytest.raises(InvalidSpec) as caught:
        StackSpec.model_validate(trial)
    assert [(mistake["loc"], mistake["type"]) for mistake in caught.value.mistakes] == [((field,), "missing")]


def _reasons(model: type[ClusterSpec | PoolSpec], values: dict[str, Any]) -> list[str]:
    with pytest.raises(InvalidSpec) as caught:
        model.model_validate(values)
    return [str(mistake["ctx"]["error"]) for mistake in caught.value.mistakes if "ctx" in mistake]


def test_labels_are_optional_and_not_their_syntax(bare: dict[str, Any]) -> None:
    assert ClusterSpec.model_validate({**bare, "labels": {"team": "research"}}).labels == {"team": "research"}
    for model, values in ((ClusterSpec, bare), (PoolSpec, {"name": "gpus", "training": {"nodes": 1}})):
        assert _reasons(model, {**values, "labels": {"team": "Research", "managed-by": "us"}}) == [
            "team; write 1 to 63 lower-case letters, digits, - and _, starting and ending with a letter or digit\n"
            "must not contain managed-by, which every resource gets automatically; remove it"
        ]


@pytest.mark.parametrize("bought", [BLOCK, {"purchase": {"kind": "flex-start"}}], ids=["block", "flex-start"])
def test_what_is_sold_for_a_time_needs_the_time(bought: dict[str, Any], bare: dict[str, Any]) -> None:
    kind = bought["purchase"]["kind"]
    missing = (
        f"purchase.kind is '{kind}', which has a fixed term, but duration is missing; add it: how long you need "
        "the nodes, such as 7d"
    )
    assert _reasons(ClusterSpec, {**bare, **bought}) == [missing]
    assert _reasons(PoolSpec, {"name": "gpus", "training": {"nodes": 4}, **bought}) == [missing]
    assert (
        PoolSpec.model_validate({"name": "gpus", "training": {"nodes": 4}, **bought, "duration": "7d"}).duration == 168
    )

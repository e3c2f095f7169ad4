"""A paused cluster has no training and MIG nodes, and all else that it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.stack.pause import paused
from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_file import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError

ROOT = Path(__file__).parents[3]
STACKS = ROOT / "stacks"


def of_stack(stack: str, *, pause: bool) -> Any:
    return plan_stack(replace(read_stack(stack, ROOT), paused=pause), plan_prices)


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_the_plan_of_a_paused_stack_differs_in_its_nodes_alone(cloud: str) -> None:
    plain, found = (of_stack(f"{cloud}-trial", pause=pause) for pause in (False, True))
    assert (plain.training.started, found.training.started, found.training.size) == (5, 0, 5)
    assert found.facts.notes == (*plain.facts.notes, found.facts.notes[-1])
    assert found.facts.notes[-1].startswith("paused: training and MIG pools have 0 nodes")
    assert (found.facts.training_gpus, found.facts.spare_gpus) == (None, None)
    assert replace(found, training=plain.training, facts=plain.facts) == plain


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_a_mig_pool_has_none_either(cloud: str) -> None:
    values = {f"gpucluster:{key}": value for key, value in PLACES[cloud].items()}
    spec = f"../examples/specs/{cloud}/mig.yaml"
    config = stack_config(
        {**values, "gpucluster:spec": spec, "gpucluster:cloud": cloud},
        project="gpucluster",
        stack="dev",
        program=STACKS,
        root=ROOT,
    )
    plain: Any = plan_stack(config, plan_prices)
    found: Any = paused(plain)
    assert found.mig == replace(plain.mig, nodes=0)


PLACES = {
    "aws": {"region": "us-east-1", "zone": "us-east-1a"},
    "gcp": {"project": "acme-research", "region": "us-central1", "zone": "us-central1-a"},
    "azure": {"subscription": "00000000-0000-0000-0000-000000000000", "region": "eastus", "zone": "1"},
}


def configured(**more: str) -> Any:
    values = {"cloud": "gcp", "spec": "../examples/specs/gcp/flex-start.yaml", **PLACES["gcp"], **more}
    named = {f"gpucluster:{key}": value for key, value in values.items()}
    return stack_config(named, project="gpucluster", stack="dev", program=STACKS, root=ROOT)


def test_flex_start_nodes_go_by_themselves() -> None:
    with pytest.raises(InputError) as caught:
        plan_stack(configured(paused="true"), plan_prices)
    assert str(caught.value) == (
        "configuration of stack dev: 1 problem\n  gpucluster:paused is 'true', but flex-start nodes exist only while "
        "a job runs; remove it: without jobs there are no nodes"
    )


def test_a_pause_is_true_or_false() -> None:
    found = [str(problem) for problem in configured(paused="yes").problems]
    assert found == ["paused is 'yes'; allowed: true, false"]
    assert (configured(paused="false").paused, configured().paused) == (False, False)

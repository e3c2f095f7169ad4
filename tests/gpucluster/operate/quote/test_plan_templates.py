"""Numbers of plans stand in resources as they are, and decide nothing there but by being none, one, or more."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost.prices import PriceBook
from gpucluster.operate.quote import plan_templates as module
from gpucluster.operate.quote.candidates import Candidate, candidates
from gpucluster.operate.quote.plan_declaration import declared, view_of
from gpucluster.operate.quote.plan_templates import any_numbers, numbers_of
from tests.gpucluster.operate.quote.conftest import asked

COMPONENTS = str(Path(__file__).parents[4] / "components")
HOMES = {"aws": "us-east-1", "gcp": "us-central1", "azure": "eastus"}


class Watched(int):
    """A number that notes what our components ask of it but its value."""

    asked: set[tuple[str, object]] = set()  # noqa: RUF012


def _noted(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def ask(self: Watched, *other: Any) -> Any:
        if sys._getframe(1).f_code.co_filename.startswith(COMPONENTS):
            Watched.asked.add((name, *other))
        return plain(self, *other)

    return ask


def _carried(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def make(self: Watched, other: Any) -> Any:
        made = plain(self, other)
        return Watched(made) if isinstance(made, int) else made

    return make


for each in ("bool", "lt", "le", "gt", "ge", "eq", "ne", "floordiv", "truediv", "mod", "divmod"):
    setattr(Watched, f"__{each}__", _noted(f"__{each}__"))
for each in ("add", "radd", "mul", "rmul", "sub", "rsub", "neg"):
    setattr(Watched, f"__{each}__", _carried(f"__{each}__"))


def watched(one: Candidate) -> Any:
    plan: Any = any_numbers(one.plan)
    for path, number in numbers_of(plan).items():
        part, _, name = path.partition(".")
        if isinstance(number, int) and name != "size":
            plan = replace(plan, **{part: replace(getattr(plan, part), **{name: Watched(number)})})
    return plan


@pytest.mark.slow
@pytest.mark.parametrize("cloud", HOMES)
def test_a_program_asks_of_a_number_whether_it_is_none_or_one_and_has_it_as_it_is(
    cloud: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = candidates(asked(gpus="64", lasting="30d", clouds=cloud, regions=HOMES[cloud]), PriceBook()).found
    Watched.asked.clear()
    for one in found:
        declared(watched(one))
    nodes = numbers_of(any_numbers(found[0].plan))["training.nodes"]
    of_each_node = ("__floordiv__", nodes)  # of GPUs by nodes, which is the same for any number of nodes
    assert ("__gt__", 1) in Watched.asked
    assert Watched.asked <= {of_each_node, ("__bool__",), ("__gt__", 1)}
    seen = [view_of(one.plan) for one in found]
    monkeypatch.setattr(module, "_UNLIKELY", 800_000_000)
    assert [view_of(one.plan) for one in found] == seen, "a number that is made of others has no hole"


def test_numbers_of_one_and_none_are_part_of_the_shape() -> None:
    def left(**given: str) -> list[tuple[Any, Any]]:
        found = candidates(asked(lasting="30d", clouds="aws", regions="us-east-1", **given), PriceBook()).found
        plans: list[Any] = [any_numbers(one.plan) for one in found if one.way.words == "on demand"]
        return [(plan.training.nodes, plan.training.spares) for plan in plans]

    assert left(gpus="8") == [(1, 0)]
    assert left(gpus="64") == [(700_000_000, 1)]
    assert left(gpus="64", spares="2") == left(gpus="4096", spares="9") == [(700_000_000, 701_000_003)]

"""What the rest of a stack costs beside one of its pools."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, PriceBook
from gpucluster.cost.pricing.model import Amounts
from gpucluster.cost.purchasing.pools import stack_of


def test_the_rest_is_every_line_but_those_of_the_pool(
    trial: Callable[..., Resources], elastic: Resource, make: Callable[..., Resource], book: PriceBook
) -> None:
    spec = {key: value for key, value in elastic.inputs["spec"].items() if key != "limits"}
    endless = make(elastic.type, "endless", **{**elastic.inputs, "spec": spec})
    stack = stack_of(trial("aws", elastic, endless), book, Assumptions())
    rests = {pool.name: stack.rest(pool) for pool in stack.pools}
    assert rests == {
        pool.name: Amounts.of(line for line in stack.estimate.lines if line not in pool.lines) for pool in stack.pools
    }
    assert [name for name, rest in rests.items() if rest.ceiling != "unbounded"] == ["endless"]

"""The spec of a cluster that answers a question: the output of `gpucluster init` with the requested values."""

from __future__ import annotations

import copy
import functools
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, cast

import yaml

from gpucluster.components.aws.planning.training import BLOCK_SIZES
from gpucluster.components.stack.first_spec import first_spec
from gpucluster.core.program.facts import Terms
from gpucluster.operate.quote.market import PurchaseOption
from gpucluster.operate.quote.question import Question

PLACE: Final = "Set the place in the stack's configuration, or write both with --pick N --stack NAME:"
"""Comment in the head of a spec, before the keys of its place."""

STACK: Final = "quote"
"""Stack name of a quote."""

_NAME: Final = "trial"
_STEP: Final = Decimal(1_000)


def spec_values(question: Question, accelerator: str, way: PurchaseOption) -> dict[str, Any]:
    """The spec as read from YAML. An option that needs a reservation has an example id."""
    values = copy.deepcopy(_first(question.nodes))
    values["accelerator"] = accelerator
    training = cast("dict[str, Any]", values["training"])
    training |= {} if question.fabric_gbps is None else {"fabric_gbps": question.fabric_gbps}
    training |= {} if question.spares is None else {"spares": question.spares}
    values["purchase"] = {"kind": way.kind, **({"active": True} if way.kind == "capacity-block" else {})}
    if way.reservation:
        values["placement"] = _placement(way, training["nodes"] + training.get("spares", 0))
    if question.storage_tib is not None:
        values["storage"]["shared"]["usable_tib"] = _plain(question.storage_tib)
    values["duration"] = question.duration
    return values


def _placement(way: PurchaseOption, nodes: int) -> dict[str, Any]:
    """Several of EC2's capacity blocks where one is too small, of sizes that leave no machine idle."""
    if way.cloud != "aws" or not way.sized or nodes <= BLOCK_SIZES[-1]:
        return {"kind": "reservation", "id": way.reservation}
    blocks = dict[str, int]()
    while nodes:
        size = max(size for size in BLOCK_SIZES if size <= nodes)
        blocks[f"{way.reservation}{len(blocks)}"] = size
        nodes -= size
    return {"kind": "blocks", "blocks": blocks}


def default_spares(nodes: int) -> int:
    """Spares of the first spec of so many nodes."""
    return _first(nodes)["training"].get("spares", 0)


def budget_of(monthly: Decimal) -> int:
    """A budget in USD per month for what costs so much."""
    return int((monthly / _STEP).to_integral_value(ROUND_CEILING) * _STEP)


def spec_text(values: dict[str, Any], budget: int, head: list[str], *, refuse: bool = True) -> str:
    """The file of a spec. budget: USD per month. head: comments. refuse: whether exceeding the budget refuses the plan,
    or warns.
    """
    limit = {"monthly_usd": budget, "on_exceed": "fail" if refuse else "warn"}
    text = yaml.safe_dump({**values, "budget": limit}, sort_keys=False, allow_unicode=True)
    return "".join(f"# {line}\n" for line in head) + text


def terms_values(terms: Terms) -> dict[str, Any]:
    """Terms in the format of a spec, without unset ones."""
    found = {"support": terms.support, "discount": terms.discount, "account_usd": terms.account_usd}
    return {name: value if isinstance(value, str) else _plain(value) for name, value in found.items() if value}


@functools.cache
def _first(nodes: int) -> dict[str, Any]:
    return yaml.safe_load(first_spec(_NAME, nodes, None))


def _plain(number: Decimal) -> int | float:
    return int(number) if number == int(number) else float(number)

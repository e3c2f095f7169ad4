"""The hourly cost of a job's machines, at the prices of the stack's own report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.machine_price import machine_price
from gpucluster.cost.model import CostLine
from gpucluster.cost.prices import NotKnown
from gpucluster.rehearse.outcome import Place
from gpucluster.sandbox.type_guards import mapping

_TYPE: Final = "node.kubernetes.io/instance-type"
_BOUGHT: Final = "karpenter.sh/capacity-type"
_UNIT: Final = "instance-hour"


@dataclass(frozen=True, kw_only=True)
class Machines:
    """The machines of one type that a job uses, wholly or in part.

    gpus: used by the job; all_gpus: of the machines. purchase: in the price book's terms, empty if unknown. each: USD
    per hour of one; None if no price is known, with the reason in `unknown`. source, as_of: of the price. elastic:
    whether they start for the job; the others run anyway.
    """

    machine_type: str
    count: int
    gpus: int
    all_gpus: int
    purchase: str = ""
    term: str = ""
    each: Decimal | None = None
    unknown: str = ""
    source: str = ""
    as_of: str = ""
    elastic: bool = False

    @property
    def hourly(self) -> Decimal | None:
        """USD per hour of all of them."""
        return None if self.each is None else self.each * self.count


def machines_of(
    places: Sequence[Place], nodes: Mapping[str, Mapping[str, Any]], estimate: Estimate
) -> tuple[Machines, ...]:
    """Machines by type and purchase option, except those of pods without a GPU, which run on shared machines.

    nodes: by name. estimate: of the stack. Raises BadPrices if the user's own prices cannot be used.
    """
    taken: dict[str, int] = {}
    for place in places:
        if place.node is not None and (place.gpus or place.slices):
            taken[place.node] = taken.get(place.node, 0) + place.gpus
    groups: dict[tuple[str, str], list[str]] = {}
    for name in taken:
        labels = mapping(mapping(mapping(nodes.get(name)).get("metadata")).get("labels"))
        groups.setdefault((str(labels.get(_TYPE) or ""), str(labels.get(_BOUGHT) or "")), []).append(name)
    return tuple(
        _priced(
            Machines(
                machine_type=machine_type or "a machine of unknown type",
                count=len(names),
                gpus=sum(taken[name] for name in names),
                all_gpus=sum(_gpus(nodes[name]) for name in names if name in nodes),
                elastic=bool(bought),
            ),
            bought.replace("-", "_"),
            [line for line in estimate.lines if line.sku == machine_type and line.unit == _UNIT],
        )
        for (machine_type, bought), names in sorted(groups.items())
    )


def _priced(found: Machines, bought: str, lines: Sequence[CostLine]) -> Machines:
    """bought: the purchase option on the node itself, empty if it has none."""
    if not lines:
        return replace(found, unknown=f"the stack's report has no price of {found.machine_type}")
    if bought:
        price = machine_price(lines[0].provider, lines[0].region, found.machine_type, bought)
        if isinstance(price, NotKnown):
            return replace(found, purchase=bought, unknown=price.reason)
        return replace(found, purchase=bought, each=price.usd, source=price.row.document, as_of=price.row.as_of)
    kinds = {(line.purchase, line.term, line.unit_price, line.paid_by): line for line in lines if not line.autoscaled}
    if len(kinds) != 1:
        ways = ", ".join(sorted({line.purchase for line in lines}))
        return replace(found, unknown=f"the stack buys {found.machine_type} in several ways: {ways}")
    line = next(iter(kinds.values()))
    if line.paid_by:
        return replace(found, purchase=line.purchase, unknown=f"billed as {line.paid_by}, not by the hour")
    return replace(
        found, purchase=line.purchase, term=line.term, each=line.unit_price, source=line.source, as_of=line.as_of
    )


def _gpus(node: Mapping[str, Any]) -> int:
    return int(mapping(mapping(node.get("status")).get("capacity")).get("nvidia.com/gpu") or 0)

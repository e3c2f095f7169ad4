"""The saving of a cluster's pause, and the remaining cost, by the state of its stack."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.account.standing import Standing
from gpucluster.cost.gap import Gap
from gpucluster.cost.model import CostLine
from gpucluster.cost.money import money, ranged, ranged_daily

_POOLS: Final = (":TrainingPool", ":MigPool")


@dataclass(frozen=True, kw_only=True)
class Saving:
    """pools: names of the pools with nodes, which a pause scales to zero. saved: USD per month, gap its unpriced items.
    bought: USD per month, and upfront for its whole term, for their capacity that is billed whether used or not.
    """

    pools: tuple[str, ...]
    saved: Decimal
    gap: Gap
    bought: Decimal
    upfront: Decimal

    @property
    def sentence(self) -> str:
        """The saving as a sentence for the user."""
        said = [
            f"the nodes of {' and '.join(self.pools)} are deleted, and the jobs on them end; data, network and control "
            "plane stay",
            f"it saves {ranged(self.saved, self.gap)} a month, {ranged_daily(self.saved, self.gap)}",
        ]
        if self.bought:
            said.append(f"{money(self.bought)} a month is still billed for reserved capacity, used or not")
        if self.upfront:
            said.append(f"{money(self.upfront)} for a capacity block is paid and not refunded")
        return "; ".join(said)


def saving(one: Standing) -> Saving:
    """The saving of only the training and MIG pools: elastic machines start and stop with their jobs."""
    parts = {item.name for item in one.resources if item.type.endswith(_POOLS)}
    lines = [line for line in one.cost.lines if line.part in parts]
    running = [line for line in lines if line.quantity]
    missing = [item for item in one.cost.not_priced if item.part in parts]
    return Saving(
        pools=tuple(dict.fromkeys([*(line.part for line in running), *(item.part for item in missing)])),
        saved=sum((line.monthly for line in running if not _bought(line)), Decimal(0)),
        gap=Gap.of(missing),
        bought=sum((line.monthly for line in running if _bought(line) and not line.upfront), Decimal(0)),
        upfront=sum((line.upfront for line in running), Decimal(0)),
    )


def _bought(line: CostLine) -> bool:
    """Whether it is billed even without nodes."""
    return line.spend == "committed-elsewhere" or bool(line.upfront)

"""How often the cloud reclaims spot machines: set, published, or assumed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.core.catalog.tables import Row, read_rows
from gpucluster.cost.pricing.model import HOURS_PER_MONTH
from gpucluster.cost.pricing.money import percent
from gpucluster.cost.purchasing.rate import Settings

ASSUMED: Final = Decimal("0.02")
"""Share of machines reclaimed per hour if nothing is published: the worked example of a course on training
infrastructure, not a measurement."""

_CLASS: Final = re.compile(r"<(?P<below>\d+)%|(?P<least>\d+)-(?P<most>\d+)%|>(?P<above>\d+)%")


@dataclass(frozen=True, kw_only=True, slots=True)
class Interruption:
    """Reclaimed machines.

    an_hour: upper bound of the share per hour; the lower bound for a class without an upper end. month_least,
    month_most: the class as shares per month, None without a class or an upper end. text: for users. as_of, source: of
    a class.
    """

    an_hour: Decimal
    text: str
    month_least: Decimal | None = None
    month_most: Decimal | None = None
    as_of: str = ""
    source: str = ""

    @property
    def open(self) -> bool:
        """Whether the rate has no upper bound, so that values derived from it are lower bounds."""
        return self.month_least is not None and self.month_most is None


def interruption_of(machine: str, region: str, settings: Settings) -> Interruption:
    """The rate of the settings; else the class AWS's Spot Advisor gives the machine in the region; else `ASSUMED`.

    Azure shows its rates only to accounts, and Google publishes none per machine.
    """
    if settings.interruption_rate is not None:
        return Interruption(an_hour=settings.interruption_rate, text=_hourly(settings.interruption_rate))
    row = _published().get((machine, region))
    if row is None:
        return Interruption(an_hour=ASSUMED, text=f"{_hourly(ASSUMED)}, assumed: no rate is published for it here")
    return _of(row)


def _hourly(rate: Decimal) -> str:
    return f"{percent(rate)} of nodes reclaimed per hour"


def _of(row: Row) -> Interruption:
    least, most = _ends(row)
    a_month = least if most is None else most
    return Interruption(
        an_hour=1 - (1 - a_month) ** (1 / HOURS_PER_MONTH),
        text=f"{_words(row['a_month'])} of machines reclaimed per month (AWS Spot Advisor, {row['as_of']})",
        month_least=least,
        month_most=most,
        as_of=row["as_of"],
        source=row["source"],
    )


def _ends(row: Row) -> tuple[Decimal, Decimal | None]:
    found = _CLASS.fullmatch(row["a_month"])
    if found is None:
        raise row.bad("a_month", "write a class such as <5%, 5-10% or >20%")
    if found["above"]:
        return Decimal(found["above"]) / 100, None
    return Decimal(found["least"] or 0) / 100, Decimal(found["most"] or found["below"]) / 100


def _words(published: str) -> str:
    return published.replace("<", "less than ").replace(">", "more than ").replace("-", " to ")


@cache
def _published() -> dict[tuple[str, str], Row]:
    return {(row["machine"], row["region"]): row for row in read_rows("cost/purchasing/spot_interruption.csv")}


@dataclass(frozen=True, slots=True)
class Interruptions:
    """Interruption frequency of a multi-node job, and its remaining useful time.

    nodes: which must all run. per_hour: share of hours in which at least one is reclaimed. between: mean hours for
    which they all run. lost: hours lost by each interruption, half a checkpoint interval and the restart. useful:
    share of the paid hours in which the job makes lasting progress, 0 if interruptions are more frequent than
    checkpoints. All values are for the rate `taken.an_hour`.
    """

    taken: Interruption
    nodes: Decimal
    per_hour: Decimal
    between: Decimal | None
    lost: Decimal
    useful: Decimal


def interruptions(nodes: Decimal, taken: Interruption, settings: Settings) -> Interruptions:
    """Nodes are reclaimed independently of each other, at a constant rate.

    In an hour all of n nodes stay with (1 - rate)^n: 32 nodes at 2 % lose one in 48 % of hours. A run of mean length
    m = -1 / (n ln(1 - rate)) hours keeps all but half a checkpoint interval, and is followed by the restart, so that
    (m - interval / 2) / (m + restart) of the time is useful.
    """
    half, restart = settings.checkpoint_hours / 2, settings.restart_hours
    stay = 1 - taken.an_hour
    if not taken.an_hour or not nodes:
        return Interruptions(taken, nodes, Decimal(0), None, half + restart, Decimal(1))
    if not stay:
        return Interruptions(taken, nodes, Decimal(1), Decimal(0), half + restart, Decimal(0))
    per_hour = 1 - stay**nodes
    between = -1 / (nodes * stay.ln())
    useful = max(between - half, Decimal(0)) / (between + restart)
    return Interruptions(taken, nodes, per_hour, between, half + restart, useful)

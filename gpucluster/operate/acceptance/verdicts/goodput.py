"""Hours in which too few nodes were there for the whole cluster to train, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.core.program.readers.files import read_file
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from gpucluster.errors import InputError
from gpucluster.operate.acceptance.measurements import Measurement, Replacement
from gpucluster.operate.acceptance.verdicts.verdict import MEASURED, Verdict


@dataclass(frozen=True, kw_only=True)
class Hour:
    """What an hour of training costs, with spares, storage, network and control plane, without elastic pools.

    usd: to the cent. at_least: whether something in it has no price. of: the plan or state.
    """

    usd: Decimal
    at_least: bool
    of: str


def hour_of(text: str, name: str) -> Hour:
    """By the text of a plan or state. name: for messages. Raises NotReadable, BadPrices, or InputError if its training
    has no price.
    """
    found = estimate(read_file(text, name).resources)
    if not found.training_hours or not found.training_monthly:
        raise InputError(f"{name} has no priced GPU machines for training; give the plan of the cluster, or no --plan")
    missing = any(part.training and part.name in found.unpriced_parts for part in found.parts)
    return Hour(usd=cents(found.training_monthly / found.training_hours), at_least=missing, of=name)


@dataclass(frozen=True, kw_only=True)
class Lost:
    """hours: of the period, None if unknown. lost_hours: with fewer nodes than the spec buys without its spares.

    goodput: share of the period that was not lost. hour_usd, lost_usd: USD, None without a plan.
    """

    hours: Decimal | None
    lost_hours: Decimal
    goodput: Decimal | None
    hour_usd: Decimal | None
    lost_usd: Decimal | None


def lost_of(
    measurements: Sequence[Measurement], *, hours: Decimal | None, spares: int, price: Hour | None
) -> Lost | None:
    """None if there is neither a record of a replacement, nor a period, nor a price. hours: of the period.

    Raises InputError if more hours were lost than the period has.
    """
    records = [record for record in measurements if isinstance(record, Replacement)]
    if not records and hours is None and price is None:
        return None
    lost = _short(records, spares)
    if hours is not None and lost > hours:
        raise InputError(
            f"--hours is {hours:f}, but the records have {lost:f} lost hours; give the hours of all of them"
        )
    return Lost(
        hours=hours,
        lost_hours=lost,
        goodput=None if hours is None else ((hours - lost) / hours).quantize(Decimal("0.0001")),
        hour_usd=price and price.usd,
        lost_usd=price and cents(price.usd * lost),
    )


def _short(records: Sequence[Replacement], spares: int) -> Decimal:
    """Hours in which more nodes than the spares were waited for, to the hundredth; overlapping ones count once."""
    changes = sorted([(record.asked, 1) for record in records] + [(record.ready, -1) for record in records])
    seconds, missing = Decimal(0), 0
    for number, (at, change) in enumerate(changes):
        if missing > spares:
            seconds += Decimal(str((at - changes[number - 1][0]).total_seconds()))
        missing += change
    return (seconds / 3600).quantize(Decimal("0.01"))


def judge_goodput(lost: Lost | None, price: Hour | None, *, records: int, spares: int) -> Iterator[Verdict]:
    """Figures, neither good nor bad: nothing is promised of them."""
    if lost is None:
        return
    cost = ""
    if price is not None:
        least = "at least " if price.at_least else ""
        cost = f"an hour of the cluster costs {least}{money(price.usd)} ({price.of})"
        if not records:
            yield Verdict(check="lost hour", outcome=MEASURED, why=cost, measured=f"{least}{money(price.usd)}")
        else:
            cost = f", and {cost}: {least}{money(lost.lost_usd or Decimal(0))} were paid while training stood"
    if not records and lost.hours is None:
        return
    of = f"{lost.goodput:.2%} of {lost.hours:f} h" if lost.goodput is not None else f"{lost.lost_hours:f} h lost"
    spare = f"beyond {spares} spares" if spares else "without a spare"
    yield Verdict(
        check="goodput",
        outcome=MEASURED,
        why=f"{lost.lost_hours:f} h of {records} replaced nodes {spare}{cost if records else ''}; restarts, and steps "
        f"since the last checkpoint, are in no log here{'' if lost.hours else ': add --hours for the share'}",
        measured=of,
    )

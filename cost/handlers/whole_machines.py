"""Lines that may lack a price, so that what comes after them is priced all the same.

Sources: EC2 user guide, "Stop and start Amazon EC2 instances"; Azure documentation, "States and billing of Azure
Virtual Machines"; Compute Engine documentation, "Stop or restart a Compute Engine instance", billing. EC2 and Azure
declare no state with the machine: it is a separate resource, or an output of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import hard_to_get, machines, not_sold
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.core.program.values import is_list
from gpucluster.cost.prices import NotKnown, Price
from gpucluster.cost.pricing.inputs import disregard
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced, Unbounded
from gpucluster.cost.pricing.plan_prices import of_an_hour, published
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read


def or_named(
    item: Pricing, lines: Iterator[CostLine | NotPriced], *, what: str = "", compute: bool = False
) -> Iterator[CostLine | NotPriced]:
    """The lines; where a price is not known, that, after `what` it belongs to. `compute`: whether they are machines."""
    try:
        yield from lines
    except CannotPrice as error:
        reason = CannotPrice(f"{what}: {error}", error.own_row) if what else error
        yield item.not_priced(reason, compute=compute)


@dataclass(frozen=True)
class Cover:
    """One kind of commitment: the assumption that says its share, how it is bought, for how long, and its name."""

    assumption: str
    purchase: str
    term: str
    words: str


def bought(
    item: Pricing,
    machine: str,
    count: Count,
    purchase: str,
    covers: Sequence[Cover],
    *,
    region: str,
    autoscaled: bool = False,
    assumption: str = "",
) -> Iterator[CostLine | NotPriced]:
    """Machines by the way they are bought; of on-demand GPU machines the shares that are covered by themselves.

    The shares are assumptions: commitments belong to a billing account, not to a stack. A share without a price is
    named, and the rest is priced all the same. Raises CannotPrice when the price of the rest is not known.
    """
    rest = Decimal(1)
    if purchase == "on_demand" and machine in machines():
        for cover in covers:
            share: Decimal = getattr(item.assumptions, cover.assumption)
            if share:
                lines = _covered(item, machine, count, cover, share, region=region, autoscaled=autoscaled)
                yield from or_named(item, lines, compute=True)
                rest -= share
    if not rest:
        return
    price = machine_price(item, machine, purchase, region=region)
    yield machine_hours(item, machine, count.times(rest), price, autoscaled=autoscaled, assumption=assumption)


def _covered(
    item: Pricing, machine: str, count: Count, cover: Cover, share: Decimal, *, region: str, autoscaled: bool
) -> Iterator[CostLine]:
    assumption = f"{cover.assumption}: {share:f} of on-demand GPU machines are under {cover.words} of {cover.term}"
    price = machine_price(item, machine, cover.purchase, cover.term, region=region)
    yield machine_hours(item, machine, count.times(share), price, autoscaled=autoscaled, assumption=assumption)


_WORDS: Final = {
    "on_demand": "on demand",
    "flex_start": "flex-start",
    "dws_calendar": "calendar mode",
    "reserved": "committed use",
    "savings_plan": "savings plan",
    "instance_savings_plan": "EC2 Instance savings plan",
}
ALL_MONTH: Final = frozenset({"reserved", "savings_plan", "instance_savings_plan", "capacity_block", "dws_calendar"})
"""Purchase options that are paid for whether the machine runs or not."""

_AZURE_WORDS: Final = {**_WORDS, "reserved": "reservation"}


def purchase_words(provider: str, purchase: str) -> str:
    """A purchase option, as the cloud calls it."""
    names = _AZURE_WORDS if provider == "azure" else _WORDS
    return names.get(purchase, purchase.replace("_", " "))


def plain(number: Decimal) -> str:
    """A number without exponent or trailing zeros."""
    return f"{number.normalize():f}"


def machine_price(item: Pricing, machine: str, purchase: str, term: str = "", *, region: str | None = None) -> Price:
    """The price of a machine with this purchase option, else the stand-in of `Pricing.find`.

    A sum of parts may be known of a machine that is not sold so: it is refused before it is looked up. Raises
    CannotPrice then, and where there is neither price nor bound.
    """
    reason = not_sold(machine, purchase)
    if reason is not None:
        raise CannotPrice(reason)
    found = published(item.book, item.provider, region or item.region, machine, purchase, term)
    if isinstance(found, NotKnown):
        return item.price(machine, "instance-hour", purchase, term, region=region)
    return of_an_hour(found, machine)


def machine_hours(
    item: Pricing, machine: str, count: Count, price: Price, *, autoscaled: bool = False, assumption: str = ""
) -> CostLine:
    """Machines running all month, as many as `count` says; `autoscaled` leaves the number out of the line's name."""
    row = price.row
    each = HOURS_PER_MONTH if row.purchase in ALL_MONTH else item.assumptions.hours_per_month
    note = item.assumptions.text("hours_per_month") if each != HOURS_PER_MONTH else ""
    hours = count.times(each)
    assumption = "; ".join(filter(None, [assumption, note, hard_to_get(machine, row.purchase)]))
    words = f"{machine} {purchase_words(item.provider, row.purchase)}{f' {row.term}' if row.term else ''}"
    return item.line(
        f"{words}, autoscaled" if autoscaled else f"{plain(count.expected)} x {words}",
        hours.expected,
        price,
        basis=f"{plain(count.expected)} x {plain(each)} h",
        assumption=assumption,
        floor=hours.floor,
        ceiling=hours.ceiling,
        billed=each,
    )


_STATE: Final = "aws:ec2transitgateway/instanceState:InstanceState"
_INSTANCE: Final = "aws:ec2/instance:Instance"


def instance_is_stopped(resources: Resources, instance: Resource) -> bool:
    """Whether an EC2 instance is declared to be stopped, or was at the last refresh. Raises CannotPrice if the declared
    state is unknown.
    """
    declared = _declared(resources)[0].get(instance.urn)
    if declared is not None:
        state = declared.inputs.get("state")
        if state is UNKNOWN:
            raise CannotPrice(f"state of {declared.name} is not known before the update: whether the machine runs")
        return state == "stopped"
    return instance.outputs.get("instanceState") in ("stopped", "stopping")


def virtual_machine_is_deallocated(item: Pricing) -> bool:
    """Whether an Azure machine was deallocated at the last refresh; one that is only stopped is billed in full."""
    statuses = read(item.resource.outputs, "instanceView", "statuses")
    return is_list(statuses) and any(
        read(status, "code") in ("PowerState/deallocated", "PowerState/deallocating") for status in statuses
    )


def google_status(item: Pricing) -> str:
    """The state of a Compute Engine machine, RUNNING, SUSPENDED or TERMINATED: the declared one, or that of the last
    refresh.
    """
    found = item.resource.outputs.get("currentStatus")
    default = {"STOPPING": "TERMINATED", "SUSPENDING": "SUSPENDED"}.get(str(found), found)
    return item.text("desiredStatus", default=default if default in ("SUSPENDED", "TERMINATED") else "RUNNING")


def say_stopped(item: Pricing, name: str = "", *, reserved: bool = False) -> None:
    """An assumption of the report: the machines stay stopped all month. name: of the pool, by default of the resource.
    reserved: whether a reservation bills their hours all the same.
    """
    if not name:
        disregard(item.resource.inputs)
    hours = "and so are its hours, by their reservation" if reserved else "its hours are not"
    item.guesses.add(f"{name or item.resource.name} is stopped and stays so: its disks are billed, {hours}")


@once
def _declared(resources: Resources) -> Iterator[Mapping[str, Resource]]:
    """URN of an instance -> the resource that declares its state."""
    yield {
        instance.urn: state
        for state in resources.of_type(_STATE)
        if (instance := resources.referred(state, "instanceId", _INSTANCE)) is not None
    }


EXPECTED_GPUS: Final = "gpucluster/expected-gpus"
"""Annotation of a pool: GPUs that run on average."""


def expected_gpus(item: Pricing) -> Decimal | None:
    """GPUs that run on average as the pool says it, None when it does not."""
    value = item.get("metadata", "annotations", EXPECTED_GPUS)
    return None if value is None else as_number(value, f"annotation {EXPECTED_GPUS}")


def autoscaled(item: Pricing, machine: str, ceiling: Decimal | Unbounded) -> tuple[Count, str]:
    """(machines: none, as expected, and `ceiling` at the most; what was assumed).

    Raises CannotPrice when GPUs are expected of a machine that is in no table.
    """
    asked, name = expected_gpus(item), item.resource.name
    if asked is not None:
        if machine not in machines():
            raise CannotPrice(f"{machine} is not in the table of machines, so GPUs cannot be converted to machines")
        expected = asked / machines()[machine].gpus
        assumption = f"expected GPUs of {name}: {plain(asked)} on average (annotation {EXPECTED_GPUS})"
    elif isinstance(ceiling, str):
        return Count(Decimal(0), Decimal(0), ceiling), f"{name} has no limit: its ceiling is unbounded"
    else:
        share = item.assumptions.expected_share
        expected, assumption = ceiling * share, f"expected_share: {share} of the limit of {name} runs on average"
    if not isinstance(ceiling, str) and expected > ceiling:
        expected, assumption = ceiling, f"{assumption}, which is more than its limit: the limit counts"
    return Count(expected, Decimal(0), ceiling), assumption

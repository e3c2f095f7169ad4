"""The cluster of a stack in a comparison: what its spec requests, what the cloud provides, and these as rows.

A component is the cluster if it states `equivalence`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.facts import Facts
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resources
from gpucluster.core.program.values import is_object
from gpucluster.cost.comparison.carbon import KW_PER_NODE, Grid, grid_of, tonnes_a_year
from gpucluster.cost.comparison.offers import SXM_GPUS, TF32_TFLOPS, per_1000_tflops
from gpucluster.cost.estimate.estimate import Estimate, running_hours
from gpucluster.cost.prices import NotKnown, PriceBook
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, cents
from gpucluster.cost.pricing.money import at_least, money
from gpucluster.cost.pricing.transfer import GIB_PER_GB, Egress, days_to_move, egress_of, flow_gigabytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """One cluster. asked: name of a request of its spec -> value. equivalence: the resulting properties."""

    name: str
    asked: Mapping[str, str]
    equivalence: Mapping[str, str] = field(default_factory=dict[str, str])
    losses: tuple[str, ...] = ()


def cluster_of(resources: Resources) -> Cluster | None:
    """The cluster of a stack; None if no component, or several, state `equivalence`."""
    found = [each for each in read_registered_facts(resources) if each.facts.equivalence]
    return _cluster(found[0].component.name, found[0].facts) if len(found) == 1 else None


def _cluster(name: str, facts: Facts) -> Cluster:
    amounts = {
        "training GPUs": facts.training_gpus,
        "spare GPUs": facts.spare_gpus,
        "duration in days": facts.duration_days,
    }
    asked = {"name": name, **{words: _text(value) for words, value in amounts.items() if value is not None}}
    labels = facts.required_labels
    asked |= {f"label {key}": _text(labels[key]) for key in sorted(labels)} if is_object(labels) else {}
    if "accelerator" in facts.equivalence:
        asked["accelerator"] = _text(facts.equivalence["accelerator"])
    return Cluster(
        name=name,
        asked=asked,
        equivalence={key: _text(value) for key, value in facts.equivalence.items() if value is not None},
        losses=facts.losses,
    )


def _text(value: object) -> str:
    """A value as text; whole numbers without a fraction, since JSON has one number type."""
    if value is UNKNOWN:
        return UNKNOWN.value
    if isinstance(value, float | Decimal) and value == int(value):
        return str(int(value))
    return str(value)


FLOW_DAYS: Final = Decimal(30)
"""Days of a month for a line that is always fully used."""

_ZERO: Final = Decimal(0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """Settings of the user.

    dataset_tb: data to move out once, decimal TB. gbps: line for it. flow_gbps: line fully used by outgoing data all
    month. usd_per_gb: per decimal GB of outgoing data, overrides the price list. kw_per_node: overrides the known
    power of nodes. tflops: GPU -> TF32 TFLOPS of one, overrides the data sheets.
    """

    dataset_tb: Decimal | None = None
    gbps: Decimal = Decimal(100)
    flow_gbps: Decimal | None = None
    usd_per_gb: Decimal | None = None
    kw_per_node: Decimal | None = None
    tflops: tuple[tuple[str, Decimal], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Figures of one stack; None if an input is unknown.

    machine: of its training nodes. nodes: of that type, including spares. usd_per_gpu_hour: of machines only, with the
    plan's purchase option, including idle ones of a block. per_1000_tflops: USD per hour.
    hours: running hours per month. tonnes: CO2e per year, at full power in these hours.
    moved, flow: cost of outgoing data.
    """

    machine: str
    provider: str
    region: str
    nodes: Decimal
    usd_per_gpu_hour: Decimal | None
    per_1000_tflops: Decimal | None
    kw_per_node: Decimal | None
    grid: Grid | None
    hours: Decimal
    tonnes: Decimal | None
    days: Decimal | None
    moved: Egress | NotKnown | None
    flow: Egress | NotKnown | None

    @property
    def gpu(self) -> str:
        """Its GPU model."""
        return machines()[self.machine].model


def figures_of(estimate: Estimate, book: PriceBook, ask: Ask) -> Figures | None:
    """The figures of a stack's training machines; None without known GPU machines."""
    lines = list(_machines(estimate))
    if not lines:
        return None
    first = max(lines, key=lambda line: (line.quantity, line.sku))
    alike = [line for line in lines if line.sku == first.sku]
    machine, nodes = machines()[first.sku], sum((line.machines_of(line.quantity - line.idle) for line in alike), _ZERO)
    running = running_hours(alike)
    hours = nodes * running
    paid = sum((line.monthly for line in alike), _ZERO)
    hourly = paid / hours if hours and paid else None
    sxm = machine.gpus == SXM_GPUS
    kw = ask.kw_per_node or (KW_PER_NODE.get(machine.model) if sxm else None)
    tflops = dict(ask.tflops).get(machine.model) or (TF32_TFLOPS.get(machine.model) if sxm else None)
    grid = grid_of(first.provider, first.in_region)
    return Figures(
        machine=first.sku,
        provider=first.provider,
        region=first.in_region,
        nodes=nodes,
        usd_per_gpu_hour=None if hourly is None else hourly / machine.gpus,
        per_1000_tflops=None if hourly is None or tflops is None else per_1000_tflops(hourly, tflops * machine.gpus),
        kw_per_node=kw,
        grid=grid,
        hours=running,
        tonnes=None
        if grid is None or kw is None
        else tonnes_a_year(nodes * running / HOURS_PER_MONTH, kw, grid.pue, grid.g_per_kwh / 1000),
        days=None if ask.dataset_tb is None else days_to_move(ask.dataset_tb, ask.gbps),
        moved=None if ask.dataset_tb is None else _egress(book, first, ask.dataset_tb * 1000, ask),
        flow=None if ask.flow_gbps is None else _egress(book, first, flow_gigabytes(ask.flow_gbps, FLOW_DAYS), ask),
    )


def _machines(estimate: Estimate) -> Iterator[CostLine]:
    """Lines of GPU machines, each machine once: those of training, else those of any part."""
    found = [
        (part.training, line)
        for part in estimate.parts
        for line in part.lines
        if line.unit == "instance-hour" and line.sku in machines()
    ]
    lines = [line for trains, line in found if trains] or [line for _, line in found]
    yield from [line for line in lines if not line.paid_by] or lines


def _egress(book: PriceBook, line: CostLine, gigabytes: Decimal, ask: Ask) -> Egress | NotKnown:
    if ask.usd_per_gb is not None:
        return Egress(cents(gigabytes * ask.usd_per_gb), Decimal(0), ())
    return egress_of(book, line.provider, line.in_region, gigabytes * GIB_PER_GB)


_UNKNOWN: Final = "not known"

_Found = Sequence[Figures | None]


def figure_rows(found: _Found, ask: Ask) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """(key, label with its unit, one cell per column)."""
    yield "gpu_hour", "$/GPU-hour, machines alone", _cells(found, lambda one: _money(one.usd_per_gpu_hour))
    yield "per_1000_tflops", "$/h for 1,000 TF32 TFLOPS", _cells(found, lambda one: _fine(one.per_1000_tflops))
    yield "co2e", "CO2e a year, t", _cells(found, lambda one: _tonnes(one.tonnes))
    if ask.dataset_tb is not None:
        size = f"{ask.dataset_tb.normalize():,f} TB"
        yield "days_to_move", f"moving {size}, days", _cells(found, lambda one: _days(one.days))
        yield "move_out", f"moving {size} out", _cells(found, lambda one: _rows_egress(one.moved))
    if ask.flow_gbps is not None:
        label = f"{ask.flow_gbps.normalize():,f} Gb/s out, {FLOW_DAYS:f} days"
        yield "flow_out", label, _cells(found, lambda one: _rows_egress(one.flow))


def figure_notes(titles: Sequence[str], found: _Found, ask: Ask) -> Iterator[str]:
    """Assumptions and their sources."""
    known = [one for one in found if one is not None]
    gpus = dict.fromkeys(one.gpu for one in known if one.per_1000_tflops is not None)
    tflops = {**TF32_TFLOPS, **dict(ask.tflops)}
    if gpus:
        each = ", ".join(f"{tflops[gpu]:f} for {gpu}" for gpu in gpus)
        yield f"TF32 TFLOPS of one GPU, with sparsity: {each}, from NVIDIA's data sheets unless --tflops sets them"
    for title, one in zip(titles, found, strict=True):
        if one is not None and one.grid is not None and one.kw_per_node is not None:
            grid = one.grid
            year = f", {grid.year}" if grid.year else ""
            yield (
                f"{title}: CO2e of {one.nodes.normalize():f} nodes at {one.kw_per_node.normalize():f} kW "
                f"{_hours(one.hours)}, "
                f"PUE {grid.pue:f} ({grid.pue_source}), {grid.g_per_kwh.normalize():f} g a kWh in {one.region} "
                f"({grid.source}{year})"
            )
        elif one is not None and machines()[one.machine].gpus:
            missing = f"the grid of {one.region}" if one.grid is None else f"the power of {one.machine}"
            yield f"{title}: no CO2e: {missing} is unknown"
    if len({one.provider == "gcp" for one in known if one.grid is not None}) > 1:
        yield "Google Cloud and the others measure carbon intensity by different methods: clouds are not ranked"
    if ask.dataset_tb is not None:
        yield f"moving assumes {ask.gbps.normalize():,f} Gb/s at full rate to the internet, within one month"
    for title, one in zip(titles, found, strict=True):
        for what in () if one is None else (one.moved, one.flow):
            if isinstance(what, Egress) and what.unpriced_gib:
                yield f"{title}: {what.unpriced_gib:,.0f} GiB above the last known egress tier have no price"
            elif isinstance(what, NotKnown):
                yield f"{title}: {what.reason}"


def _hours(hours: Decimal) -> str:
    return "at all hours" if hours == HOURS_PER_MONTH else f"for {hours:.0f} hours a month"


def _cells(found: _Found, cell: Callable[[Figures], str]) -> tuple[str, ...]:
    return tuple(_UNKNOWN if one is None else cell(one) for one in found)


def _money(amount: Decimal | None) -> str:
    return _UNKNOWN if amount is None else money(cents(amount))


def _fine(amount: Decimal | None) -> str:
    return _UNKNOWN if amount is None else f"${amount:,.3f}"


def _tonnes(tonnes: Decimal | None) -> str:
    return _UNKNOWN if tonnes is None else f"{tonnes:,.0f}"


def _days(days: Decimal | None) -> str:
    return _UNKNOWN if days is None else f"{days:,.2f}"


def _rows_egress(found: Egress | NotKnown | None) -> str:
    if found is None or isinstance(found, NotKnown):
        return "not priced"
    return at_least(found.usd, complete=found.complete)

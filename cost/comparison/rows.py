"""The figures of the columns as rows, and their basis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.comparison.figures import FLOW_DAYS, TF32_TFLOPS, Ask, Figures
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, cents
from gpucluster.cost.pricing.money import at_least, money
from gpucluster.cost.pricing.transfer import Egress

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
        yield "move_out", f"moving {size} out", _cells(found, lambda one: _egress(one.moved))
    if ask.flow_gbps is not None:
        label = f"{ask.flow_gbps.normalize():,f} Gb/s out, {FLOW_DAYS:f} days"
        yield "flow_out", label, _cells(found, lambda one: _egress(one.flow))


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


def _egress(found: Egress | NotKnown | None) -> str:
    if found is None or isinstance(found, NotKnown):
        return "not priced"
    return at_least(found.usd, complete=found.complete)

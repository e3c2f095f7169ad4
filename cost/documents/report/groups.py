"""Chargeback as a table and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.documents.report.shape import GroupingShape, GroupShape
from gpucluster.cost.documents.words.basis import basis
from gpucluster.cost.documents.words.plain import amounts_json
from gpucluster.cost.documents.words.unpriced import known_json
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Group, Grouping
from gpucluster.cost.model import CostLine
from gpucluster.cost.money import how_known, money, percent, ranged
from gpucluster.cost.render.layout import WIDEST, Layout

_AMOUNT: Final = 21


def groups_table(found: Grouping, estimate: Estimate, title: str = "Cost", width: int = WIDEST) -> str:
    """Each group with its components, most expensive first, its sum and its share; then the total of the report."""
    layout, total = Layout(width), estimate.monthly
    heading = f"{title} by {found.label}: {basis(estimate)}"
    out = [*layout.under("", heading), "", f"{'':<{width - _AMOUNT}}{'$/month':>{_AMOUNT}}"]
    for group in found.groups:
        if rows := list(_rows(group, total.expected, layout)):
            out += [group.value, *rows, ""]
    out += layout.total("Total per month", ranged(total.expected, estimate.gaps.expected))
    if total.varies:
        floor, ceiling = ranged(total.floor, estimate.gaps.floor), ranged(total.ceiling, estimate.gaps.ceiling)
        out.append(f"  floor {floor}, ceiling {ceiling}")
    if not estimate.complete:
        if total.expected:
            out += layout.total("  of which priced", money(total.expected))
        known = how_known(total.expected, estimate.gaps.expected)
        out += layout.under("", f"{known}; see gpucluster cost report")
    return "\n".join(out)


def _rows(group: Group, total: Decimal, layout: Layout) -> Iterator[str]:
    """Rows of one group; none for usage assumed to be zero."""
    parts, monthly = _parts(group.lines), group.monthly
    if not parts and group.complete:
        return
    for name, amount in parts:
        yield from layout.total(f"├─ {name}", money(amount))
    share = f", {percent(monthly.expected / total)} of the total" if total else ""
    if monthly.expected or group.complete:  # unpriced items never read as zero
        yield from layout.total(f"└─ subtotal{share}", money(monthly.expected))
    if not group.complete:
        yield from layout.total("└─ including unpriced items", ranged(monthly.expected, group.gap))
    if monthly.varies:
        ceiling = ranged(monthly.ceiling, group.ceiling_gap)
        yield f"     floor {money(monthly.floor)}, ceiling {ceiling}"
    if group.committed_monthly:
        yield from layout.under("     ", f"of which committed elsewhere {money(group.committed_monthly)}")


def groups_json(found: Grouping) -> GroupingShape:
    """The groups as in `gpucluster cost report --format json`."""
    return {"label": found.label, "groups": [_group(group) for group in found.groups]}


def _group(group: Group) -> GroupShape:
    return {
        "value": group.value,
        "complete": group.complete,
        "known": known_json(group.monthly.expected, group.gap),
        "lines": len(group.lines),
        "monthly": amounts_json(group.monthly),
        "committed_elsewhere_monthly": f"{group.committed_monthly:f}",
        "parts": {name: f"{amount:f}" for name, amount in _parts(group.lines)},
    }


def _parts(lines: tuple[CostLine, ...]) -> list[tuple[str, Decimal]]:
    """(component, its expected amount in this group), most expensive first, without usage assumed to be zero."""
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.part] = sums.get(line.part, Decimal(0)) + line.monthly
    autoscaled = {line.part for line in lines if line.autoscaled}
    kept = [(name, amount) for name, amount in sums.items() if amount or name in autoscaled]
    return sorted(kept, key=lambda item: (-item[1], item[0]))

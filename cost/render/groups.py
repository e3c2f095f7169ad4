"""Chargeback as a table and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.grouping import Group, Grouping
from gpucluster.cost.model import CostLine
from gpucluster.cost.money import at_least, money, percent
from gpucluster.cost.render.json import amounts_json
from gpucluster.cost.render.layout import WIDEST, Layout

__all__ = ["groups_json", "groups_table"]

_AMOUNT: Final = 21


def groups_table(found: Grouping, estimate: Estimate, title: str = "Cost", width: int = WIDEST) -> str:
    """Each group with its components, the dearest first, its sum and its share; then the total of the report."""
    layout, total = Layout(width), estimate.monthly
    heading = f"{title} by {found.label}: list prices in USD, before tax, discounts, support and data transfer"
    out = [*layout.under("", heading), "", f"{'':<{width - _AMOUNT}}{'$/month':>{_AMOUNT}}"]
    for group in found.groups:
        if rows := list(_rows(group, total.expected, layout)):
            out += [group.value, *rows, ""]
    out += layout.total("Total per month", at_least(total.expected, complete=estimate.complete))
    if total.varies:
        floor, ceiling = (at_least(amount, complete=estimate.complete) for amount in (total.floor, total.ceiling))
        out.append(f"  floor {floor}, ceiling {ceiling}")
    if not estimate.complete:
        out += layout.under("", f"{len(estimate.not_priced)} not priced, not in the total; see gpucluster cost report")
    return "\n".join(out)


def _rows(group: Group, total: Decimal, layout: Layout) -> Iterator[str]:
    """Rows of one group; none for usage that is taken as zero."""
    parts, monthly = _parts(group.lines), group.monthly
    if not parts and group.complete:
        return
    for name, amount in parts:
        yield from layout.total(f"├─ {name}", money(amount))
    share = f", {percent(monthly.expected / total)} of the total" if total else ""
    yield from layout.total(f"└─ subtotal{share}", at_least(monthly.expected, complete=group.complete))
    if monthly.varies:
        ceiling = at_least(monthly.ceiling, complete=group.complete)
        yield f"     floor {money(monthly.floor)}, ceiling {ceiling}"
    if group.committed_monthly:
        yield from layout.under("     ", f"of it committed elsewhere {money(group.committed_monthly)}")


def groups_json(found: Grouping) -> dict[str, Any]:
    """The groups as `gpucluster cost report --format json` has them."""
    return {"label": found.label, "groups": [_group(group) for group in found.groups]}


def _group(group: Group) -> dict[str, Any]:
    return {
        "value": group.value,
        "complete": group.complete,
        "lines": len(group.lines),
        "monthly": amounts_json(group.monthly),
        "committed_elsewhere_monthly": f"{group.committed_monthly:f}",
        "parts": {name: f"{amount:f}" for name, amount in _parts(group.lines)},
    }


def _parts(lines: tuple[CostLine, ...]) -> list[tuple[str, Decimal]]:
    """(component, its expected amount in this group), the dearest first; usage that is taken as zero left out."""
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.part] = sums.get(line.part, Decimal(0)) + line.monthly
    autoscaled = {line.part for line in lines if line.autoscaled}
    kept = [(name, amount) for name, amount in sums.items() if amount or name in autoscaled]
    return sorted(kept, key=lambda item: (-item[1], item[0]))

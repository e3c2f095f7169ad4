"""Charts as scalable drawings: text is beside them, never in them, so that it has the same size on every screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.cost.gap import Gaps
from gpucluster.cost.model import Amounts, Unbounded
from gpucluster.cost.money import money, ranged
from gpucluster.cost.render.html.page import safe

_STYLES: Final = 6


@dataclass(frozen=True, slots=True)
class Bar:
    """A name, the length of its bar, and the text after it. size None: no bar, for an unknown amount."""

    name: str
    size: Decimal | None
    amount: str
    share: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a range. `budget` is drawn as a separate line."""

    name: str
    value: Decimal | Unbounded
    shown: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A straight line from `start` at 0 to `end` at 1, its intersection with the first one, and its label."""

    name: str
    start: Decimal
    end: Decimal
    meets: Decimal | None = None


def figure(name: str, heading: str, words: str, drawing: str) -> str:
    """A chart with its heading and a description in words. name: its id."""
    caption = f'<figcaption><h2>{safe(heading)}</h2><p class="quiet" id="{name}-words">{safe(words)}</p></figcaption>'
    return f'<figure id="{name}" aria-describedby="{name}-words">\n{caption}\n{drawing}\n</figure>'


def bars(rows: Sequence[Bar], most: Decimal | None = None) -> str:
    """One bar per item, its length relative to `most`, or else to the largest."""
    most = most or max((row.size for row in rows if row.size), default=Decimal(1))
    shares = any(row.share for row in rows)
    listed = "\n".join(_bar(row, most, shares=shares) for row in rows)
    return f'<ul class="bars{" shares" if shares else ""}">\n{listed}\n</ul>'


def _bar(row: Bar, most: Decimal, *, shares: bool) -> str:
    width = 0 if row.size is None else row.size / most * 100
    drawn = f'<rect class="track" width="100" height="1"/><rect class="bar" width="{width:.2f}" height="1"/>'
    label = safe(f"{row.name}: {row.amount}")
    svg = f'<svg role="img" aria-label="{label}" viewBox="0 0 100 1" preserveAspectRatio="none">{drawn}</svg>'
    note = f'<span class="note">{safe(row.note)}</span>' if row.note else ""
    share = f'<span class="share">{safe(row.share)}</span>' if shares else ""
    return f'<li><span>{safe(row.name)}</span>{svg}<span class="amount">{safe(row.amount)}</span>{share}{note}</li>'


def marks(amounts: Amounts, gaps: Gaps) -> tuple[Mark, Mark, Mark]:
    """Floor, expected and ceiling."""
    return (
        Mark("Floor", amounts.floor, ranged(amounts.floor, gaps.floor)),
        Mark("Expected", amounts.expected, ranged(amounts.expected, gaps.expected)),
        Mark("Ceiling", amounts.ceiling, ranged(amounts.ceiling, gaps.ceiling)),
    )


def span(
    floor: Mark, expected: Mark, ceiling: Mark, budget: Mark | None, label: str, *, scale: Decimal | None = None
) -> str:
    """One bar from zero to the maximum: full up to the floor, lighter up to the ceiling, ticks at the other marks.

    scale: amount of the full width, to compare several bars.
    """
    known = [mark.value for mark in (floor, expected, ceiling, budget) if mark and not isinstance(mark.value, str)]
    most = scale or max(known, default=Decimal(0)) or Decimal(1)
    if isinstance(ceiling.value, str):
        most *= Decimal("1.15")  # the bar continues to the edge: it has no end

    def at(mark: Mark) -> Decimal:
        return Decimal(100) if isinstance(mark.value, str) else mark.value / most * 100

    parts = [
        '<rect class="track" y="3" width="100" height="9"/>',
        f'<rect class="bar-2" y="3" width="{at(ceiling):.2f}" height="9"/>',
        f'<rect class="bar" y="3" width="{at(floor):.2f}" height="9"/>',
        _tick(at(expected), 1, 13),
        *([_tick(at(budget), 0, 15)] if budget else []),
    ]
    svg = (
        f'<svg role="img" aria-label="{safe(label)}" viewBox="0 0 100 15" preserveAspectRatio="none">'
        f"{''.join(parts)}</svg>"
    )
    listed = "".join(
        f"<div><dt>{safe(mark.name)}</dt><dd>{safe(mark.shown)}</dd></div>"
        for mark in (floor, expected, ceiling, budget)
        if mark
    )
    return f'<div class="range">{svg}<dl>{listed}</dl></div>'


def _tick(at: Decimal, top: int, height: int) -> str:
    left = min(max(at - Decimal("0.2"), Decimal(0)), Decimal("99.6"))
    return f'<rect class="tick" x="{left:.2f}" y="{top}" width="0.4" height="{height}"/>'


def curves(found: Sequence[Curve], *, ends: tuple[str, str], label: str) -> str:
    """Straight lines over a share from 0 to 1, with a legend; a line down to the axis where they meet the first."""
    most = max((max(curve.start, curve.end) for curve in found), default=Decimal(0)) or Decimal(1)

    def y(value: Decimal) -> str:
        return f"{100 - value / most * 100:.2f}"

    drawn = ['<path class="frame" d="M0 0V100H100"/>']
    for number, curve in enumerate(found):
        style = f"s{number % _STYLES + 1}"
        drawn.append(f'<path class="{style}" d="M0 {y(curve.start)}L100 {y(curve.end)}"/>')
        if curve.meets is not None and 0 <= curve.meets <= 1:
            height = curve.start + (curve.end - curve.start) * curve.meets
            drawn.append(f'<path class="meet {style}" d="M{curve.meets * 100:.2f} {y(height)}V100"/>')
    svg = (
        f'<svg role="img" aria-label="{safe(label)}" viewBox="0 0 100 100" preserveAspectRatio="none">'
        f"{''.join(drawn)}</svg>"
    )
    legend = "".join(_entry(number, curve) for number, curve in enumerate(found))
    return (
        f'<div class="plot"><span class="high">{safe(money(most))}</span><span class="low">$0</span>{svg}'
        f'<div class="ends"><span>{safe(ends[0])}</span><span>{safe(ends[1])}</span></div></div>'
        f'<ul class="legend">{legend}</ul>'
    )


def _entry(number: int, curve: Curve) -> str:
    drawn = f'<path class="s{number % _STYLES + 1}" d="M0 4H36"/>'
    svg = f'<svg aria-hidden="true" viewBox="0 0 36 8" preserveAspectRatio="none">{drawn}</svg>'
    return f"<li>{svg}<span>{safe(curve.name)}</span></li>"

"""Bus bandwidth over payload as an SVG drawing, one line a run, with the line that a ring must reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from acceptance.measured import Payload
from acceptance.verdicts.fabric import size_words

__all__ = ["Curve", "bandwidth_chart"]

_WIDTH: Final = 720
_HEIGHT: Final = 300
_LEFT: Final = 56
_BOTTOM: Final = 40
_TOP: Final = 16
_RIGHT: Final = 16


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run. name: what stands in the legend."""

    name: str
    payloads: Sequence[Payload]


def bandwidth_chart(curves: Sequence[Curve], *, must_reach: float | None) -> str:
    """SVG; empty where no curve has a point. must_reach: GB/s. Payloads stand on a logarithmic axis."""
    points = [payload for curve in curves for payload in curve.payloads if payload.size > 0]
    if not points:
        return ""
    sizes = [math.log2(payload.size) for payload in points]
    first, last = min(sizes), max(max(sizes), min(sizes) + 1)
    top = _round_up(max([payload.bus_gb_per_s for payload in points] + ([must_reach] if must_reach else [])))

    def x(size: int) -> float:
        return _LEFT + (math.log2(size) - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def y(speed: float) -> float:
        return _HEIGHT - _BOTTOM - speed / top * (_HEIGHT - _BOTTOM - _TOP)

    grid = [_grid(y(top * step / 4), f"{top * step / 4:,.0f}") for step in range(5)]
    ticks = [_tick(x(2**power), size_words(2**power)) for power in _powers(first, last)]
    lines = [
        _curve(index, curve, [(x(p.size), y(p.bus_gb_per_s)) for p in _sorted(curve)])
        for index, curve in enumerate(curves)
    ]
    limit = "" if must_reach is None else _limit(y(must_reach), must_reach)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(_words(curves, must_reach))}">'
        f"{''.join(grid)}{''.join(ticks)}{limit}{''.join(lines)}"
        f'<text class="axis" x="{_LEFT}" y="{_TOP - 4}">GB/s of bus bandwidth</text></svg>'
    )


def _sorted(curve: Curve) -> list[Payload]:
    return sorted((payload for payload in curve.payloads if payload.size > 0), key=lambda payload: payload.size)


def _curve(index: int, curve: Curve, points: Sequence[tuple[float, float]]) -> str:
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    dots = "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in points)
    return f'<g class="curve c{index % 6}"><title>{escape(curve.name)}</title><polyline points="{path}"/>{dots}</g>'


def _grid(at: float, label: str) -> str:
    return (
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        f'<text class="axis end" x="{_LEFT - 6}" y="{at + 4:.1f}">{label}</text>'
    )


def _tick(at: float, label: str) -> str:
    return f'<text class="axis middle" x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 18}">{label}</text>'


def _limit(at: float, speed: float) -> str:
    return (
        f'<line class="limit" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        f'<text class="axis end" x="{_WIDTH - _RIGHT}" y="{at - 5:.1f}">a ring must reach {speed:,.0f}</text>'
    )


def _powers(first: float, last: float) -> range:
    """At most about eight labels."""
    step = max(1, math.ceil((last - first) / 8))
    return range(math.ceil(first), math.floor(last) + 1, step)


def _round_up(value: float) -> float:
    """The next 1, 2, 4 or 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 4, 8, 10) if step * power >= value)


def _words(curves: Sequence[Curve], must_reach: float | None) -> str:
    """What the drawing shows, for who can't see it."""
    each = [
        f"{curve.name}: {max(payload.bus_gb_per_s for payload in curve.payloads):,.1f} GB/s at most"
        for curve in curves
        if curve.payloads
    ]
    wanted = f"; a ring must reach {must_reach:,.0f} GB/s" if must_reach else ""
    return f"Bus bandwidth over payload. {'; '.join(each)}{wanted}"

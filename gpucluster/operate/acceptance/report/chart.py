"""Bus bandwidth by payload as an SVG drawing: one line per run, and in its colour its required minimum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from gpucluster.operate.acceptance.measurements import Payload
from gpucluster.operate.acceptance.verdicts.fabric import size_words

COLOURS: Final = 6
"""Colours of curves, by their classes c0, c1, ...; further curves reuse them."""

_WIDTH: Final = 720
_HEIGHT: Final = 300
_LEFT: Final = 56
_BOTTOM: Final = 40
_TOP: Final = 16
_RIGHT: Final = 16
_TEXT: Final = 13


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run. name: in the legend. wanted: required GB/s, None if unknown; wanted_by: the source of the
    requirement.
    """

    name: str
    payloads: Sequence[Payload]
    wanted: float | None = None
    wanted_by: str = ""


def bandwidth_chart(curves: Sequence[Curve]) -> str:
    """SVG; empty if no curve has a point. The payload axis is logarithmic."""
    points = [payload for curve in curves for payload in curve.payloads if payload.size > 0]
    if not points:
        return ""
    sizes = [math.log2(payload.size) for payload in points]
    first, last = min(sizes), max(max(sizes), min(sizes) + 1)
    limits = _limits(curves)
    top = _round_up(max([*(payload.bus_gb_per_s for payload in points), *(limit.speed for limit in limits)]))

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
    heights = _apart([y(limit.speed) for limit in limits])
    drawn = [_limit_line(y(limit.speed), height, limit) for limit, height in zip(limits, heights, strict=True)]
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(_words(curves))}">'
        f"{''.join(grid)}{''.join(ticks)}{''.join(drawn)}{''.join(lines)}"
        f'<text class="axis" x="{_LEFT}" y="{_TOP - 4}">GB/s of bus bandwidth</text></svg>'
    )


def _sorted(curve: Curve) -> list[Payload]:
    return sorted((payload for payload in curve.payloads if payload.size > 0), key=lambda payload: payload.size)


def _curve(index: int, curve: Curve, points: Sequence[tuple[float, float]]) -> str:
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
    dots = "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in points)
    return (
        f'<g class="curve c{index % COLOURS}"><title>{escape(curve.name)}</title><polyline points="{path}"/>{dots}</g>'
    )


def _grid(at: float, label: str) -> str:
    return (
        f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        f'<text class="axis end" x="{_LEFT - 6}" y="{at + 4:.1f}">{label}</text>'
    )


def _tick(at: float, label: str) -> str:
    return f'<text class="axis middle" x="{at:.1f}" y="{_HEIGHT - _BOTTOM + 18}">{label}</text>'


@dataclass(frozen=True, kw_only=True)
class _Limit:
    """The requirement of one or several runs. of: the index of the run, None for several."""

    speed: float
    wanted_by: str
    of: int | None

    @property
    def words(self) -> str:
        return f"{self.wanted_by}: {self.speed:,.0f}"


def _limits(curves: Sequence[Curve]) -> list[_Limit]:
    """One for each speed, the highest first."""
    runs: dict[float, list[int]] = {}
    for index, curve in enumerate(curves):
        if curve.wanted is not None:
            runs.setdefault(curve.wanted, []).append(index)
    found = [
        _Limit(
            speed=speed,
            wanted_by=" and ".join(dict.fromkeys(curves[index].wanted_by for index in of)),
            of=of[0] if len(of) == 1 < len(curves) else None,
        )
        for speed, of in runs.items()
    ]
    return sorted(found, key=lambda limit: -limit.speed)


def _apart(heights: Sequence[float]) -> list[float]:
    """Heights of the labels of lines, from the top down, each at least a line of text below the previous one."""
    placed: list[float] = []
    for height in heights:
        placed.append(max(height - 5, placed[-1] + _TEXT) if placed else height - 5)
    return placed


def _limit_line(at: float, words_at: float, limit: _Limit) -> str:
    colour = "" if limit.of is None else f" c{limit.of % COLOURS}"
    return (
        f'<line class="limit{colour}" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        f'<text class="axis end" x="{_WIDTH - _RIGHT}" y="{words_at:.1f}">{escape(limit.words)}</text>'
    )


def _powers(first: float, last: float) -> range:
    """Exponents for at most about eight labels."""
    step = max(1, math.ceil((last - first) / 8))
    return range(math.ceil(first), math.floor(last) + 1, step)


def _round_up(value: float) -> float:
    """The next 1, 2, 4 or 8 times a power of ten."""
    power = 10 ** math.floor(math.log10(value)) if value > 0 else 1
    return next(step * power for step in (1, 2, 4, 8, 10) if step * power >= value)


def _words(curves: Sequence[Curve]) -> str:
    """A text description of the drawing, for screen readers."""
    each = [_curve_words(curve) for curve in curves if curve.payloads]
    return f"Bus bandwidth over payload. {'; '.join(each)}"


def _curve_words(curve: Curve) -> str:
    best = max(payload.bus_gb_per_s for payload in curve.payloads)
    wanted = "" if curve.wanted is None else f" ({curve.wanted_by}: {curve.wanted:,.0f})"
    return f"{curve.name}: {best:,.1f} GB/s at most{wanted}"

"""Charts of a page: their numbers. Templates draw them; text is beside them, never in them, so that it has the same
size on every screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal


@dataclass(frozen=True, slots=True)
class Bar:
    """A name, the length of its bar, and the text after it. size None: no bar, for an unknown amount.

    most: upper end of a range, to which a lighter bar continues. tone: `warn` or `bad`, else the usual colour.
    """

    name: str
    size: Decimal | None
    amount: str
    share: str = ""
    note: str = ""
    most: Decimal | None = None
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """One bar per item, its length relative to `most`, or else to the largest."""

    rows: Sequence[Bar]
    scale: Decimal | None = None
    kind: str = "bars"

    @property
    def most(self) -> Decimal:
        """The amount of the full width."""
        return self.scale or max((end for row in self.rows for end in (row.size, row.most) if end), default=Decimal(1))

    @property
    def shares(self) -> bool:
        """Whether there is a column for shares."""
        return any(row.share for row in self.rows)

    @property
    def text(self) -> str:
        """The bars in a sentence: all of them if few, else the first ones."""
        if not self.rows:
            return "Nothing here has a cost."
        shown = [f"{row.name} {row.amount}{f' ({row.share})' if row.share else ''}" for row in self.rows[:4]]
        more = len(self.rows) - len(shown)
        return f"{', '.join(shown)}{f', and {more} more' if more > 0 else ''}."


@dataclass(frozen=True, slots=True)
class Mark:
    """A point of a range."""

    name: str
    value: Decimal | Literal["unbounded"]
    shown: str


@dataclass(frozen=True, slots=True)
class Range:
    """One bar from zero to the maximum: full up to the floor, lighter up to the ceiling, ticks at the other marks.

    scale: amount of the full width, to compare several bars.
    """

    floor: Mark
    expected: Mark
    ceiling: Mark
    budget: Mark | None
    label: str
    scale: Decimal | None = None
    kind: str = "range"

    @property
    def marks(self) -> list[Mark]:
        """All of them."""
        return [mark for mark in (self.floor, self.expected, self.ceiling, self.budget) if mark]

    def at(self, mark: Mark) -> Decimal:
        """Its position in percent of the width. Without a bound the bar continues to the edge."""
        if isinstance(mark.value, str):
            return Decimal(100)
        known = [one.value for one in self.marks if not isinstance(one.value, str)]
        most = self.scale or max(known, default=Decimal(0)) or Decimal(1)
        return mark.value / (most if self.ceiling.value != "unbounded" else most * Decimal("1.15")) * 100


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points (x from 0 to 1, amount), with its label.

    meets: a point from which a line goes down to the axis. of: number of the curve whose limit it is, -1 for a limit of
    several; None for no limit. dots: whether its points are marked.
    """

    name: str
    points: Sequence[tuple[float, float]]
    meets: tuple[float, float] | None = None
    of: int | None = None
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over one axis, with a legend. ticks: (x, text) on the axis; ends: texts of 0 and of the top; scale: the
    amount at the top, else the largest.
    """

    rows: Sequence[Curve]
    ticks: Sequence[tuple[float, str]]
    ends: tuple[str, Callable[[float], str]]
    label: str
    scale: float | None = None
    kind: str = "curves"

    @property
    def most(self) -> float:
        """The amount at the top."""
        return self.scale or max((y for curve in self.rows for _, y in curve.points), default=0) or 1

    @property
    def top(self) -> str:
        """The same for readers."""
        return self.ends[1](self.most)


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart of a figure. heading, text: above it, if any. notes: below it, with their heading."""

    chart: Bars | Range | Curves
    heading: str = ""
    text: str = ""
    notes: tuple[str, Sequence[str]] = ("", ())


@dataclass(frozen=True, slots=True)
class Figure:
    """Charts under a heading, with a description. name: its id. choice: whether one panel is visible at a
    time.
    """

    name: str
    heading: str
    text: str
    panels: Sequence[Panel]
    choice: bool = False


def figure(name: str, heading: str, text: str, chart: Bars | Range | Curves) -> Figure:
    """A figure of one chart."""
    return Figure(name, heading, text, [Panel(chart)])

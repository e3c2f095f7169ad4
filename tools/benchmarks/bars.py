"""One measured number and its limit."""

from __future__ import annotations

from dataclasses import dataclass

RUNS = 9
"""Number of runs for every median; they are interleaved, so that a busy machine slows all cases alike."""


@dataclass(frozen=True)
class Bar:
    """what: the case, and its baseline. found, most: a ratio, or seconds (unit "s"), or a count."""

    what: str
    found: float
    most: float
    unit: str = "x"

    @property
    def kept(self) -> bool:
        return self.found <= self.most


def report(bars: list[Bar]) -> int:
    """Print every bar; 1 if one is missed, else 0."""
    print(f"{'':<66} {'found':>9}   {'bar':>9}")
    for bar in bars:
        mark = "kept" if bar.kept else "MISSED"
        print(f"{bar.what:<66} {bar.found:>7.3f} {bar.unit:<1} <= {bar.most:>6g} {bar.unit:<1}  {mark}")
    missed = sum(not bar.kept for bar in bars)
    print(f"{len(bars) - missed} of {len(bars)} bars kept")
    return 1 if missed else 0

"""Finds the lines of a report that a user asks about."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from gpucluster.core.program.resources import urn_name
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.model import CostLine, Free, NotPriced
from gpucluster.errors import InputError


class NoSuchLine(InputError):
    """The report has no such line or resource; the message lists the available ones."""


@dataclass(frozen=True, slots=True)
class Explained:
    """Lines with their number in the report, and the free and unpriced items of the same resource."""

    lines: tuple[tuple[int, CostLine], ...] = ()
    free: tuple[Free, ...] = ()
    not_priced: tuple[NotPriced, ...] = ()


def explain(estimate: Estimate, asked: str) -> Explained:
    """A line by its number, from 1, or everything of a resource by its name or URN.

    Raises NoSuchLine.
    """
    numbered = tuple(enumerate(estimate.lines, 1))

    def called(urn: str) -> bool:
        return asked in (urn, urn_name(urn))

    found = Explained(
        tuple((number, line) for number, line in numbered if called(line.urn)),
        tuple(item for item in estimate.free if called(item.urn)),
        tuple(item for item in estimate.not_priced if called(item.urn)),
    )
    if found != Explained():
        return found
    if asked.isdecimal() and 1 <= int(asked) <= len(numbered):
        return Explained((numbered[int(asked) - 1],))
    raise NoSuchLine(_missing(estimate, asked))


def _missing(estimate: Estimate, asked: str) -> str:
    count = len(estimate.lines)
    if not count and not estimate.free and not estimate.not_priced:
        return f"{asked!r}: the report has no line"
    names = sorted({urn_name(item.urn) for item in (*estimate.lines, *estimate.free, *estimate.not_priced)})
    if asked.lstrip("-").isdecimal():
        return f"{asked!r} is not a line; write a number from 1 to {count:,}, or the name of a resource"
    near = difflib.get_close_matches(asked, names, n=3, cutoff=0.5)
    priced = dict.fromkeys(urn_name(line.urn) for line in estimate.lines)
    hint = f"did you mean {' or '.join(near)}?" if near else f"most expensive: {', '.join(list(priced)[:5])}"
    return f"{asked!r} is not a resource of the report; write its name, or a line's number from 1 to {count:,}; {hint}"

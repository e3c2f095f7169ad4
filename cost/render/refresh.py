"""What a refresh of the price book found, as a table and for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from gpucluster.cost.prices import PriceRow
from gpucluster.cost.prices.live.refresh import Answer
from gpucluster.cost.render.json import SCHEMA_VERSION
from gpucluster.cost.render.layout import WIDEST, Layout

__all__ = ["refresh_json", "refresh_table"]

_MARKS = {"doubt": "!", "new": "+", "changed": "~"}


def refresh_table(answers: Sequence[Answer], not_asked: Sequence[str], width: int = WIDEST) -> str:
    """A line for each price that is new, changed or in doubt, and how many there are of the rest.

    not_asked: SKUs that no live list is asked for.
    """
    layout = Layout(width)
    out = [line for answer in answers if answer.kind in _MARKS for line in layout.wrapped(*_line(answer))]
    counts = Counter(answer.kind for answer in answers)
    stay = f"{counts['same']:,} stay and get a new date"
    total = f"{counts['changed']:,} prices change (~), {stay}, {counts['new']:,} are new (+), "
    out += ["", *layout.under("", f"{total}{counts['doubt']:,} in doubt (!)")] if out else layout.under("", f"{stay}")
    if counts["absent"]:
        out += layout.under("", f"{counts['absent']:,} were looked for and are not sold there")
    if not_asked:
        out += layout.under("", f"Not asked for, no live list is known: {', '.join(not_asked)}")
    return "\n".join(out)


def _line(answer: Answer) -> tuple[str, str]:
    mark = _MARKS[answer.kind]
    if answer.doubt:
        return mark, f"{answer.wanted}: {answer.doubt}"
    return mark, f"{answer.wanted}: {'; '.join(_steps(answer))}"


def _steps(answer: Answer) -> Iterator[str]:
    before = {row.tier: row for row in answer.wanted.rows}
    after = {row.tier: row for row in answer.rows}
    for tier in sorted(before.keys() | after.keys()):
        old, new = before.get(tier), after.get(tier)
        name = f"tier {tier}: " if len(after) > 1 or len(before) > 1 else ""
        if old is None or new is None:
            yield f"{name}{_price(old)} -> {_price(new)}" if old or not name else f"{name}{_price(new)}"
        elif old.usd_per_unit != new.usd_per_unit:
            share = f", {new.usd_per_unit / old.usd_per_unit - 1:+.1%}" if old.usd_per_unit else ""
            yield f"{name}{_price(old)} ({old.as_of}) -> {_price(new)} ({new.as_of}){share}"


def _price(row: PriceRow | None) -> str:
    return "none" if row is None else f"${row.usd_per_unit:f}"


def refresh_json(answers: Sequence[Answer], not_asked: Sequence[str], *, written: bool) -> dict[str, Any]:
    """The same for machines; money is text. written: whether the book holds it now."""
    return {
        "schema_version": SCHEMA_VERSION,
        "currency": "USD",
        "written": written,
        "prices": [
            {
                "provider": answer.wanted.provider,
                "region": answer.wanted.region,
                "sku": answer.wanted.query.sku,
                "unit": answer.wanted.query.unit,
                "purchase": answer.wanted.query.purchase,
                "term": answer.wanted.query.term,
                "outcome": answer.kind,
                "doubt": answer.doubt or None,
                "before": [_row(row) for row in answer.wanted.rows],
                "after": [_row(row) for row in answer.rows],
            }
            for answer in answers
        ],
        "not_asked": list(not_asked),
    }


def _row(row: PriceRow) -> dict[str, Any]:
    return {"tier": row.tier, "usd_per_unit": f"{row.usd_per_unit:f}", "as_of": row.as_of, "source": row.source}

"""`gpucluster cost compare` as a page: a column a stack, what each costs, by part, and what each is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.comparison import Column, Comparison
from gpucluster.cost.model import Amounts
from gpucluster.cost.money import at_least, money
from gpucluster.cost.render.comparison_rows import Section, remarks, sections
from gpucluster.cost.render.html.charts import Bar, bars, figure, marks, span
from gpucluster.cost.render.html.page import items, page, safe, scrolling

__all__ = ["comparison_page"]


def comparison_page(found: Comparison) -> str:
    """The whole page."""
    return page(f"Cost of {', '.join(column.title for column in found.columns)}", _body(found))


def _body(found: Comparison) -> Iterator[str]:
    yield "<header>\n<h1>The same cluster, side by side</h1>"
    yield '<p class="quiet">List prices in USD a month, before tax, discounts, support and data transfer.</p>'
    yield f"{_totals(found.columns)}\n</header>\n<main>"
    if found.ranking:
        yield _ranking(found)
    yield _whole(found.columns)
    yield _parts(found)
    for section in sections(found):
        yield f'<section class="long">\n<h2>{safe(section.heading)}</h2>\n{_table(section, found)}\n</section>'
    for heading, texts in remarks(found):
        yield f'<section class="long">\n<h2>{safe(heading)}</h2>\n{items(texts)}\n</section>'
    yield "</main>"


def _totals(columns: Sequence[Column]) -> str:
    listed = "".join(
        f"<div><dt>{safe(column.title)}, a month</dt>"
        f"<dd>{safe(at_least(column.estimate.monthly.expected, complete=column.estimate.complete))}</dd></div>"
        for column in columns
    )
    return f'<dl class="totals">{listed}</dl>'


def _ranking(found: Comparison) -> str:
    rows = [
        Bar(item.title, item.monthly, money(item.monthly), f"{item.times:f} x", f"rank {item.rank}")
        for item in found.ranking
    ]
    words = "The sum of the parts that every column prices: " + ", ".join(
        f"{item.title} {money(item.monthly)}" for item in found.ranking
    )
    return figure("ranking", "Parts priced in every column, a month", f"{words}.", bars(rows))


def _whole(columns: Sequence[Column]) -> str:
    """Every stack from floor to ceiling, all on one scale."""
    scale = max((_most(column.estimate.monthly) for column in columns), default=Decimal(0))
    drawn: list[str] = []
    said: list[str] = []
    for column in columns:
        monthly = column.estimate.monthly
        floor, expected, ceiling = marks(monthly, complete=column.estimate.complete)
        words = f"{column.title}: {expected.shown}"
        if monthly.varies:
            words += f", from {floor.shown} to {ceiling.shown}"
        said.append(words)
        drawn.append(f"<h3>{safe(column.title)}</h3>{span(floor, expected, ceiling, None, words, scale=scale)}")
    return figure("totals", "In total: floor, expected, ceiling", f"{'; '.join(said)}.", "\n".join(drawn))


def _most(monthly: Amounts) -> Decimal:
    return monthly.expected if isinstance(monthly.ceiling, str) else monthly.ceiling


def _parts(found: Comparison) -> str:
    blocks: list[str] = []
    most = max((amount for part in found.parts for amount in part.monthly if amount), default=Decimal(1))
    for part in found.parts:
        rows = [_bar(title, amount, unpriced=title in part.unpriced) for title, amount in _cells(found, part.monthly)]
        blocks.append(f"<h3>{safe(part.name)}</h3>{bars(rows, most)}")
    dearest = ", ".join(part.name for part in found.parts[:3])
    words = f"The dearest parts are {dearest}; the amounts stand behind their bars, all on one scale."
    return figure("parts", "By part, a month", words, "\n".join(blocks))


def _cells(found: Comparison, amounts: Sequence[Decimal | None]) -> Iterator[tuple[str, Decimal | None]]:
    for column, amount in zip(found.columns, amounts, strict=True):
        yield column.title, amount


def _bar(title: str, amount: Decimal | None, *, unpriced: bool) -> Bar:
    if amount is None:
        return Bar(title, None, "not priced" if unpriced else "not there")
    return Bar(title, amount, at_least(amount, complete=not unpriced) if amount or not unpriced else "not priced")


def _table(section: Section, found: Comparison) -> str:
    head = "".join(f'<th scope="col" class="number">{safe(column.title)}</th>' for column in found.columns)
    rows = "".join(
        f'<tr><th scope="row">{safe(label.strip())}</th>'
        + "".join(f'<td class="{"number" if _is_amount(cell) else "words"}">{safe(cell)}</td>' for cell in cells)
        + "</tr>"
        for label, cells in section.rows
    )
    return scrolling(f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>", section.heading)


def _is_amount(cell: str) -> bool:
    return cell.startswith(("$", "at least")) or cell.replace(",", "").replace(".", "").isdecimal()

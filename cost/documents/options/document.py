"""Purchase options for users: a table for each pool, remarks on it, and the sources of its prices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.documents.options.model import options_model
from gpucluster.cost.documents.options.remarks import prices, remarks
from gpucluster.cost.documents.options.rows import COLUMNS, options_rows
from gpucluster.cost.documents.options.tables import mix_table, way_table, zone_table
from gpucluster.cost.documents.options.unpriced import bound, why
from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.money import money, ranged
from gpucluster.cost.prices import OWN_ROW, PRICES_VARIABLE
from gpucluster.cost.purchasing import Options, PoolOptions
from gpucluster.cost.render.document import Block, Document, Heading, Notes

_HELD: Final = "In reservations, the same in every row and part of each amount"


def options_document(options: Options, title: str) -> Document:
    """The whole answer."""
    return Document(
        title=title,
        basis=_basis(options),
        blocks=lambda: _blocks(options),
        model=lambda: options_model(options),
        columns=COLUMNS,
        rows=lambda: options_rows(options),
    )


def _blocks(options: Options) -> Iterator[Block]:
    for found in options.pools:
        yield Heading(pool_heading(found, options))
        yield from _pool(found, options)
    if not options.pools:
        yield "No GPU machines with another way to buy"
    if options.held:
        yield Notes(_HELD, [*_held(options)])


def _pool(found: PoolOptions, options: Options) -> Iterator[Block]:
    yield way_table(found, options) if found.options else mix_table(found)
    if notes := [*([_rest(found)] if found.options else []), *remarks(found, options)]:
        yield Notes("", notes)
    if found.zones:
        yield zone_table(found)
    if found.not_priced:
        own = [f"{one.reason.own_row},..." for one in found.not_priced if one.reason.own_row]
        sentence = f"For prices of your own, --prices FILE or {PRICES_VARIABLE}=FILE, a CSV with"
        texts = [f"{one.words}: {why(one, found, options)}" for one in found.not_priced]
        brief = [f"{one.words}: {one.reason.reason}" for one in found.not_priced if not one.reason.own_row]
        # The rows to fill in contain the rest.
        named = [one for one in found.not_priced if one.reason.own_row]
        brief += [f"{one.words}: {bound(one, found, options)}" for one in named if one.ends is not None]
        if without := [one.words for one in named if one.ends is None]:
            brief.append("; ".join(without))
        yield Notes("Not priced", texts, [sentence, OWN_ROW, *own] if own else [], brief)
    yield Notes("Prices", [*prices(found)])


def _basis(options: Options) -> str:
    """The basis of every amount, and whether it includes support."""
    return f"list prices in USD, before tax, discounts and data transfer; {_support(options)}"


def _support(options: Options) -> str:
    if options.support is None:
        return "support not included: --support adds it"
    return f"with {options.support.plan} on an account that spends {money(options.account_usd)} a month elsewhere"


def _rest(found: PoolOptions) -> str:
    """The part of the stack's cost that is the same in each row."""
    amount = ranged(found.rest.expected, found.gap)
    return (
        f"the rest of the stack is {amount} a month in each row; paid before, paid by day and owed in all are "
        "for the machines only"
    )


def _held(options: Options) -> Iterator[str]:
    """Machines in reservations, and the cost of those bought elsewhere."""
    for held in options.held:
        line = held.line
        worth = f"; {money(line.monthly)} a month, committed elsewhere" if line.monthly else ""
        yield f"{held.name}: {line.name}{worth}"


def pool_heading(found: PoolOptions, options: Options) -> str:
    """The pool in one line."""
    pool = found.pool
    days = "" if options.days is None else f", needed for {plain(options.days)} days"
    count = plain(pool.count.expected) + (" on average" if pool.count.varies else "")
    bought = f"in the plan {purchase_words(pool.provider, pool.purchase)}"
    return f"{pool.name}: {count} x {pool.machine} in {pool.region}, {bought}{days}"

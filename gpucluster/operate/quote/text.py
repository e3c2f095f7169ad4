"""An answer in sentences and cells, shared by all formats."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.handlers.reserved_capacity import block_size
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money, ranged
from gpucluster.cost.pricing.terms import term_texts
from gpucluster.operate.quote.question import Question
from gpucluster.operate.quote.quotes import Answer, Quote

HEADS: Final = ("Cluster", "Total", "$/GPU-hour", "Gb/s", "High", "Price of")

_GROUPS: Final = 12
"""Number of reasons shown; the others are counted."""


@dataclass(frozen=True)
class Numbered:
    """A quote with the number that `--pick` accepts."""

    number: int
    quote: Quote


def numbered(answer: Answer, top: int) -> list[Numbered]:
    """The first quotes."""
    return [Numbered(at, quote) for at, quote in enumerate(answer.quotes[:top], 1)]


def heading(answer: Answer) -> str:
    """The question, and the basis of the amounts."""
    asked = answer.question
    gpus = ", ".join(name.upper() for name in asked.accelerators)
    if not answer.quotes:
        return f"{asked.gpus:,} x {gpus} for {asked.duration}: no cluster. {_prices(asked)}"
    some = min(answer.quotes, key=lambda quote: quote.candidate.fewer_spares)
    training = some.candidate.plan.training
    spares = f" and {training.spares} spare{'' if training.spares == 1 else 's'}" if training.spares else ""
    tib = some.candidate.values["storage"]["shared"]["usable_tib"]
    nodes = "a node of 8" if asked.nodes == 1 else f"{asked.nodes:,} nodes of 8"
    return (
        f"{asked.gpus:,} x {gpus} for {asked.duration}: {nodes}{spares}, {tib:,} TiB of shared "
        f"storage, network, control plane and metrics. {_prices(asked)}{_order(answer)}"
    )


def _order(answer: Answer) -> str:
    """The order of the rows, where a row with a lower amount may stand below another."""
    bounded = any(quote.gap.known != "complete" for quote in answer.quotes)
    return ". In order of the most that each can cost" if bounded else ""


def _prices(asked: Question) -> str:
    terms = {cloud: agreed for cloud, agreed in asked.terms.items() if cloud in asked.clouds}
    if not terms:
        return "List prices in USD, before tax, discounts, support and data transfer"
    return f"Prices in USD with {' and '.join(term_texts(terms))}; list prices otherwise, before tax and data transfer"


def what(quote: Quote) -> str:
    """Place, machine and purchase option."""
    one = quote.candidate
    return f"{one.cloud} {one.place['region']}, {one.machine.machine_type}, {one.words}"


def cells(row: Numbered) -> tuple[str, ...]:
    """One row, in the order of HEADS; the last is the oldest date of its machine prices."""
    quote = row.quote
    return (
        f"{row.number:>2} {what(quote)}",
        ranged(quote.total, quote.gap),
        ranged(quote.per_gpu_hour, quote.gap.times(1 / (Decimal(quote.gpus) * quote.hours))),
        f"{quote.candidate.machine.fabric_gbps:,}",
        f"{int(quote.high * 100)}%",
        quote.machine_prices[0][0],
    )


def missing(found: Estimate) -> list[str]:
    """Unpriced items, each once: by name in the price book, else by type."""
    named = (item.own_row.split(",")[2] if item.own_row else item.type for item in found.not_priced)
    return list(dict.fromkeys(named))


def sections(rows: Sequence[Numbered]) -> Iterator[tuple[str, list[str]]]:
    """(heading, texts) of remarks on these rows; shared texts are shown once."""
    for title, texts in (
        (
            "Prerequisites",
            [(row, [f"{row.quote.candidate.way.words}: {row.quote.candidate.way.needs}"]) for row in rows],
        ),
        ("Known problems", [(row, _against(row.quote)) for row in rows]),
        ("Spares", [(row, _spares(row.quote)) for row in rows]),
        ("Lost against the spec", [(row, list(row.quote.candidate.plan.facts.losses)) for row in rows]),
        ("Paid upfront", [(row, _upfront(row.quote)) for row in rows]),
        ("Without a price of their own here", [(row, _unpriced(row.quote.estimate)) for row in rows]),
    ):
        numbers: dict[str, list[int]] = {}
        for row, lines in texts:
            for text in lines:
                numbers.setdefault(text, []).append(row.number)
        if numbers:
            yield title, [f"{_numbers(of)}: {text}" for text, of in numbers.items()]


def left_out(answer: Answer) -> list[str]:
    """Exclusions by reason, those with the most places first."""
    places, ways = Counter[str](), dict[str, dict[str, None]]()
    for refusal, number in answer.refused.items():
        places[refusal.why] += number
        ways.setdefault(refusal.why, {})[refusal.way] = None
    lines = [
        f"{number} x {', '.join(filter(None, ways[why])) or 'every purchase option'}: {why}"
        for why, number in places.most_common(_GROUPS)
    ]
    rest = len(places) - len(lines)
    return [*lines, f"{rest} more reasons: --format json"] if rest > 0 else lines


def offered(answer: Answer, today: datetime.date) -> list[str]:
    """GPUs by the hour of other providers, each with its amount for the requested GPUs and time."""
    asked = answer.question
    gpus, hours = Decimal(asked.nodes * NODE_GPUS), Decimal(asked.hours)
    return [
        f"{offer.name}, {offer.fabric or 'no fabric stated'}: ${offer.usd:.2f} a GPU-hour, "
        f"{money(cents(offer.usd * gpus * hours))} for {gpus:,f} GPUs, as of {offer.row.as_of}"
        f"{' (over 90 days old)' if offer.old(today) else ''}"
        for offer in answer.offers
    ]


def empty(answer: Answer) -> str:
    """The condition that excluded everything."""
    asked = answer.question
    if not answer.places:
        where = f" in --regions {','.join(sorted(asked.places))}" if asked.places else ""
        return (
            f"No cluster: no table has a machine of 8 x {' or '.join(asked.accelerators).upper()} of "
            f"{', '.join(asked.clouds)}{where}. Ask for other regions, clouds or accelerators."
        )
    if answer.least_over is not None:
        return (
            f"No cluster: --budget {money(asked.budget or Decimal(0))} excludes all; the cheapest known total is "
            f"{money(answer.least_over)} for {asked.duration}."
        )
    return f"No cluster: {answer.places} places have the machines, but every purchase option is excluded."


def _numbers(of: Sequence[int]) -> str:
    """`1-4, 7`."""
    runs: list[list[int]] = []
    for number in of:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _against(quote: Quote) -> list[str]:
    one, rule = quote.candidate, quote.machine_bound
    bounded = f"{one.machine.machine_type} {one.way.words}: no price of its own here; bounded {rule}" if rule else ""
    return [text for text in (quote.hard_to_get, bounded, _half_used(quote)) if text]


def _half_used(quote: Quote) -> str:
    """A block that is larger than its nodes; with the price of the smaller one, if only spares need the larger."""
    training, line = quote.candidate.plan.training, quote.block
    if line is None or not line.idle:
        return ""
    nodes, held = Decimal(training.nodes + training.spares), line.machines
    text = f"{plain(nodes)} nodes need a block of {plain(held)}, of which {plain(held - nodes)} stay idle"
    smaller = block_size(Decimal(training.nodes))
    if smaller == held:
        return text
    fee, spares = line.upfront * smaller / held, smaller - training.nodes
    return (
        f"with {training.spares} spare{'' if training.spares == 1 else 's'}, {text}: {money(line.upfront)} upfront; "
        f"with {plain(spares) if spares else 'none'}, a block of {plain(smaller)} for {money(cents(fee))}"
    )


def _spares(quote: Quote) -> list[str]:
    spares, without = quote.candidate.plan.training.spares, quote.without_spares
    if without is None:
        return []
    more = f"{spares} spare{' costs' if spares == 1 else 's cost'} {money(quote.total - without)}"
    return [f"{more}; {ranged(without, quote.gap)} without"]


def _upfront(quote: Quote) -> list[str]:
    return [money(quote.estimate.upfront)] if quote.estimate.upfront else []


def _unpriced(found: Estimate) -> list[str]:
    names = missing(found)
    return [", ".join(names)] if names else []

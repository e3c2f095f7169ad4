"""`gpucluster init` at a terminal: asks for a stack of one cluster, with what is sold where and at which price.

All is written at the end: Ctrl-C or the end of input before that leaves no file.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click
from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.prompt import InvalidResponse, PromptBase
from rich.table import Table
from rich.text import Text

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of, missing_sdk
from gpucluster.components.planning.labels import LABEL_VALUE, REQUIRED_LABELS
from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.planning.planning import PlanError
from gpucluster.components.shared.machine_choice import shapes
from gpucluster.components.spec.access import PublicCidr
from gpucluster.components.spec.cluster import StackSpec
from gpucluster.components.spec.model import NAME
from gpucluster.components.stack.first_spec import EXAMPLE_RANGE
from gpucluster.components.stack.new_stack import NewStack, new_stack
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.text.terminal import beneath, working
from gpucluster.cost.prices import Price, PriceBook
from gpucluster.cost.pricing import plan_prices
from gpucluster.cost.pricing.money import money, ranged
from gpucluster.errors import InputError
from gpucluster.operate.quote.command import picked_spec
from gpucluster.operate.quote.market import places_of
from gpucluster.operate.quote.question import Question, question_of
from gpucluster.operate.quote.quotes import Quote, answer
from gpucluster.operate.quote.spec_values import budget_of
from gpucluster.operate.quote.text import left_out

_MOST_NODES: Final = 400
_LABELS: Final = {"project": "foundation-model", "environment": "trial"}
"""Labels with a value that fits most first clusters."""

_T = TypeVar("_T")
_Sold = Mapping[Machine, Mapping[str, tuple[str, ...]]]
"""Machine -> region -> the zones that list it, none if only the region is known."""


class _Prompt(PromptBase[Any]):
    """Asks again until `check` accepts the text."""

    check: Callable[[str], Any]

    def process_response(self, value: str) -> Any:
        try:
            return self.check(value.strip())
        except ValueError as error:
            raise InvalidResponse(Text(f"error: {error}")) from None


def _ask(question: str, check: Callable[[str], _T], default: str | None = None) -> _T:
    """default: taken for an empty line; None if a value has to be typed."""
    ending = "" if default is None else f" [{default}]"
    prompt = _Prompt(Text(f"{question}{ending}"), console=_console())
    prompt.check = lambda text: check(text or default or "")
    try:
        return prompt()
    except EOFError:
        raise click.Abort from None


def _choose(question: str, rows: Mapping[str, Sequence[str]]) -> str:
    """One of the rows, by number or name. rows: name -> further cells. A single row is taken without a question."""
    if len(rows) == 1:
        return next(iter(rows))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for at, (name, cells) in enumerate(rows.items(), 1):
        table.add_row(str(at), Text(name), *map(Text, cells))
    _console().print(table)
    names = [*rows]

    def check(text: str) -> str:
        if text.isdecimal() and 1 <= int(text) <= len(names):
            return names[int(text) - 1]
        if text in names:
            return text
        raise ValueError(f"{text!r} is not in the list; write a number from 1 to {len(names)}")

    return _ask(question, check, "1")


def _console() -> Console:
    return Console(file=beneath(sys.stdout), highlight=False)


def ask() -> tuple[NewStack, str]:
    """Asks, and writes the stack. Returns it and its cloud.

    Raises InputError if files are in the way, or the cluster can't be priced or planned; click.Abort at the end of
    input.
    """
    _console().print("A stack of one training cluster. Enter takes the value in brackets. Ctrl-C writes nothing.\n")
    name = _ask("Name of the cluster and of its stack", _matching(NAME, "a lower-case name, such as trial"), "trial")
    made = new_stack(name, Path.cwd())
    book = PriceBook.in_use()
    cloud = _choose("Cloud", {one: (cloud_of(one).title, missing_sdk(one) or "") for one in CLOUDS})
    if missing := missing_sdk(cloud):
        raise InputError(f"a price of {cloud_of(cloud).title} {missing}")
    place, machine = _place(cloud, book)
    nodes = _ask("Training nodes of 8 GPUs", _whole(_MOST_NODES), "4")
    lasting = _ask("Duration, such as 12h, 30d, 2w or 1y", functools.partial(_option, "for"), "14d")
    storage = _ask("Data on shared storage", functools.partial(_option, "storage"), "20TiB")
    question = question_of(
        {"gpus": str(nodes * NODE_GPUS), "for": lasting, "storage": storage, "clouds": cloud,
         "accelerators": machine.accelerator, "regions": place["region"]},
        [place["region"]],
    )  # fmt: skip
    chosen = _purchase(question, machine, book)
    values = {**chosen.spec, "name": name, "labels": _labels(), "access": _access()}
    budget = _budget(chosen.most_monthly)
    _refuse_impossible(cloud, values, place, machine)
    settings = replace(chosen.candidate, place=place).configuration
    made.write(lambda schema: picked_spec(chosen, schema, values=values, budget=budget), settings)
    return made, cloud


def _place(cloud: str, book: PriceBook) -> tuple[dict[str, str], Machine]:
    """The location's keys with their values, and the machine."""
    known = cloud_of(cloud)
    sold: _Sold = {
        machine: places_of(machine, book) for machine in shapes() if (machine.cloud, machine.gpus) == (cloud, NODE_GPUS)
    }
    regions = sorted({region for places in sold.values() for region in places})
    regions.sort(key=lambda region: region != known.keys["region"])
    region = _choose("Region", {one: (_sold_in(book, sold, one),) for one in regions})
    listed = {zone for places in sold.values() for zone in places.get(region, ())}
    rows = {
        zone: (", ".join(_named(one) for one, places in sold.items() if zone in places.get(region, ())),)
        for zone in sorted(listed, key=lambda zone: (zone.count("-"), zone))
    }
    zone = _choose("Zone of the GPU nodes", rows or {known.zone_in(region): ()})
    there = {
        one.machine_type: (_named(one), _price(book, one, region))
        for one, places in sold.items()
        if region in places and zone in (places[region] or [zone])
    }
    chosen = _choose("Machine", there)
    place = {**known.keys, "region": region, "zone": zone}
    for key in known.keys.keys() - {"region", "zone"}:
        place[key] = _ask(f"{known.title} {key}", functools.partial(_located, cloud, place, key), known.keys[key])
    return place, next(one for one in sold if one.machine_type == chosen)


def _named(machine: Machine) -> str:
    return f"{machine.gpus} x {machine.accelerator.upper()}"


def _sold_in(book: PriceBook, sold: _Sold, region: str) -> str:
    prices = {_named(one): _price(book, one, region) for one, places in sold.items() if region in places}
    return ", ".join(f"{name} {price}".strip() for name, price in prices.items())


def _price(book: PriceBook, machine: Machine, region: str) -> str:
    found = plan_prices.published(book, machine.cloud, region, machine.machine_type)
    if not isinstance(found, Price):
        return ""
    return f"{money(plan_prices.of_an_hour(found, machine.machine_type).usd)}/h"


def _located(cloud: str, place: Mapping[str, str], key: str, text: str) -> str:
    problems = [problem for problem in cloud_of(cloud).locate({**place, key: text})[1] if problem.field == key]
    if problems:
        raise ValueError(str(problems[0]))
    return text


def _purchase(question: Question, machine: Machine, book: PriceBook) -> Quote:
    """The purchase option, of those that fit, cheapest first."""
    with working("Pricing every purchase option"):
        found = answer(question, book, lambda _: None)
    quotes = [one for one in found.quotes if one.candidate.machine == machine]
    if not quotes:
        raise InputError("this cluster can't be bought", left_out(found))
    rows = {
        one.candidate.words: (
            f"{ranged(one.total, one.gap)} in {question.duration}",
            f"{money(one.per_gpu_hour)} a GPU-hour",
            one.candidate.way.needs,
        )
        for one in quotes
    }
    words = _choose("Purchase option", rows)
    return next(one for one in quotes if one.candidate.words == words)


def _labels() -> dict[str, str]:
    check = _matching(LABEL_VALUE, "1 to 63 lower-case letters, digits, - and _")
    return {key: _ask(f"Label {key}, on every resource", check, _LABELS.get(key)) for key in REQUIRED_LABELS}


def _budget(monthly: Decimal) -> int:
    """USD per month. monthly: the price, which the budget must cover."""

    def check(text: str) -> int:
        plain = text.replace(",", "").removeprefix("$")
        if not re.fullmatch(r"\d{1,12}", plain):
            raise ValueError(f"{text!r}; write whole USD a month, such as {budget_of(monthly)}")
        if int(plain) < monthly:
            raise ValueError(f"{text} is below the price of {money(monthly)} a month, so every preview would fail")
        return int(plain)

    return _ask(f"Budget in USD a month; the price is {money(monthly)}", check, str(budget_of(monthly)))


def _access() -> dict[str, Any]:
    question = f"Public address range that reaches the API: your office or VPN ({EXAMPLE_RANGE} is an example)"
    return {"kind": "public", "cidrs": [_ask(question, _range, EXAMPLE_RANGE)]}


def _range(text: str) -> str:
    try:
        return TypeAdapter(PublicCidr).validate_python(text)
    except ValidationError as error:
        why = error.errors()[0]["msg"].removeprefix("Value error, ")
        raise ValueError(f"{text!r} {why}") from None


def _matching(pattern: str, form: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise ValueError(f"{text!r}; write {form}")
        return text

    return check


def _whole(most: int) -> Callable[[str], int]:
    def check(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise ValueError(f"{text!r}; write a whole number from 1 to {most}")
        return int(text)

    return check


def _option(name: str, text: str) -> str:
    """A value of an option of `gpucluster quote`."""
    try:
        question_of({"gpus": "8", "for": "1d", name: text}, [])
    except InputError as error:
        raise ValueError(error.problems[0].removeprefix(f"--{name} is ")) from None
    return text


def _refuse_impossible(cloud: str, values: Mapping[str, Any], place: Mapping[str, str], machine: Machine) -> None:
    """Raises InputError with everything that the cloud can't run in this zone."""
    known = cloud_of(cloud)
    location, problems = known.locate(place)
    spec = StackSpec.model_validate(values)
    if not problems:
        try:
            known.plan_cluster(spec, location, cast(str, values["name"]), machine.machine_type, plan_prices)
        except PlanError as error:
            problems = error.problems
    if problems:
        raise InputError("this cluster can't be built there, and nothing is written", list(map(str, problems)))

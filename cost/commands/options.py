"""Number options: exact, within bounds, with the bounds in the error message."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

import click

from gpucluster.core.program.values import MOST, BadValue, amount
from gpucluster.cost.prices import PRICES_VARIABLE, PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions, Regions, regions_in_use
from gpucluster.options import plan_argument


class Number(click.ParamType[Decimal]):
    """A decimal number from 0 to `most`."""

    name = "number"

    def __init__(self, most: int | Decimal = MOST, *, above: bool = False) -> None:
        """above: whether 0 itself is not allowed."""
        self._most, self._above = most, above

    @property
    def allowed(self) -> str:
        """The allowed values as text."""
        return f"a number {'above 0 and up' if self._above else 'from 0'} to {self._most:,}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            number = amount(value, "")
        except BadValue:
            self.fail(f"{value!r}; write {self.allowed}", param, ctx)
        if number > self._most or (self._above and not number):
            self.fail(f"{value!r}; write {self.allowed}", param, ctx)
        return number


SHARE = Number(1)
AMOUNT = Number()
POSITIVE = Number(above=True)


_Command = TypeVar("_Command", bound=Callable[..., Any])

a_plan = plan_argument(default="-")

prices = click.option(
    "--prices", metavar="FILE", help=f"CSV file of your own prices; overrides {PRICES_VARIABLE} and the book."
)


def pricing(command: _Command) -> _Command:
    """Options of an estimate: `--usage`, `--expected-share`, `--assume`, `--region` and account terms, all passed as
    `assumptions`; and `--prices`.
    """

    @functools.wraps(command)
    def with_assumptions(
        *args: Any,
        usage: str | None,
        expected_share: str | None,
        assume: tuple[str, ...],
        region: tuple[str, ...],
        prices: str | None,
        support: tuple[str, ...],
        discount: tuple[str, ...],
        account_spend: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        assumptions = replace(_assumptions(usage, expected_share, assume), regions=_regions(region))
        if support or discount or account_spend:
            from gpucluster.cost.pricing.terms import terms_from_options

            book = PriceBook.in_use(prices)
            terms = terms_from_options(book, support=support, discount=discount, account_spend=account_spend)
            assumptions = replace(assumptions, terms=terms)
        return command(*args, assumptions=assumptions, prices=prices, **rest)

    found: Any = with_assumptions
    for option in reversed(
        (
            click.option("--usage", metavar="FILE", help="Usage file; create one with `gpucluster cost usage init`."),
            click.option(
                "--expected-share", metavar="0..1", help="Share of an autoscaled pool's limit that runs on average."
            ),
            click.option(
                "--assume",
                metavar="NAME=VALUE",
                multiple=True,
                help="Usage of every resource; overrides the usage file. Names: `gpucluster cost usage names`.",
            ),
            click.option(
                "--region",
                metavar="REGION",
                multiple=True,
                help="Region of resources without one from provider or configuration; overrides AWS_REGION, "
                "GOOGLE_REGION and the like. One for each cloud; repeatable.",
            ),
            prices,
            click.option(
                "--support",
                metavar="CLOUD=PLAN",
                multiple=True,
                help="Add a support plan, such as aws=business; repeatable.",
            ),
            click.option(
                "--account-spend",
                metavar="CLOUD=USD",
                multiple=True,
                help="USD per month that the account spends outside this stack; support fees depend on it.",
            ),
            click.option(
                "--discount",
                metavar="CLOUD=SHARE",
                multiple=True,
                help="Discount on all list prices, such as aws=8%; --prices sets single prices.",
            ),
        )
    ):
        found = option(found)
    return found


def _assumptions(usage: str | None, expected_share: str | None, assume: Sequence[str]) -> Assumptions:
    """The assumptions from options. click.BadParameter and BadUsage describe invalid ones."""
    values: dict[str, str] = {}
    for item in assume:
        name, equals, value = item.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{item!r} is not NAME=VALUE; write for example nat_gib=500", param_hint="--assume"
            )
        values[name.replace("-", "_")] = value
    if expected_share is not None:
        values["expected_share"] = expected_share
    base = Assumptions()
    if usage is not None:
        from gpucluster.cost.estimate.usage import read_usage  # reads YAML, which few runs need

        base = read_usage(Path(usage))
    try:
        found = base.with_values(values)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--assume") from None
    return found if found.exceptions is None else replace(found, exceptions=found.exceptions.without(values))


def _regions(given: Sequence[str]) -> Regions:
    try:
        return regions_in_use(given)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--region") from None


def name_of(file: TextIO) -> str:
    """The name of a file in messages."""
    return "stdin" if file.name == "<stdin>" else file.name


tflops_option: Final = click.option(
    "--tflops", metavar="GPU=TFLOPS", multiple=True, help="TF32 TFLOPS of a GPU model, such as h100=890; repeatable."
)


def tflops_of(given: Sequence[str]) -> tuple[tuple[str, Decimal], ...]:
    """GPU models and their TFLOPS. click.BadParameter describes an invalid one."""
    from gpucluster.cost.comparison.offers import TF32_TFLOPS  # two commands need comparisons

    found: list[tuple[str, Decimal]] = []
    for text in given:
        gpu, equals, number = text.partition("=")
        if not equals or gpu not in TF32_TFLOPS:
            known = ", ".join(TF32_TFLOPS)
            raise click.BadParameter(
                f"{text!r} is not GPU=TFLOPS; write one of {known}: h100=890", param_hint="--tflops"
            )
        found.append((gpu, POSITIVE.convert(number, None, None)))
    return tuple(found)

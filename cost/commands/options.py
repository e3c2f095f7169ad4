"""Options that several commands share, with the same meaning."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.places import Regions, regions_in_use
from gpucluster.cost.prices import PRICES_VARIABLE, PriceBook
from gpucluster.options import plan_argument

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
            from gpucluster.cost.terms.given import given_terms

            book = PriceBook.in_use(prices)
            terms = given_terms(book, support=support, discount=discount, account_spend=account_spend)
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
        from gpucluster.cost.usage.file import read_usage  # reads YAML, which few runs need

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

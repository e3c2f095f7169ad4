"""`gpucluster leftovers`, and the same for the stacks of the sandbox."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

from gpucluster.account.leftovers.left import Left, left_of, left_of_things
from gpucluster.cost.money import money
from gpucluster.errors import Exit
from gpucluster.options import STACK, form_of

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = form_of("text", "json")(command)
    return click.option("--stack", "-s", type=STACK, required=True, help="Destroyed stack.")(command)


@click.command()
@_options
def leftovers(stack: str, form: str) -> None:
    """List what a stack left in its account.

    Lists all resources with the stack's labels, with the cloud's own command line, which only reads: their cost a day
    by the price book, and the command that removes each. For a stack that still exists, lists all of its resources.

    Exit code 1: a resource is left that costs, or may cost, money.
    """
    from gpucluster.account.leftovers.inventory import inventory
    from gpucluster.components.stack_file import project_of, read_stack

    config = read_stack(stack, Path.cwd())
    _print(stack, left_of_things(inventory(config, project_of(stack, Path.cwd()))), form)


@click.command("leftovers")
@_options
def in_sandbox(stack: str, form: str) -> None:
    """List what a stack left in the simulated clouds.

    As `gpucluster leftovers`, from the ledger of the sandbox; `gpucluster sandbox recover` removes resources that no
    state has.
    """
    from gpucluster.account.leftovers.in_sandbox import ledger_of
    from gpucluster.sandbox.project import current_project

    _print(stack, left_of(*ledger_of(current_project(), stack)), form)


def _print(stack: str, found: Sequence[Left], form: str) -> None:
    costly = [one for one in found if one.daily is None or one.daily]
    if form == "json":
        document = {"schema_version": 1, "stack": stack, "left": [_document(one) for one in found]}
        click.echo(json.dumps(document, indent=2))
    else:
        for line in _lines(stack, found, costly):
            click.echo(line)
    if costly:
        raise SystemExit(Exit.FINDINGS)


def _lines(stack: str, found: Sequence[Left], costly: Sequence[Left]) -> Iterator[str]:
    """The resources that cost, or may cost, one by one; the rest by kind."""
    for one in costly:
        yield f"{one.kind}  {one.id}"
        yield f"  {one.cost}"
        yield f"  {one.remove or 'no known command'}"
    if free := Counter(one.kind for one in found if one not in costly):
        kinds = ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(free.items()))
        yield f"free of charge (--format json lists each with its command): {kinds}"
    if not found:
        yield f"{stack}: nothing is left."
        return
    known = sum((one.daily or Decimal(0) for one in costly), Decimal(0))
    unknown = sum(one.daily is None for one in costly)
    more = f"; the cost of {unknown:,} of them is unknown" if unknown else ""
    yield f"{stack}: {len(found):,} left, {money(known)} a day{more}"


def _document(one: Left) -> dict[str, str | None]:
    daily = None if one.daily is None else f"{one.daily:f}"
    return {"kind": one.kind, "id": one.id, "usd_a_day": daily, "cost": one.cost, "remove": one.remove or None}

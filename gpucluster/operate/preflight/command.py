"""`gpucluster preflight`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol, cast

import click

from gpucluster.components.cluster.cloud import ClusterPlan
from gpucluster.components.spec.file import shown_path
from gpucluster.components.stack.stack_config import StackConfig, read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.documents.formats import write
from gpucluster.core.program.questions import Question
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import Exit, InputError
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Account, Answer
from gpucluster.operate.preflight.asking import ask, not_asked
from gpucluster.operate.preflight.declared import Declared, declaring
from gpucluster.operate.preflight.document import Found, preflight_document
from gpucluster.operate.preflight.machine import questions_of, this_machine
from gpucluster.operate.preflight.saved import save
from gpucluster.options import form_of, quiet, stack_option

_BESIDE_THE_STACK: Final = ""
"""`--save` without FILE."""


class Cloud(Protocol):
    """A module of a cloud, `gpucluster.operate.preflight.aws` and its like; importing it loads the cloud's SDK."""

    def open_account(self, plan: ClusterPlan, location: Any, declared: Callable[[], Declared], /) -> Account:
        """The account of a plan, with the user's own credentials. declared: by its program, for rights that follow from
        its types; it is there on every cloud, as charts are asked for, too. Raises CannotAsk without usable ones.
        """
        ...


@click.command()
@stack_option("Stack to ask for.", required=True)
@form_of("table", "json")
@click.option(
    "--save",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    is_flag=False,
    flag_value=Path(_BESIDE_THE_STACK),
    metavar="FILE",
    help="Write the answers to FILE, without ids: previews show them, and the sandbox refuses what the account would.  "
    "[default: account.STACK.yaml beside the stack's file]",
)
@quiet
def preflight(stack: str, form: str, file: Path | None, quiet: bool) -> None:
    """Ask your account what a stack needs before `up`.

    Quotas and their present use, zones, offers, reservations, APIs, roles and permissions, and the programs on this
    machine. Only reads, with your own credentials; nothing is changed and nothing is billed.

    Exit code 1: something stops `up`, or a question that decides has no answer.
    """
    folder = Path.cwd()
    config = read_stack(stack, folder)
    plan = plan_stack(config, plan_prices)
    found = asked(stack, plan, config.location, folder, say=not quiet)
    write(preflight_document(found), form, sys.stdout, [])
    if file is not None:
        _save(found, plan, config, file)
    if found.blocked:
        raise SystemExit(Exit.FINDINGS)


def asked(stack: str, plan: ClusterPlan, location: Any, folder: Path, *, say: bool) -> Found:
    """The answers of this machine and of the account. folder: of the project. say: report progress on stderr."""
    cloud = plan.training.shape.cloud
    own = questions_of(cloud, getattr(plan.access, "public_cidrs", ()))
    questions = plan.facts.questions
    identity, why = None, None
    sdk = _cloud(cloud)
    with declaring(plan) as declared, ThreadPoolExecutor(max_workers=1) as pool:
        machine = pool.submit(ask, this_machine(cloud, folder, declared), own)
        try:
            account = sdk.open_account(plan, location, declared)
        except CannotAsk as error:
            why = error
            answers = not_asked(questions)
        else:
            identity = account.identity
            answers = _ask_account(account, questions, say=say)
        answers = [*machine.result(), *answers]
    return Found(stack=stack, identity=identity, not_asked=why, answers=answers, asked=datetime.now(UTC))


def _save(found: Found, plan: ClusterPlan, config: StackConfig, file: Path) -> None:
    """An account that was not asked leaves the answers of the last time."""
    if found.not_asked is not None:
        click.echo("nothing saved: the account was not asked", err=True)
        return
    into = config.account if file == Path(_BESIDE_THE_STACK) else file
    try:
        files = config.account.parent.glob("Pulumi.*.yaml")
        stacks = [one.name.removeprefix("Pulumi.").removesuffix(".yaml") for one in files]
        save(found, plan.training.shape.cloud, into, stacks)
    except OSError as error:
        raise InputError(f"--save {into}: cannot be written: {error.strerror}") from None
    click.echo(f"saved in {shown_path(into)}", err=True)


def _cloud(name: str) -> Cloud:
    try:
        return cast(Cloud, importlib.import_module(f"gpucluster.operate.preflight.{name}"))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("gpucluster"):
            raise
        raise InputError(
            f"preflight asks {name} by its own SDK, which is not installed ({error.name}): install gpucluster with the "
            f"extra account-{name}"
        ) from None


def _ask_account(account: Account, questions: tuple[Question, ...], *, say: bool) -> list[Answer]:
    if say:
        click.echo(f"asking {account.identity}: {len(questions)} questions", err=True)
    counts = say and sys.stderr.isatty()

    def progress(done: int, of: int) -> None:
        if counts:
            click.echo(f"\r{done} of {of} answered" + ("\n" if done == of else ""), err=True, nl=False)

    return ask(account, questions, progress)

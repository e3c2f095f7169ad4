"""`gpucluster up`, and the same of the sandbox."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from gpucluster.components.cluster.cloud import ClusterPlan
from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.documents.formats import write
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import Exit
from gpucluster.operate.account.pulumi import Pulumi, sandbox_pulumi, users_pulumi
from gpucluster.operate.preflight.command import asked
from gpucluster.operate.preflight.document import preflight_document
from gpucluster.operate.up.elsewhere import elsewhere
from gpucluster.operate.up.failures import Failure, errors_of, failures
from gpucluster.options import stack_option

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = click.option("--yes", is_flag=True, help="Skip Pulumi's confirmation.")(command)
    return stack_option("Stack to create or update.", required=True)(command)


@click.command()
@_options
@click.option("--anyway", is_flag=True, help="Run even if preflight finds something that stops it.")
def up(stack: str, yes: bool, anyway: bool) -> None:
    """Ask the account, run `pulumi up`, and explain a failure.

    Runs `gpucluster preflight` first and ends if something stops `up`. Pulumi then previews the change with its cost
    and asks before it starts; `pulumi up` alone does the same without the questions before and the advice after.

    Exit code 1: preflight found something that stops `up`; otherwise that of Pulumi.
    """
    pulumi = users_pulumi("create clusters", "to rehearse without an account, use `gpucluster sandbox up`")
    config = read_stack(stack, Path.cwd())
    plan = plan_stack(config, plan_prices)
    found = asked(stack, plan, config.location, Path.cwd(), say=True)
    write(preflight_document(found), "table", sys.stdout, [])
    if found.blocked and not anyway:
        click.echo(f"\n{stack}: not started. Next: mend what stops it, or add --anyway.", err=True)
        raise SystemExit(Exit.FINDINGS)
    _up(pulumi, plan, stack, yes=yes)


@click.command("up")
@_options
@click.pass_obj
def up_in_sandbox(options: Mapping[str, Any], stack: str, yes: bool) -> None:
    """Create or update a stack of the sandbox, and explain a failure.

    As `gpucluster up`, without an account to ask: `--scenario`, or what `gpucluster preflight --save` wrote, is the
    account.
    """
    plan = plan_stack(read_stack(stack, Path.cwd()), plan_prices)
    _up(sandbox_pulumi(options), plan, stack, yes=yes)


_EVENT_LOG: Final = "PULUMI_DEBUG_COMMANDS"
"""Makes Pulumi accept --event-log. Source: pulumi/pulumi sdk/python/lib/pulumi/automation/_stack.py, which sets it."""


def _up(pulumi: Pulumi, plan: ClusterPlan, stack: str, *, yes: bool) -> None:
    os.environ[_EVENT_LOG] = "true"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "events"
        code = pulumi.run("up", "--event-log", str(log), *(["--yes"] if yes else []), stack=stack)
        errors = errors_of(log)
    if code:
        known = failures(errors, plan.training.shape.cloud, stack)
        # The sandbox says itself what its refusals mean.
        explain(known if not pulumi.sandbox else [], plan, no_machines=any(one.capacity for one in known))
    sys.exit(code)


def explain(known: list[Failure], plan: ClusterPlan, *, no_machines: bool) -> None:
    """Prints what failures mean, and where else there may be machines."""
    for one in known:
        of = f"{one.resource}: " if one.resource else ""
        click.echo(f"\nWhat this means: {of}{one.meaning}. Next: {one.next}.", err=True)
    if no_machines:
        click.echo(err=True)
        for line in elsewhere(plan, lambda text: click.echo(text, err=True)):
            click.echo(line, err=True)

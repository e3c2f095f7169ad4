"""`gpucluster pause` and `gpucluster resume`, and the same for the stacks of the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from gpucluster.account.pause.saving import saving
from gpucluster.account.pulumi import Pulumi, of_sandbox, of_user
from gpucluster.account.standing import Standing, standing
from gpucluster.components.paused import PAUSED
from gpucluster.errors import InputError
from gpucluster.options import STACK

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = click.option("--yes", is_flag=True, help="Skip Pulumi's confirmation.")(command)
    return click.option("--stack", "-s", type=STACK, required=True, help="Stack of the cluster.")(command)


@click.command()
@_options
def pause(stack: str, yes: bool) -> None:
    """Scale the GPU nodes of a cluster to zero and keep its data.

    Prints the saving, then runs `pulumi up` with `paused: true` in the stack's configuration, which shows the changes
    and asks. Jobs on the nodes end; queued ones wait. Elastic pools still scale with their jobs.
    """
    _pause(_own(), stack, yes=yes)


@click.command()
@_options
def resume(stack: str, yes: bool) -> None:
    """Start the nodes of a paused cluster again.

    Runs `pulumi up` with `paused: false` in the stack's configuration. On-demand capacity is not guaranteed.
    """
    _resume(_own(), stack, yes=yes)


@click.command("pause")
@_options
@click.pass_obj
def pause_in_sandbox(options: Mapping[str, Any], stack: str, yes: bool) -> None:
    """Scale the GPU nodes of a cluster to zero and keep its data.

    As `gpucluster pause`, for a stack of the sandbox, whose files are never written: the next `up` ends the pause.
    """
    _pause(of_sandbox(options), stack, yes=yes)


@click.command("resume")
@_options
@click.pass_obj
def resume_in_sandbox(options: Mapping[str, Any], stack: str, yes: bool) -> None:
    """Start the nodes of a paused cluster again.

    As `gpucluster resume`, for a stack of the sandbox.
    """
    _resume(of_sandbox(options), stack, yes=yes)


def _own() -> Pulumi:
    return of_user("change stacks", "for stacks of the sandbox, use `gpucluster sandbox pause`")


def _pause(pulumi: Pulumi, stack: str, *, yes: bool) -> None:
    found = saving(_standing(pulumi, stack))
    if not found.pools:
        click.echo(f"{stack}: no nodes to pause: its training and MIG pools have none.")
        return
    click.echo(f"{stack}: {found.sentence}.")
    if not found.saved and not found.gap.missing:
        raise InputError(
            f"stack {stack}", ["a pause saves nothing; `pulumi destroy` ends all costs except for purchased capacity"]
        )
    _up(pulumi, stack, paused=True, yes=yes)
    click.echo(f"{stack}: paused; {standing(pulumi, stack).daily} is still billed; resume: {_back(pulumi, stack)}")


def _resume(pulumi: Pulumi, stack: str, *, yes: bool) -> None:
    _standing(pulumi, stack)
    _up(pulumi, stack, paused=False, yes=yes)
    click.echo(f"{stack}: resumed; {standing(pulumi, stack).daily}")


def _standing(pulumi: Pulumi, stack: str) -> Standing:
    found = standing(pulumi, stack)
    if not found.owned:
        raise InputError(f"stack {stack}", ["the stack has no resources; create it with `pulumi up`"])
    return found


def _up(pulumi: Pulumi, stack: str, *, paused: bool, yes: bool) -> None:
    unasked = ["--yes", "--skip-preview"] if yes else []
    code = pulumi.run("up", *unasked, "--config", f"{PAUSED}={str(paused).lower()}", stack=stack)
    if code:
        sys.exit(code)


def _back(pulumi: Pulumi, stack: str) -> str:
    return f"gpucluster {pulumi.sandbox}resume --stack {stack}"

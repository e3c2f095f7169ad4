"""`gpucluster reap`, and the same for the stacks of the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from gpucluster.errors import Exit, InputError
from gpucluster.operate.account.pulumi import Pulumi, sandbox_pulumi, users_pulumi
from gpucluster.operate.account.ready import check_ready
from gpucluster.operate.account.stack_status import StackStatus, stack_status
from gpucluster.options import stack_option

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    for option in (
        click.option("--yes", is_flag=True, help="Destroy expired stacks."),
        click.option("--all", "every", is_flag=True, help="Every stack of the project."),
        stack_option("Stack to check; may be repeated.", multiple=True, names=("stacks",)),
    ):
        command = option(command)
    return command


@click.command()
@_options
def reap(stacks: tuple[str, ...], every: bool, yes: bool) -> None:
    """Destroy expired stacks.

    A stack expires when its first `up` is longer ago than `duration` of its spec. Without --yes, only lists expired
    stacks and their cost so far. Protected resources are kept, listed, and still billed.

    Before it destroys one, it checks the login to the account and the way to the cluster's API.

    Exit code 1: an expired stack still has resources.
    """
    _reap(
        users_pulumi("read and destroy stacks", "for stacks of the sandbox, use `gpucluster sandbox reap`"),
        stacks,
        every,
        yes,
    )


@click.command("reap")
@_options
@click.pass_obj
def in_sandbox(options: Mapping[str, Any], stacks: tuple[str, ...], every: bool, yes: bool) -> None:
    """Destroy expired stacks.

    As `gpucluster reap`, for the stacks of the sandbox.
    """
    _reap(sandbox_pulumi(options), stacks, every, yes)


def _reap(pulumi: Pulumi, stacks: Sequence[str], every: bool, yes: bool) -> None:
    if bool(stacks) == every:
        raise click.UsageError("give stacks with --stack, or use --all for all of the project")
    over: list[StackStatus] = []
    codes: list[int] = [Exit.OK]
    for stack in pulumi.stacks() if every else dict.fromkeys(stacks):
        try:
            one = stack_status(pulumi, stack)
        except InputError as error:  # the others are destroyed nevertheless
            click.echo(f"error: {error}", err=True)
            codes.append(error.exit_code)
            continue
        click.echo(_line(one))
        if one.trial is not None and one.trial.over:
            over.append(one)
    if not over:
        click.echo("No stack has expired.")
    elif yes:
        codes += [_destroyed(pulumi, one) for one in over]
    else:
        names = " ".join(f"--stack {one.stack}" for one in over)
        click.echo(f"Nothing was destroyed. To destroy them: gpucluster {pulumi.sandbox}reap {names} --yes")
        codes.append(Exit.FINDINGS)
    raise SystemExit(max(codes))


def _line(one: StackStatus) -> str:
    """A line about a stack's time."""
    if one.trial is None:
        return f"{one.stack}: no resources"
    kept = f", {len(one.protected)} protected" if one.protected else ""
    end = "" if one.trial.ends else "; set duration in its spec"
    return f"{one.stack}: {one.trial.sentence}; {one.size}{kept}{end}"


def _destroyed(pulumi: Pulumi, one: StackStatus) -> int:
    """The exit code; a stack that this machine can't destroy leaves the others."""
    try:
        check_ready(pulumi, one)
    except InputError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    return _destroy(pulumi, one)


def _destroy(pulumi: Pulumi, one: StackStatus) -> int:
    """Destroys one; reports its remaining resources."""
    click.echo(f"{one.stack}: destroying")
    code = pulumi.run("destroy", "--yes", "--skip-preview", "--exclude-protected", stack=one.stack)
    left = stack_status(pulumi, one.stack)
    for resource in left.protected:
        release = f"{pulumi.shown} state unprotect --yes --stack {one.stack} '{resource.urn}'"
        click.echo(f"{one.stack}: kept, protected: {resource.name} ({resource.type}); release it: {release}")
    if not left.owned:
        click.echo(f"{one.stack}: destroyed")
        return Exit.OK
    click.echo(f"{one.stack}: remaining: {left.size}, {left.daily}")
    return Exit.FAULT if code else Exit.FINDINGS

"""The saving of a cluster's pause, and the remaining cost, by the state of its stack."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeVar

import click

from gpucluster.components.stack.stack_config import PAUSED
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import CostLine
from gpucluster.cost.pricing.money import money, ranged, ranged_daily
from gpucluster.errors import InputError
from gpucluster.operate.account.pulumi import Pulumi, sandbox_pulumi, users_pulumi
from gpucluster.operate.account.ready import check_ready
from gpucluster.operate.account.stack_status import StackStatus, stack_status
from gpucluster.options import stack_option

_POOLS: Final = (":TrainingPool", ":MigPool")


@dataclass(frozen=True, kw_only=True)
class Saving:
    """pools: names of the pools with nodes, which a pause scales to zero. saved: USD per month, gap its unpriced items.
    bought: USD per month, and upfront for its whole term, for their capacity that is billed whether used or not.
    """

    pools: tuple[str, ...]
    saved: Decimal
    gap: Gap
    bought: Decimal
    upfront: Decimal

    @property
    def sentence(self) -> str:
        """The saving as a sentence for the user."""
        parts = [
            f"the nodes of {' and '.join(self.pools)} are deleted, and the jobs on them end; data, network and control "
            "plane stay",
            f"it saves {ranged(self.saved, self.gap)} a month, {ranged_daily(self.saved, self.gap)}",
        ]
        if self.bought:
            parts.append(f"{money(self.bought)} a month is still billed for reserved capacity, used or not")
        if self.upfront:
            parts.append(f"{money(self.upfront)} for a capacity block is paid and not refunded")
        return "; ".join(parts)


def saving(one: StackStatus) -> Saving:
    """The saving of only the training and MIG pools: elastic machines start and stop with their jobs."""
    parts = {item.name for item in one.resources if item.type.endswith(_POOLS)}
    lines = [line for line in one.cost.lines if line.part in parts]
    running = [line for line in lines if line.quantity]
    missing = [item for item in one.cost.not_priced if item.part in parts]
    return Saving(
        pools=tuple(dict.fromkeys([*(line.part for line in running), *(item.part for item in missing)])),
        saved=sum((line.monthly for line in running if not _bought(line)), Decimal(0)),
        gap=Gap.of(missing),
        bought=sum((line.monthly for line in running if _bought(line) and not line.upfront), Decimal(0)),
        upfront=sum((line.upfront for line in running), Decimal(0)),
    )


def _bought(line: CostLine) -> bool:
    """Whether it is billed even without nodes."""
    return line.spend == "committed-elsewhere" or bool(line.upfront)


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = click.option("--yes", is_flag=True, help="Skip Pulumi's confirmation.")(command)
    return stack_option("Stack of the cluster.", required=True)(command)


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
    _pause(sandbox_pulumi(options), stack, yes=yes)


@click.command("resume")
@_options
@click.pass_obj
def resume_in_sandbox(options: Mapping[str, Any], stack: str, yes: bool) -> None:
    """Start the nodes of a paused cluster again.

    As `gpucluster resume`, for a stack of the sandbox.
    """
    _resume(sandbox_pulumi(options), stack, yes=yes)


def _own() -> Pulumi:
    return users_pulumi("change stacks", "for stacks of the sandbox, use `gpucluster sandbox pause`")


def _pause(pulumi: Pulumi, stack: str, *, yes: bool) -> None:
    standing = _standing(pulumi, stack)
    found = saving(standing)
    if not found.pools:
        click.echo(f"{stack}: no nodes to pause: its training and MIG pools have none.")
        return
    click.echo(f"{stack}: {found.sentence}.")
    if not found.saved and not found.gap.missing:
        raise InputError(
            f"stack {stack}", ["a pause saves nothing; `pulumi destroy` ends all costs except for purchased capacity"]
        )
    _up(pulumi, standing, paused=True, yes=yes)
    click.echo(f"{stack}: paused; {stack_status(pulumi, stack).daily} is still billed; resume: {_back(pulumi, stack)}")


def _resume(pulumi: Pulumi, stack: str, *, yes: bool) -> None:
    _up(pulumi, _standing(pulumi, stack), paused=False, yes=yes)
    click.echo(f"{stack}: resumed; {stack_status(pulumi, stack).daily}")


def _standing(pulumi: Pulumi, stack: str) -> StackStatus:
    found = stack_status(pulumi, stack)
    if not found.owned:
        raise InputError(f"stack {stack}", ["the stack has no resources; create it with `pulumi up`"])
    return found


def _up(pulumi: Pulumi, one: StackStatus, *, paused: bool, yes: bool) -> None:
    check_ready(pulumi, one)
    unasked = ["--yes", "--skip-preview"] if yes else []
    code = pulumi.run("up", *unasked, "--config", f"{PAUSED}={str(paused).lower()}", stack=one.stack)
    if code:
        sys.exit(code)


def _back(pulumi: Pulumi, stack: str) -> str:
    return f"gpucluster {pulumi.sandbox}resume --stack {stack}"

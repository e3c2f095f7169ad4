"""Commands of `guardrails` that stand above the rules: found by entry point, so that no rule has to know of them."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Final, cast

import click

from gpucluster.textio.terminal import Program

__all__ = ["ENTRY_POINTS", "WithPlugins"]

ENTRY_POINTS: Final = "gpucluster.guardrails"
"""Group of the entry points; each is named as its command."""


class WithPlugins(Program):
    """A group with the commands of others beside its own; one of theirs is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *entry_points(group=ENTRY_POINTS).names})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        return next(
            (cast("click.Command", found.load()) for found in entry_points(group=ENTRY_POINTS, name=cmd_name)), None
        )

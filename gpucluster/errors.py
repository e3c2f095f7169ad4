"""The errors that users of the library and of the command see, with a common base, and the exit codes of commands.

Imports no other module of this package: every module may import it, including those whose start time matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes of a command. `gpucluster sandbox pulumi` uses Pulumi's own code instead."""

    OK = 0
    FINDINGS = 1
    """There are findings: over budget, a broken rule, a failed test."""
    INPUT = 2
    """The user's input has to change."""
    FAULT = 3
    """This tool, the engine or a service failed."""
    INTERRUPTED = 130
    """128 + SIGINT, as shells have it."""


class Error(Exception):
    """Base of all exceptions that this package raises for its users."""

    exit_code: ClassVar[Exit] = Exit.FAULT


class InputError(Error):
    """Unusable input; the message gives the change to make.

    source: the message, or, with `problems`, the file or stack that has them. problems: one line for each mistake.
    others: problems of further sources, reported with it. A source with an empty list of problems is not named.
    """

    exit_code = Exit.INPUT

    def __init__(self, source: str, problems: Sequence[str] | None = None, *others: InputError) -> None:
        self.source = source
        self.problems = tuple(problems or ())
        if problems is None:
            own = [source]
        else:
            count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
            own = [f"{source}: {count}", *(f"  {problem}" for problem in problems)] if problems else []
        super().__init__("\n".join([*own, *map(str, others)]))


class Fault(Error):
    """This tool, the engine, or a remote service failed; the message gives the failure and the action to take."""


def place_of(error: BaseException) -> str:
    """Where our code failed. The message of the error is omitted: it may quote the user's plan in a public log."""
    steps: list[tuple[str, int]] = []
    step = error.__traceback__
    while step is not None:
        steps.append((step.tb_frame.f_globals.get("__name__", ""), step.tb_lineno))
        step = step.tb_next
    own_frames = [(name, line) for name, line in steps if name.startswith("gpucluster.")]
    name, line = (own_frames or steps)[-1]
    return f"{name}, line {line}"

"""The errors that users of the library and of the command meet, under one base, and the exit codes they end with.

Imports nothing of ours: every module may import it, also those whose start is waited for.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """How a command ends. `gpucluster sandbox pulumi` ends with Pulumi's own code instead."""

    OK = 0
    FINDINGS = 1
    """Something was found: over budget, a broken rule, a failed test."""
    INPUT = 2
    """The user's input has to change."""
    FAULT = 3
    """This tool, the engine or a service failed."""
    INTERRUPTED = 130
    """128 + SIGINT, as shells have it."""


class Error(Exception):
    """Base of everything that this package raises for its users."""

    exit_code: ClassVar[Exit] = Exit.FAULT


class InputError(Error):
    """Input that can't be used; the message says what to change.

    source: the message, or, with `problems`, the file or stack that has them. problems: one line for each mistake.
    others: what is wrong in further sources, told with it. A source with an empty list of problems is not named.
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
    """This tool, the engine, or a service that was asked, failed; the message says what and what to do."""

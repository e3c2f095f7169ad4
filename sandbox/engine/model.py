"""The sandbox's model of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gpucluster.errors import Fault

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Path at which a program that refuses its user's input creates a file: the command then exits with 2, not with
Pulumi's 1. A file works with every language host, whose only other channel is an error text."""
WAITS_FILE: Final = "SANDBOX_WAITS"
"""Path of the file to which a program adds a line for each of its waits, which take no time in the sandbox: seconds and
URN of what it waits for."""

Origin = Literal["PATH", "release", "built"]


class EngineError(Fault):
    """No engine is available, or ours does not start; the message contains the remedy."""


@dataclass(frozen=True)
class Engine:
    """A Pulumi engine that answered `version`."""

    binary: Path
    version: str
    origin: Origin
    language_host: Path | None
    """The folder of our `pulumi-language-python`; None if the engine includes its own."""

"""What the rest of the sandbox knows about an engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from gpucluster.errors import Fault

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Where a program that refuses its user's input makes a file: the command then ends with 2, not with Pulumi's 1. A file
works with every language host, whose only other way out is an error text."""

Origin = Literal["PATH", "release", "built"]


class EngineError(Fault):
    """No engine can be had, or ours does not start; the message tells the user what to do."""


@dataclass(frozen=True)
class Engine:
    """A Pulumi engine that answered `version`."""

    binary: Path
    version: str
    origin: Origin
    language_host: Path | None
    """The folder that holds our `pulumi-language-python`; None where the engine brings its own."""

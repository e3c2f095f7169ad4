"""Ends a Pulumi program because of what the user wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pulumi

from gpucluster.errors import InputError

__all__ = ["refuse"]

INPUT_ERROR_FILE = "SANDBOX_INPUT_ERROR"
"""Names the file that tells the sandbox so; unset elsewhere, where Pulumi's own exit code says only that it failed."""


def refuse(error: InputError) -> NoReturn:
    """Show the problems once, without a traceback, before anything is registered."""
    marker = os.environ.get(INPUT_ERROR_FILE)
    if marker:
        Path(marker).touch()
    raise pulumi.RunError(str(error)) from None

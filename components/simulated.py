"""Whether a program runs in the sandbox, which sets a variable."""

from __future__ import annotations

import os
from typing import Final

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Names the file that tells the sandbox that input was refused; otherwise Pulumi's own exit code shows only that it
failed."""


def simulated() -> bool:
    """Whether the clouds are simulated."""
    return INPUT_ERROR_FILE in os.environ

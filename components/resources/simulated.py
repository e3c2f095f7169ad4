"""Whether a program runs in the sandbox, which sets variables, and its waits for clouds."""

from __future__ import annotations

import os
from asyncio import sleep
from pathlib import Path
from typing import Final

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Names the file that tells the sandbox that input was refused; otherwise Pulumi's own exit code shows only that it
failed."""


WAITS_FILE: Final = "SANDBOX_WAITS"
"""Names the file in which the sandbox reads for how long, and for what, a program has waited."""


async def wait(seconds: int, urn: str) -> None:
    """Waits for a resource to take effect; in the sandbox that takes no time and is reported."""
    if waits := os.environ.get(WAITS_FILE):
        with Path(waits).open("a") as file:
            file.write(f"{seconds} {urn}\n")
    elif not simulated():
        await sleep(seconds)


def simulated() -> bool:
    """Whether the clouds are simulated."""
    return INPUT_ERROR_FILE in os.environ

"""The run of a program: whether it is in the sandbox, resources that `--target` skips, its end on an error of the
user's input.
"""

from __future__ import annotations

import os
from asyncio import sleep
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pulumi

from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.program.readers.without_engine import UnsentRegistrations
from gpucluster.cost.preview import NotRegistered
from gpucluster.cost.prices import BadPrices
from gpucluster.errors import InputError

INPUT_ERROR_FILE: Final = "SANDBOX_INPUT_ERROR"
"""Names the file in which the sandbox reads why input is refused; otherwise Pulumi's own exit code shows only that it
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


class Refused(InputError, pulumi.RunError):
    """Input that ends a Pulumi program, which shows it once and without a traceback."""

    def __init__(self, error: InputError) -> None:
        self.source, self.problems = error.source, error.problems
        Exception.__init__(self, str(error))


@contextmanager
def refusing() -> Generator[None]:
    """Raises Refused if input can't be used, and NotRegistered if the price book or another table is damaged; then
    nothing declared inside is registered.
    """
    queued = UnsentRegistrations()
    try:
        yield
    except BadPrices as error:
        refused = Refused(InputError("your prices", str(error).splitlines()))
    except DamagedTable as error:
        queued.withdraw()
        raise NotRegistered(str(error)) from None
    except InputError as error:
        refused = error if isinstance(error, Refused) else Refused(error)
    else:
        return
    queued.withdraw()
    if marker := os.environ.get(INPUT_ERROR_FILE):
        Path(marker).write_text(str(refused), encoding="utf-8")
    raise refused from None


def or_empty(text: pulumi.Output[str]) -> pulumi.Output[str]:
    """The text, empty if its resource is excluded, so that values built from it do not fail."""
    return text.apply(lambda found: found or "")

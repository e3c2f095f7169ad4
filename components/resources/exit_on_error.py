"""Ends a Pulumi program because of an error in the user's input."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pulumi

from gpucluster.components.resources.simulated import INPUT_ERROR_FILE
from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.program.readers.without_engine import Queued
from gpucluster.cost.preview import NotRegistered
from gpucluster.cost.prices import BadPrices
from gpucluster.errors import InputError


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
    queued = Queued()
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
        Path(marker).touch()
    raise refused from None

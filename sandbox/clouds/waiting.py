"""The waits of a provider: for a conflicting operation before a request, and for the completion of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from gpucluster.sandbox.clouds.cloud import AgainError, BusyError
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.unfinished import UnfinishedError

_T = TypeVar("_T")
_PATIENCE: Final = 200.0
"""Seconds during which a request is retried: after 20, 60 and 120 (pulumi/pulumi-azure-native
provider/pkg/azure/client_azcore.go)."""
_A_MOMENT: Final = 0.01
"""Seconds between two tries for other reasons; a real provider waits longer each time."""


class Waiting:
    """The waits of one provider; they end early when the engine cancels."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends all waits; accepted operations continue in the cloud."""
        self._stopped.set()

    def accepted(self, ask: Callable[[], _T]) -> _T:
        """The answer to a request, retried while a conflicting operation is in progress; raises CloudError."""
        begun, tries = time.monotonic(), 0
        while True:
            try:
                with self._ledger.exclusive():
                    return ask()
            except BusyError as busy:
                waited = time.monotonic() - begun
                if waited + busy.seconds > _PATIENCE or self._stopped.wait(busy.seconds):
                    raise
            except AgainError as again:
                if tries >= again.tries or self._stopped.wait(_A_MOMENT):
                    raise
                tries += 1

    def ended(self, entry: Entry) -> Entry:
        """The resource after its operation; raises UnfinishedError if it fails or the wait ends early."""
        operation = entry.operation
        if operation is None:
            return entry
        while operation.left and not self._stopped.wait(operation.left):
            pass
        stopped = self._stopped.is_set()
        with self._ledger.exclusive():
            self._ledger.settle()
            there = self._ledger.get(entry.provider, entry.scope, entry.type, entry.id)
        if stopped:
            raise UnfinishedError(f"canceled while {entry.name or entry.id} was {operation.state}", there or entry)
        if operation.error:
            raise UnfinishedError(operation.error, there or entry)
        return there or entry

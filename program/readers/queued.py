"""Cancels what a program has queued for the engine.

An error at the end of a program does not stop its declarations: the SDK still sends every registration before it
reports the error, so an `up` without a preview would create what was just refused. At that moment none of them has
started, so they can be cancelled. The stack itself, queued before the program began, continues.
"""

from __future__ import annotations

import asyncio
from typing import Any

from pulumi.runtime import get_root_resource

from gpucluster.program.readers.private_sdk import await_only, awaited_outputs


class Queued:
    """Tasks queued from now on."""

    def __init__(self) -> None:
        self._tasks = _tasks()
        self._outputs = set(awaited_outputs())
        self._exported = set(_exports())

    def withdraw(self) -> None:
        """Cancel everything queued since this object was created, except the caller's own task."""
        for task in _tasks() - self._tasks:
            task.cancel()
        # Values that will never be set: the SDK would wait for them.
        await_only(self._outputs)
        # The stack still sends its exports, and would wait for values of cancelled tasks.
        exports = _exports()
        for name in exports.keys() - self._exported:
            del exports[name]


def _exports() -> dict[str, Any]:
    return getattr(get_root_resource(), "outputs", {})


def _tasks() -> set[asyncio.Task[object]]:
    try:
        return asyncio.all_tasks()
    except RuntimeError:  # No loop runs: nothing can be queued.
        return set()

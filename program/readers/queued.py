"""Takes back what a program has queued for the engine.

An error at the end of a program does not stop what it declared: the SDK still sends every registration before it
reports the error, so an `up` without a preview would build what was just refused. At that moment nothing of it has
started, so it can be cancelled. The stack itself, queued before the program began, goes on.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from pulumi.runtime import get_root_resource
from pulumi.runtime.settings import SETTINGS


class Queued:
    """What is queued from now on."""

    def __init__(self) -> None:
        self._tasks = _tasks()
        self._outputs = set(_tracked())
        self._exported = set(_exports())

    def withdraw(self) -> None:
        """Cancel everything queued since this object was made, but for the caller's own task."""
        for task in _tasks() - self._tasks:
            task.cancel()
        # Values that nothing will give any more: the SDK would wait for them.
        with cast(Any, SETTINGS).lock:
            _tracked().intersection_update(self._outputs)
        # The stack sends what is exported even then, and would wait for values of what is taken back.
        exports = _exports()
        for name in exports.keys() - self._exported:
            del exports[name]


def _exports() -> dict[str, Any]:
    return getattr(get_root_resource(), "outputs", {})


def _tracked() -> set[asyncio.Future[Any]]:
    return cast(Any, SETTINGS).outputs


def _tasks() -> set[asyncio.Task[object]]:
    try:
        return asyncio.all_tasks()
    except RuntimeError:  # No loop runs: nothing can be queued.
        return set()

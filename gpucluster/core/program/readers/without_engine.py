"""Cancels what a program has queued for the engine.

An error at the end of a program does not stop its declarations: the SDK still sends every registration before it
reports the error, so an `up` without a preview would create what was just refused. At that moment none of them has
started, so they can be cancelled. The stack itself, queued before the program began, continues.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
from pulumi.runtime import get_root_resource, mocks, settings
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import run_in_stack

from gpucluster.core.program.readers.private_sdk import await_only, awaited_outputs, reset_sdk


class UnsentRegistrations:
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


class _MonitorWithOutputs:
    """A monitor, and the engine's own answer: that the stack has no outputs yet."""

    def __init__(self, monitor: mocks.MockMonitor) -> None:
        self._monitor = monitor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._monitor, name)

    def Invoke(self, request: Any) -> Any:
        if request.tok == "pulumi:pulumi:readStackOutputs":
            return resource_pb2.ResourceInvokeResponse()
        return cast(Any, self._monitor).Invoke(request)


async def run_without_engine(
    body: Callable[[], None],
    monitor: mocks.MockMonitor,
    engine: mocks.MockEngine,
    *,
    project: str,
    stack: str,
    preview: bool = True,
    root: Path | None = None,
    config: Mapping[str, str] | None = None,
) -> None:
    """Runs `body` as the program of a stack, and awaits its declarations. root: the folder of its project."""
    settings.configure(
        mocks.MockSettings(
            monitor=cast(Any, _MonitorWithOutputs(monitor)),
            monitor_features=set(cast(Any, monitor.GetDeploymentInfo(cast(Any, None))).supportedFeatures),
            engine=engine,
            project=project,
            stack=stack,
            dry_run=preview,
            organization="organization",  # as in a local backend
            callbacks=None,
            root_directory=None if root is None else str(root),
        )
    )
    settings.set_root_resource(cast(Any, None))
    reset_sdk()
    pulumi.runtime.set_all_config(dict(config or {}))
    await run_in_stack(body)

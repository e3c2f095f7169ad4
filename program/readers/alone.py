"""Runs a Pulumi program without an engine: against a substitute, once or many times in one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pulumi
from pulumi.runtime import mocks, settings
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.stack import run_in_stack

from gpucluster.program.readers.private_sdk import forget_the_last_program


class _WithTheEngine:
    """A monitor, and the engine's own answer: that the stack has no outputs yet."""

    def __init__(self, monitor: mocks.MockMonitor) -> None:
        self._monitor = monitor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._monitor, name)

    def Invoke(self, request: Any) -> Any:
        if request.tok == "pulumi:pulumi:readStackOutputs":
            return resource_pb2.ResourceInvokeResponse()
        return cast(Any, self._monitor).Invoke(request)


async def run_alone(
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
            monitor=cast(Any, _WithTheEngine(monitor)),
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
    forget_the_last_program()
    pulumi.runtime.set_all_config(dict(config or {}))
    await run_in_stack(body)

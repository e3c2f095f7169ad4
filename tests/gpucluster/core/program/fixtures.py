"""Resources made in one line, what the engine recorded, and programs run as the SDK runs them."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi.runtime import mocks, rpc
from pulumi.runtime.proto import resource_pb2

from gpucluster.core.program.readers.records import UNKNOWN_TEXT, plain_value
from gpucluster.core.program.readers.running import Watched, watch
from gpucluster.core.program.readers.without_engine import run_without_engine
from gpucluster.core.program.resources import Resource, Resources

HERE = Path(__file__).parent

MakeResource = Callable[..., Resource]


class _Preview(mocks.Mocks):
    """Echoes inputs and knows no ids, as a first preview does."""

    def call(self, args: mocks.MockCallArgs) -> Any:  # noqa: ARG002
        return {}

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        return "", args.inputs


class _Monitor(mocks.MockMonitor):
    """A mock monitor that keeps every registration and builds URNs as the engine does."""

    def __init__(self) -> None:
        super().__init__(_Preview())
        self.requests: list[tuple[str, resource_pb2.RegisterResourceRequest]] = []

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        above = parent.split("::")[2] if parent else ""
        prefix = "" if above in ("", "pulumi:pulumi:Stack") else f"{above}$"
        return f"urn:pulumi:{pulumi.get_stack()}::{pulumi.get_project()}::{prefix}{type_}::{name}"

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> Any:
        self.requests.append((self.make_urn(request.parent, request.type, request.name), request))
        return super().RegisterResource(request)


@dataclass
class Run:
    """What a program's run gave: what `watch` saw at its end, and what the SDK then sent."""

    seen: Resources
    sent: dict[str, Resource] = field(default_factory=dict)


def _sent(urn: str, request: resource_pb2.RegisterResourceRequest) -> Resource:
    inputs = rpc.deserialize_properties(request.object, keep_unknowns=True)
    return Resource(
        urn=urn,
        type=request.type,
        name=request.name,
        inputs=plain_value(_plain(inputs)),
        custom=request.custom,
        parent=request.parent or None,
        provider=request.provider.rsplit("::", 1)[0] or None,
        dependencies={
            key: tuple(sorted(found.urns)) for key, found in request.propertyDependencies.items() if found.urns
        },
    )


def _plain(value: Any) -> Any:
    if isinstance(value, pulumi.output.Unknown):
        return UNKNOWN_TEXT
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


@contextmanager
def _new_loop() -> Generator[asyncio.AbstractEventLoop]:
    """Not `asyncio.run`, which takes the loop of the thread away from other tests. The SDK's mocks give each thread a
    loop, and close none.
    """
    loops = [asyncio.new_event_loop()]

    def give() -> None:
        loops.append(own := asyncio.new_event_loop())
        asyncio.set_event_loop(own)

    try:
        with ThreadPoolExecutor(initializer=give) as threads:
            loops[0].set_default_executor(threads)
            yield loops[0]
    finally:
        for loop in loops:
            loop.close()


RunProgram = Callable[..., Run]


@pytest.fixture
def run_program() -> RunProgram:
    """`run_program(function)` or `run_program(path)`; a path's program calls `watch` itself and names it `watched`."""

    def run(
        program: Callable[[], None] | Path,
        *,
        at_end: Callable[[Watched], None] | None = None,
        preview: bool = True,
        **config: str,
    ) -> Run:
        monitor = _Monitor()
        found: list[Resources] = []
        engine = mocks.MockEngine(None)

        def body() -> None:
            if isinstance(program, Path):
                watched = runpy.run_path(str(program))["watched"]
            else:
                watched = watch()
                program()
            found.append(watched.resources())
            if at_end is not None:
                at_end(watched)

        given = {key.replace("__", ":"): value for key, value in config.items()}
        main = run_without_engine(body, monitor, engine, project="example", stack="dev", preview=preview, config=given)
        with _new_loop() as loop:
            loop.run_until_complete(main)
        return Run(found[0], {urn: _sent(urn, request) for urn, request in monitor.requests})

    return run


@pytest.fixture
def recordings() -> Path:
    """Files that the engine wrote for the example program."""
    return HERE / "recordings"


@pytest.fixture
def make() -> MakeResource:
    """`make(type, name, **inputs)`, with `parent`, `provider`, `dependencies`, `custom`, `remote` and `outputs` where
    needed.
    """

    def resource(
        type_: str,
        name: str = "it",
        /,
        *,
        parent: Resource | None = None,
        provider: Resource | None = None,
        dependencies: Mapping[str, Resource] | None = None,
        custom: bool = True,
        remote: bool = False,
        outputs: Mapping[str, Any] | None = None,
        **inputs: Any,
    ) -> Resource:
        above = f"{parent.urn.split('::')[2]}$" if parent else ""
        return Resource(
            urn=f"urn:pulumi:dev::test::{above}{type_}::{name}",
            type=type_,
            name=name,
            inputs=inputs,
            outputs=outputs or {},
            custom=custom,
            remote=remote,
            parent=parent.urn if parent else None,
            provider=provider.urn if provider else None,
            dependencies={key: (found.urn,) for key, found in (dependencies or {}).items()},
        )

    return resource

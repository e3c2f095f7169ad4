"""What holds for every test."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Generator

import pytest

# Where this is set, as in many container images, every program that the tests start compiles the clouds' SDKs anew,
# which takes as long as all the rest of a preview; and every run of tests all that it collects.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Programs show what they show users by default; `full_output` is for tests that read more.
os.environ.pop("GPUCLUSTER_OUTPUT", None)
# Read when gRPC is imported, which any test may do: tests/sweep/__init__.py says what it is for.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"


@pytest.fixture
def full_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Previews also show sources, assumptions and every note."""
    monkeypatch.setenv("GPUCLUSTER_OUTPUT", "full")


BUILT = frozenset({"binaries", "browser", "expand", "judge_jobs", "judged", "tool"})
"""Fixtures that start a program besides the engine: built or fetched first, which `make test-all` does."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fixtures find a loop in their thread, as a program of the engine does."""
    _give_loop()
    _keep_checkpoints(item.get_closest_marker("checkpoints") is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    """And so do tests."""
    _give_loop()


def _give_loop() -> None:
    """Anew, where `asyncio.run` of another test or of a fixture took it away."""
    try:
        asyncio.get_event_loop()
    except RuntimeError:
        asyncio.set_event_loop(asyncio.new_event_loop())


def _keep_checkpoints(wanted: bool) -> None:
    """Engines write the whole state at each operation, or once at the end: half of the work of building a trial."""
    if wanted:
        os.environ.pop("PULUMI_SKIP_CHECKPOINTS", None)
    else:
        os.environ["PULUMI_SKIP_CHECKPOINTS"] = "true"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays to the end: the collector would walk it again and again, to find nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What the tests of a module share, such as a stack that stands, is made once: those that use it run on one worker
    (`pytest -n 2 --dist loadgroup`).
    """
    for item in items:
        assert isinstance(item, pytest.Function)
        if item.get_closest_marker("core") is not None or not BUILT.isdisjoint(item.fixturenames):
            item.add_marker(pytest.mark.slow)
        shared = item._fixtureinfo.name2fixturedefs.values()
        if any(definition.scope == "module" for definitions in shared for definition in definitions):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
    # Slow ones first: one of minutes that begins last would leave the other workers with nothing to do.
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)

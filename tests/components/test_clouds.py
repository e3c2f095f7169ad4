"""What Pulumi is told of the place where a part of a cluster is declared."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks

from gpucluster.components.clouds import declaring

PLAN: Any = SimpleNamespace(
    name="trial",
    training=SimpleNamespace(shape=SimpleNamespace(cloud="aws")),
    facts=SimpleNamespace(losses=(), notes=()),
)


class Nothing(Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return args.name, {}

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(args.token)


class Monitor(MockMonitor):
    """Keeps what it is asked to register, by name, components left out."""

    def __init__(self) -> None:
        super().__init__(Nothing())
        self.asked: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:
        if request.custom:
            self.asked[request.name] = request
        return super().RegisterResource(request)


class Thing(pulumi.CustomResource):
    def __init__(self, name: str) -> None:
        super().__init__("test:index:Thing", name, {})


def _deep(name: str, calls: int) -> int:
    """Declares it below so many calls, in the line that is returned."""
    if calls:
        return _deep(name, calls - 1)
    Thing(name)
    return inspect.currentframe().f_lineno - 1


def test_pulumi_learns_the_line_of_a_resource_and_few_of_the_calls_that_led_there() -> None:
    monitor = Monitor()
    pulumi.runtime.set_mocks(Nothing(), monitor=monitor)
    lines: dict[str, int] = {}

    @pulumi.runtime.test
    def program() -> None:
        with declaring(PLAN):
            lines["within"] = _deep("within", 30)
        lines["after"] = _deep("after", 30)

    program()
    within, after = monitor.asked["within"], monitor.asked["after"]
    here = Path(__file__).as_uri()
    assert {name: (asked.sourcePosition.uri, asked.sourcePosition.line) for name, asked in monitor.asked.items()} == {
        name: (here, line) for name, line in lines.items()
    }
    assert 3 <= len(within.stackTrace.frames) < 10
    assert len(after.stackTrace.frames) > 30


def test_the_limit_of_whoever_runs_the_program_is_kept_also_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in (3, 500):
        monkeypatch.setattr(sys, "tracebacklimit", limit, raising=False)
        with pytest.raises(ZeroDivisionError), declaring(PLAN):
            assert sys.tracebacklimit == min(limit, 10)
            raise ZeroDivisionError
        assert sys.tracebacklimit == limit

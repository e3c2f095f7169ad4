"""What a model refuses, and what a program registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from components.kubernetes.objects import Part, check
from components.plan import PlanError

Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        return args.name, {"name": args.name, **args.inputs}

    def call(self, args: MockCallArgs) -> dict[Any, Any]:
        raise AssertionError(args.token)


@pytest.fixture
def registered() -> Callable[[Callable[[], object]], Registered]:
    """Runs a program and gives (type, name, inputs) of all it registers, components left out."""

    def run(program: Callable[[], object]) -> Registered:
        recorder = Recorder()
        pulumi.runtime.set_mocks(recorder, preview=False)

        @pulumi.runtime.test
        def started() -> None:
            program()

        started()
        return [item for item in recorder.seen if not item[0].startswith("gpucluster:")]

    return run


@pytest.fixture
def refused() -> Callable[[type[Part], Mapping[str, Any]], list[str]]:
    """What a model refuses in a spec; nothing where it takes it."""

    def run(model: type[Part], spec: Mapping[str, Any]) -> list[str]:
        try:
            check(model, spec, "it", at="spec")
        except PlanError as error:
            return [problem.removeprefix("it: ") for problem in error.problems]
        return []

    return run

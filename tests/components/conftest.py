"""The trial spec and variations of it, and what a program registers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pulumi
import pytest
import yaml
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs

from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.stack.declaration import few_calls

ROOT = Path(__file__).parents[2]
Vary = Callable[..., ClusterSpec]
Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Protocol):
    """A cloud that answers, and remembers (type, name, inputs) of all it was asked to make."""

    seen: Registered

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]: ...

    def call(self, args: MockCallArgs) -> dict[Any, Any]: ...


@pytest.fixture
def trial() -> dict[str, Any]:
    """The trial spec as YAML gives it."""
    return yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())


@pytest.fixture
def vary(trial: dict[str, Any]) -> Vary:
    """A spec like the trial's with some fields changed."""
    return lambda **changes: ClusterSpec.model_validate({**trial, **changes})


@pytest.fixture(scope="module")
def registered(recorder: Recorder) -> Callable[[Callable[[], object]], Registered]:
    """Runs a program and gives (type, name, inputs) of all it registers, components left out."""

    def run(program: Callable[[], object]) -> Registered:
        recorder.seen.clear()
        pulumi.runtime.set_mocks(recorder, preview=False)  # pyright: ignore[reportArgumentType]

        @pulumi.runtime.test
        def started() -> None:
            program()

        with few_calls():
            started()
        return [item for item in recorder.seen if not item[0].startswith("gpucluster:")]

    return run

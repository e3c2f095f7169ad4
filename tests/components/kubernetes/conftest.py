"""What a cluster answers to a program."""

from __future__ import annotations

from typing import Any

import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

Registered = list[tuple[str, str, dict[str, Any]]]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: Registered = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        return args.name, dict(args.inputs)

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(args.token)


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()

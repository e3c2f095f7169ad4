"""How the resources of a cluster follow its spec."""

from __future__ import annotations

from collections.abc import Callable

from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]


def test_more_nodes_are_the_same_resources(register: Register) -> None:
    few = {(args.typ, name) for name, args in register().items()}
    many = {(args.typ, name) for name, args in register(training={"nodes": 400, "spares": 20}).items()}
    assert many == few

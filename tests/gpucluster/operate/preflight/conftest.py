"""A machine that reaches nothing but itself, and a plan whose program is not run."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest

from gpucluster.operate.preflight import command
from gpucluster.operate.preflight.declared import Declared

DECLARED = Declared(
    types=frozenset({"aws:ec2/vpc:Vpc"}), charts=frozenset({("oci://registry.k8s.io/kueue/charts/kueue", "")})
)


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens at the proxy."""
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")


@pytest.fixture(autouse=True)
def _declared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading the SDKs of a program takes seconds; `slow` tests do."""

    @contextmanager
    def at_once(_: Any) -> Generator[Callable[[], Declared]]:
        yield lambda: DECLARED

    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr(command, "declaring", at_once)

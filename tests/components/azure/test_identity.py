"""Roles are waited for until all of Azure knows them, and only then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pulumi
import pytest

from gpucluster.components.azure import identity


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Seconds that were waited for, by URN."""
    seen: dict[str, int] = {}

    async def wait(seconds: int, urn: str) -> None:
        seen[urn] = seconds

    monkeypatch.setattr(identity, "wait", wait)
    return seen


def wait(*ages: timedelta | None, preview: bool = False) -> None:
    """The grants are a, b, and so on."""
    pulumi.runtime.set_mocks(_Nothing(), preview=preview)
    now = datetime.now(UTC)
    # As Azure writes it: seven digits of a second.
    moments = [None if age is None else f"{now - age:%Y-%m-%dT%H:%M:%S.%f}0Z" for age in ages]

    @pulumi.runtime.test
    def started() -> pulumi.Output[None]:
        grants = list(zip("abc", moments, strict=False))
        return pulumi.Output.from_input(grants).apply(identity._wait)  # pyright: ignore[reportPrivateUsage]

    started()


class _Nothing(pulumi.runtime.Mocks):
    def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
        raise AssertionError(args.token)

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, object]]:
        raise AssertionError(args.name)


def test_five_minutes_after_each_role(waited: dict[str, int]) -> None:
    wait(timedelta(hours=2), timedelta(minutes=1), timedelta(minutes=3))
    assert waited.keys() == {"b", "c"}
    assert (230 < waited["b"] <= 240, 110 < waited["c"] <= 120) == (True, True)


def test_what_was_granted_long_ago_is_known(waited: dict[str, int]) -> None:
    wait(timedelta(minutes=6), None)
    assert waited == {}


def test_a_preview_never_waits(waited: dict[str, int]) -> None:
    wait(timedelta(0), preview=True)
    assert waited == {}

"""Roles are waited for until all of Azure knows them, and only then."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pulumi
import pytest

from gpucluster.components.azure import propagation


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that were waited for."""
    seen: list[float] = []

    async def sleep(seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr(propagation, "sleep", sleep)
    return seen


def wait(*ages: timedelta | None, preview: bool = False) -> None:
    pulumi.runtime.set_mocks(_Nothing(), preview=preview)
    now = datetime.now(UTC)
    # As Azure writes it: seven digits of a second.
    moments = [None if age is None else f"{now - age:%Y-%m-%dT%H:%M:%S.%f}0Z" for age in ages]

    @pulumi.runtime.test
    def started() -> pulumi.Output[None]:
        return pulumi.Output.from_input(moments).apply(propagation._wait)  # pyright: ignore[reportPrivateUsage]

    started()


class _Nothing(pulumi.runtime.Mocks):
    def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
        raise AssertionError(args.token)

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, object]]:
        raise AssertionError(args.name)


def test_five_minutes_after_the_youngest_role(waited: list[float]) -> None:
    wait(timedelta(hours=2), timedelta(minutes=1))
    [seconds] = waited
    assert 230 < seconds <= 240


def test_what_was_granted_long_ago_is_known(waited: list[float]) -> None:
    wait(timedelta(minutes=6), None)
    assert waited == []


def test_a_preview_never_waits(waited: list[float]) -> None:
    wait(timedelta(0), preview=True)
    assert waited == []

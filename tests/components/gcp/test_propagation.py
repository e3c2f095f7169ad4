"""A grant is waited for after it is made, and never in the sandbox."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from gpucluster.components.gcp import propagation
from gpucluster.components.simulated import INPUT_ERROR_FILE


@pytest.mark.parametrize(("sandbox", "expected"), [(False, [120]), (True, [])])
def test_two_minutes_on_the_real_cloud(monkeypatch: pytest.MonkeyPatch, sandbox: bool, expected: list[int]) -> None:
    seen: list[float] = []

    async def sleep(seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr(propagation, "sleep", sleep)
    monkeypatch.delenv(INPUT_ERROR_FILE, raising=False)
    if sandbox:
        monkeypatch.setenv(INPUT_ERROR_FILE, "anything")
    [wait] = propagation.known_everywhere().after_create or []
    asyncio.run(cast("Any", wait)(None))
    assert seen == expected

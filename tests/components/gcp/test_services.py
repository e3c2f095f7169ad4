"""An API or a grant is waited for after it is made, and never in the sandbox, which is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gpucluster.components.gcp import services
from gpucluster.components.resources import run


@pytest.mark.parametrize(("binding", "seconds"), [(services.after_grant, 120), (services.after_api, 60)])
@pytest.mark.parametrize("sandbox", [False, True])
def test_it_takes_its_time_on_the_real_cloud(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, binding: Callable[[], Any], seconds: int, sandbox: bool
) -> None:
    slept: list[float] = []

    async def sleep(duration: float) -> None:
        slept.append(duration)

    monkeypatch.setattr(run, "sleep", sleep)
    for name in (run.INPUT_ERROR_FILE, run.WAITS_FILE):
        monkeypatch.delenv(name, raising=False)
    waits = tmp_path / "waits"
    if sandbox:
        monkeypatch.setenv(run.WAITS_FILE, str(waits))
    [wait] = binding().after_create or []
    asyncio.run(cast("Any", wait)(SimpleNamespace(urn="urn:it")))
    assert slept == ([] if sandbox else [seconds])
    assert waits.exists() == sandbox
    assert not sandbox or waits.read_text() == f"{seconds} urn:it\n"

from __future__ import annotations

import threading

import pytest

from gpucluster.sandbox.engine.progress import duration, heartbeat
from tests.waiting import LIMIT


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (280.2, "4 min 40 s")])
def test_durations_read_as_minutes_and_seconds(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_long_step_says_that_it_is_alive_and_how_far_it_is() -> None:
    lines: list[str] = []
    alive = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        alive.set()

    with heartbeat(say, "Building", lambda: "7 packages compiled", every=0.01):
        assert alive.wait(LIMIT)
    assert lines[0] == "Building: 0 s so far, 7 packages compiled"


def test_a_short_step_says_nothing(said: list[str]) -> None:
    with heartbeat(said.append, "Building"):
        pass
    assert said == []

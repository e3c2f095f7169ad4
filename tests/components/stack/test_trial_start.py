"""When a stack was first built, read from a state that another process writes."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from gpucluster.components.stack import trial_start as module
from gpucluster.components.stack.trial_start import beginning

BEGUN = "2026-11-01T08:00:00+00:00"


@pytest.fixture
def waited(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds slept."""
    found: list[float] = []
    monkeypatch.setattr(module.time, "sleep", found.append)
    for name in ("organization", "project", "stack"):
        monkeypatch.setattr(pulumi, f"get_{name}", lambda name=name: name)
    return found


def _answers(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> None:
    left = list(answers)

    def invoke(token: str, args: dict[str, Any]) -> Any:
        assert (token, args) == ("pulumi:pulumi:readStackOutputs", {"name": "organization/project/stack"})
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return SimpleNamespace(value=answer)

    monkeypatch.setattr(pulumi.runtime, "invoke", invoke)


def test_a_state_that_is_just_written_is_read_again(monkeypatch: pytest.MonkeyPatch, waited: list[float]) -> None:
    broken = Exception("invoke of pulumi:pulumi:readStackOutputs failed: failed to load checkpoint: EOF")
    _answers(monkeypatch, broken, broken, {"outputs": {"begun": BEGUN}})
    assert beginning() == datetime(2026, 11, 1, 8, tzinfo=UTC)
    assert waited == [0.05, 0.1]


def test_a_state_that_stays_unreadable_ends_the_program_with_its_error(
    monkeypatch: pytest.MonkeyPatch, waited: list[float]
) -> None:
    _answers(monkeypatch, *[Exception("failed to load checkpoint: EOF")] * 6)
    with pytest.raises(Exception, match="failed to load checkpoint: EOF"):
        beginning()
    assert sum(waited) < 2


def test_a_preview_before_the_first_update_knows_no_beginning(
    monkeypatch: pytest.MonkeyPatch, waited: list[float]
) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)
    _answers(monkeypatch, {"outputs": {}})
    assert (beginning(), waited) == (None, [])

"""The sweep in short: every kind of fault at some operations of each trial. `make sweep` tries every operation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.catalog.clouds import clouds
from gpucluster.sandbox.engine.language_host import children
from tests.sweep.__main__ import moments, sweep
from tests.sweep.cases import KINDS, secrets_of
from tests.sweep.recording import Call, load, save

_EVERY = 140


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.parametrize("cloud", clouds())
def test_a_fault_at_any_operation_is_set_right_by_the_next_command(cloud: str, tmp_path: Path) -> None:
    children.warm_up()
    outcomes = [
        outcome
        for direction in ("up", "update", "destroy")
        for outcome in sweep(tmp_path / cloud, f"{cloud}-trial", direction, KINDS, _EVERY, 2, tmp_path / "results")
    ]
    assert len(outcomes) > 2 * len(KINDS)
    assert [outcome for outcome in outcomes if outcome.problem] == []


def test_a_sample_tries_each_kind_at_operations_of_its_own_and_the_whole_tries_all() -> None:
    assert moments(7, ("quota", "lost"), 4) == [(1, "quota"), (3, "lost"), (5, "quota"), (7, "lost")]
    assert moments(2, ("quota", "lost"), 1) == [(1, "lost"), (1, "quota"), (2, "lost"), (2, "quota")]


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    calls = [Call("RegisterResource", b"\x00asked", b"said"), Call("RegisterResourceOutputs", b"", b"")]
    save(calls, tmp_path / "up.json")
    assert load(tmp_path / "up.json") == calls


def test_secrets_are_found_wherever_a_program_puts_them() -> None:
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": "correct horse"}
    assert secrets_of([{"a": [{"b": secret}]}, {"c": "plain text"}]) == {"correct horse"}

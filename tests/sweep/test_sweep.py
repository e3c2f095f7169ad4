"""The sweep in short: some faults at some operations of each trial. `make sweep` tries every one at every operation."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.sandbox.clouds.types.values import Secret
from gpucluster.sandbox.engine.language_host import children
from tests.sweep.__main__ import sweep, tours
from tests.sweep.commands import prepared, secrets_of
from tests.sweep.recording import Call, load, save
from tests.sweep.stage import Fault, Operation, Stage
from tests.sweep.tour import KINDS, Tour

_APART = 60
_SHORT = {
    "aws": {"up": "partial", "update": "refused"},
    "gcp": {"update": "partial", "destroy": "crash"},
    "azure": {"up": "partial", "destroy": "kill"},
}
"""Cloud -> command -> kind of fault."""


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("cloud", _SHORT)
def test_a_fault_at_any_operation_is_set_right_by_the_next_command(
    cloud: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    children.warm_up(tmp_path)
    stack = f"{cloud}-trial"
    for direction, kind in _SHORT[cloud].items():
        rounds = sweep(tmp_path, stack, direction, (kind,), _APART)
        assert [one for one in rounds if one.problem] == []
        assert sum(len(one.operations) for one in rounds) > 1
        assert sweep(tmp_path, stack, direction, (kind,), _APART) == []
    # And without the command that sets it right the sweep tells.
    monkeypatch.setattr(Stage, "recover", lambda _: None)
    with prepared(tmp_path / stack, stack, "up") as (command, secrets):
        first = next(Tour(command, "kill", True, command.order[:1], secrets).rounds())
    assert "state and clouds differ: orphans=['urn:" in first.problem


@pytest.mark.parametrize("direction", ["up", "update"])
def test_each_kind_meets_every_operation(direction: str) -> None:
    order = tuple(Operation("create", "a:b:C", str(number)) for number in range(20))
    met = {
        kind: {each for one, _, found in tours(order, direction, KINDS, 1) if one == kind for each in found}
        for kind in KINDS
    }
    assert met == {kind: set(order) for kind in KINDS}


def test_an_update_goes_on_past_no_fault() -> None:
    order = tuple(Operation("update", "a:b:C", str(number)) for number in range(20))
    assert list(tours(order, "update", KINDS, 1)) == [(kind, True, order) for kind in KINDS]


def test_a_fault_meets_an_operation_so_many_times() -> None:
    fault = Fault(operations=frozenset({Operation("create", "a:b:C", "one")}), tries=2)
    asked = [
        ("create", "one"),
        ("read", "one"),
        ("delete", "one"),
        ("create", "other"),
        ("create", "one"),
        ("create", "one"),
    ]
    said = [fault.concerns("a:b:C", (name, "name in the cloud"), request) for request, name in asked]
    assert said == [True, False, False, False, True, False]
    assert len(fault.asked) == 5


def test_a_recording_is_read_as_it_was_written(tmp_path: Path) -> None:
    calls = [Call("RegisterResource", b"\x00asked", b"said"), Call("RegisterResourceOutputs", b"", b"")]
    save(calls, tmp_path / "up.json")
    assert load(tmp_path / "up.json") == calls


def test_secrets_are_found_wherever_a_program_puts_them() -> None:
    assert list(secrets_of([{"a": [{"b": Secret("correct horse")}]}, {"c": "plain text"}])) == ["correct horse"]

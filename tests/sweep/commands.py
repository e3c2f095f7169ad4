"""The commands of a sweep, undisturbed: recorded once, replayed once, and kept with the stack before and after them."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click
from pulumi.runtime.proto import resource_pb2

from gpucluster.sandbox.clouds.types.values import Secret, from_struct, plain
from tests.sweep.recording import Call, Recorder, Replayer, load, save
from tests.sweep.stage import Fault, Operation, Ran, Stage, copied, made, serving
from tests.sweep.tour import Command

__all__ = ["DIRECTIONS", "prepared", "secrets_of"]

DIRECTIONS: Final = ("up", "update", "destroy")
_SHORTEST: Final = 8


@contextmanager
def prepared(folder: Path, stack: str, direction: str) -> Generator[tuple[Command, frozenset[str]]]:
    """A command of a stack, and the stack's secrets; one process at a time makes them."""
    folder.mkdir(parents=True, exist_ok=True)
    if direction != "up":
        with prepared(folder, stack, "up"):
            pass
    with (folder / "lock").open("w") as lock, serving(replayer := Replayer([])) as port:
        fcntl.flock(lock, fcntl.LOCK_EX)
        recordings = _recordings(folder, stack)
        replayer.calls = recordings["update" if direction == "update" else "up"]
        command = _undisturbed(folder, stack, direction, port)
        fcntl.flock(lock, fcntl.LOCK_UN)
        yield command, frozenset(text for calls in recordings.values() for text in secrets_of(_registered(calls)))


def _recordings(folder: Path, stack: str) -> dict[str, list[Call]]:
    """The registrations of the stack, and of its update: another owner, a node less. Made once."""
    files = {name: folder / f"{name}.json" for name in ("up", "update")}
    if not files["update"].exists():
        with serving(recorder := Recorder()) as port:
            real = copied(made(folder / "empty", stack), folder / "recorded")
            for name, file in files.items():
                if name == "update":
                    _change(real)
                _refuse_failed(real.run("up", port=port), f"the program of {stack}")
                save(recorder.calls, file)
    return {name: load(file) for name, file in files.items()}


def _change(stage: Stage) -> None:
    spec = stage.root / "stacks" / "specs" / "trial.yaml"
    spec.write_text(spec.read_text().replace("nodes: 4", "nodes: 3", 1).replace("owner: ml-platform", "owner: other"))


def _undisturbed(folder: Path, stack: str, direction: str, port: int) -> Command:
    words = {"destroy": ("destroy", "--exclude-protected")}.get(direction, ("up",))
    start, end = Stage(folder / ("empty" if direction == "up" else "up"), stack), Stage(folder / direction, stack)
    order = folder / f"{direction}-order.json"
    if not order.exists():
        fault = Fault()
        _refuse_failed(copied(start, end.root).run(*words, port=port, fault=fault), f"{direction} of {stack}")
        order.write_text(json.dumps([operation for operation, _ in fault.asked]))
    operations = tuple(Operation(*each) for each in json.loads(order.read_text()))
    assert len(set(operations)) == len(operations)
    return Command(direction, words, port, start, end, operations)


def _refuse_failed(ran: Ran, what: str) -> None:
    if ran.code:
        raise click.ClickException(f"{what} fails by itself: {ran.output[-2000:]}")


def _registered(calls: list[Call]) -> list[Any]:
    asked = [call.request for call in calls if call.method == "RegisterResource"]
    return [from_struct(resource_pb2.RegisterResourceRequest.FromString(request).object) for request in asked]


def secrets_of(value: Any) -> Iterator[str]:
    """The texts that a program marks as secrets, of some length, wherever it puts them."""
    if isinstance(value, Secret):
        text = value.value if isinstance(value.value, str) else json.dumps(plain(value.value))
        yield from [text] if len(text) >= _SHORTEST else []
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from secrets_of(item)

"""A command that meets one kind of fault at each of its operations, in rounds, until it comes through.

In a round the command runs, and what it asks for meets the fault, each operation once in a tour. The next round goes on
with the state and the clouds that this one leaves, so it is the next command that has to set all right. Alone: a round
ends at its first fault, as `up` does; else the command has --continue-on-error, and a round meets all that does not
depend on what failed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.core.program.resources import urn_name
from gpucluster.errors import Error
from gpucluster.sandbox.clouds.events.long_running import stays_failed
from gpucluster.sandbox.state.damage import differences
from tests.sweep.stage import Fault, Operation, Ran, Stage, copied

__all__ = ["KINDS", "Command", "Round", "Tour"]

KINDS: Final = ("refused", "partial", "throttled", "timeout", "crash", "kill")
"""As in a scenario; kill: the engine dies with the provider."""

_TRIES: Final = 3
_LOSES: Final = frozenset({"timeout", "crash", "kill"})
"""After which the state may not know what the clouds did."""
_LOGGED: Final = 10
"""Rounds from one that keeps the engine's log to the next."""
_KEPT: Final = ("state", "home/logs", "copies")


@dataclass(frozen=True)
class Round:
    """operations: those that met the fault. problem: empty where all came right. last: of its tour."""

    stack: str
    direction: str
    kind: str
    alone: bool
    operations: tuple[Operation, ...]
    problem: str
    seconds: float
    last: bool


@dataclass(frozen=True)
class Command:
    """words: for the engine. start, end: the stack before it, and after it undisturbed. order: what it does then."""

    direction: str
    words: tuple[str, ...]
    port: int
    start: Stage
    end: Stage
    order: tuple[Operation, ...]


@dataclass
class Tour:
    """operations: that shall meet the fault. left: those that have not yet."""

    command: Command
    kind: str
    alone: bool
    operations: Sequence[Operation]
    secrets: frozenset[str]

    def rounds(self, before: Sequence[Round] = ()) -> Iterator[Round]:
        """Those that follow some before."""
        folder = f"{self.command.direction}-{self.kind}{'-alone' * self.alone}"
        self.stage = Stage(self.command.end.root.parent / folder, self.command.end.stack)
        self.left = [it for it in self.operations if not any(it in one.operations for one in before)]
        number, last, problems = len(before), False, ["broken off"] if before else []
        self._begin()
        while not last:
            begun = time.monotonic()
            if problems:
                # To where the command is when only what is left goes wrong.
                self._begin()
                self._run("refused")
            ran, met = self._run(self.kind, logs=number % _LOGGED == 0)
            self.left = [it for it in self.left if it not in met]
            number, last = number + 1, ran.code == 0 or not met
            problems = [*self._problems(ran, met), *(self._at_the_end(ran) if last else ())]
            took = round(time.monotonic() - begun, 1)
            about = self.stage.stack, self.command.direction, self.kind, self.alone
            yield Round(*about, met, "; ".join(problems), took, last)

    def _begin(self) -> None:
        copied(self.command.start, self.stage.root)
        self._there = _is(self.stage)

    def _run(self, kind: str, *, logs: bool = False) -> tuple[Ran, tuple[Operation, ...]]:
        """How the command ended, and what met the fault."""
        fault = Fault(
            operations=frozenset(self.left),
            fails={"kill": "crash"}.get(kind, kind),
            error="InternalError: the sweep" if kind in ("refused", "partial") else "",
            tries=_TRIES if kind == "throttled" else 1,
        )
        words = self.command.words if self.alone else (*self.command.words, "--continue-on-error")
        # As the error of a creation says of which the provider has only stopped waiting for the end.
        reads = ("--refresh",) if self.kind == "timeout" and self.command.direction != "destroy" else ()
        words = (*words, *reads, *(f"--replace={urn}" for urn in self._dead()))
        ran = self.stage.run(*words, port=self.command.port, fault=fault, kills=kind == "kill", logs=logs)
        now = _is(self.stage)
        for operation, met in fault.asked:
            key = operation.type, operation.name
            if not met or kind in _LOSES or (kind == "partial" and now[key]):
                self._there[key] += {"create": 1, "delete": -1}.get(operation.request, 0)
        return ran, tuple(dict.fromkeys(it for it, met in fault.asked if met))

    def _dead(self) -> list[str]:
        """What no update repairs; the failed command has printed to replace it."""
        made = self.command.direction == "up"
        return [entry.urn for entry in self.stage.existing() if made and stays_failed(entry)]

    def _problems(self, ran: Ran, met: tuple[Operation, ...]) -> Iterator[str]:
        """What is wrong after a round."""
        if met and (ran.code == 0) != (self.kind == "throttled"):
            yield f"ended with {ran.code}: {_reason(ran)}"
        if others := sorted(ran.failed.difference(met)):
            yield f"failed besides: {others}: {_reason(ran)}"
        if met and self.kind in _LOSES:
            try:
                self.stage.recover()
            except Error as error:
                yield f"recover: {error}"
        if now := _is(self.stage) - self._there:
            yield f"there is too much: {sorted(now)[:3]}"
        if gone := self._there - _is(self.stage):
            yield f"there is too little: {sorted(gone)[:3]}"
        yield from self._differences(ran)

    def _at_the_end(self, ran: Ran) -> Iterator[str]:
        """What is wrong with a command that came through, or does not go on."""
        if ran.code:
            yield f"fails by itself: {_reason(ran)}"
        if self.left:
            yield f"never asked: {self.left[:3]}"
        if dead := self._dead():
            yield f"stays failed: {dead[:3]}"
        if _is(self.stage) != _is(self.command.end):
            yield "the clouds are not as the undisturbed command leaves them"
        if self.command.direction != "destroy":
            again = self.stage.run(*self.command.words, "--expect-no-changes", port=self.command.port, logs=True)
            if again.code:
                yield f"finds changes when it runs again: {_reason(again)}"
            yield from self._differences(again)

    def _differences(self, ran: Ran) -> Iterator[str]:
        """Where state and clouds do not agree, what is there twice, and secrets."""
        for found in differences(self.stage.project):
            if found:
                orphans, ghosts = [entry.urn for entry in found.orphans], [item["urn"] for item in found.ghosts]
                changed = [item["urn"] for item in found.changed]
                yield f"state and clouds differ: {orphans=} {ghosts=} {changed=} {len(found.pending)} pending"[:600]
        if twice := [urn for urn, count in Counter(it.urn for it in self.stage.existing()).items() if count > 1]:
            yield f"made twice: {twice}"
        folder = self.stage.project.store.root
        files = [*folder.glob("clouds*"), *(each for part in _KEPT for each in (folder / part).rglob("*"))]
        texts = {str(file.relative_to(folder)): file.read_text(errors="replace") for file in files if file.is_file()}
        for name, text in {**texts, "its output": ran.output}.items():
            if any(secret in text for secret in self.secrets):
                yield f"a secret stands in plain text in {name}"


def _reason(ran: Ran) -> str:
    lines = [line.strip() for line in ran.output.splitlines() if "error:" in line]
    return " ".join(lines[:2])[:400]


def _is(stage: Stage) -> Counter[tuple[str, str]]:
    """How often there is what, by type and name."""
    return Counter((entry.type, urn_name(entry.urn)) for entry in stage.existing())

"""A fault at one operation of a command, and whether the next command sets all right.

What a command does is a chain: the state after each of its operations is kept. A fault at operation k is tried on the
state after k - 1; then the command runs again, for one operation more. Where state and clouds then are as they are
without the fault, after k or k + 1, the rest is that of the undisturbed command. Some cases run to the end.
"""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.scenario import Disturbance
from gpucluster.sandbox.recovery.find import differences
from tests.sweep.stage import Ran, Stage, copied

__all__ = ["KINDS", "Chain", "Outcome", "secrets_of", "try_fault"]

KINDS: Final = ("refused", "partial", "throttled", "timeout", "crash", "kill")
"""As in a scenario; kill: the engine dies with the provider."""

_TRIES: Final = 3
_ANY: Final = partial(Disturbance, type="*", request="any")
_LOSES: Final = frozenset({"timeout", "crash", "kill"})
"""After which the state may not know what the clouds did."""
_SAID: Final = "the sweep says no"
_SECRET: Final = ("4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270")
"""Key and value by which the engine knows a secret."""
_KEPT: Final = ("state", "home/logs", "copies")


@dataclass(frozen=True)
class Outcome:
    """One case. problem: empty where all came right."""

    stack: str
    direction: str
    at: int
    kind: str
    resource: str
    problem: str
    seconds: float
    whole: bool


@dataclass
class Chain:
    """The states after each operation of a command, made as they are needed.

    words: the command. length: its operations.
    """

    folder: Path
    start: Stage
    direction: str
    words: tuple[str, ...]
    port: int
    length: int

    def after(self, count: int) -> Stage:
        """The stack after some operations."""
        near = max((at for at in self._made() if at <= count), default=0)
        stage = Stage(self.folder / str(near), self.start.stack) if near else self.start
        if near == count:
            return stage
        root = self.folder / str(count)
        made = root.with_name("unfinished")
        shutil.rmtree(made, ignore_errors=True)
        self.run(copied(stage, made), to=count - near)
        made.rename(root)
        return Stage(root, self.start.stack)

    def _made(self) -> list[int]:
        return [int(folder.name) for folder in self.folder.iterdir() if folder.name.isdecimal()]

    def run(self, stage: Stage, *wishes: Disturbance, to: int = 0, kills: bool = False) -> Ran:
        """Runs the command, up to some operation where one is given."""
        end = [_ANY(at=to + 1, fails="refused", error=_SAID)] if to else []
        return stage.run(*self.words, port=self.port, wishes=[*wishes, *end], kills=kills)

    def resource(self, at: int) -> str:
        """The type of the resource that an operation is about."""
        before, then = ({(one.type, one.urn) for one in self.after(count).existing()} for count in (at - 1, at))
        return next((type_ for type_, _ in sorted(before ^ then)), "an update")


def try_fault(chain: Chain, at: int, kind: str, secrets: frozenset[str], *, whole: bool) -> Outcome:
    """Tries one fault at one operation."""
    begun, root = time.monotonic(), chain.folder / f"case-{kind}"
    shutil.rmtree(root, ignore_errors=True)
    stage = copied(chain.after(at - 1), root)
    problem = "; ".join(_fault(chain, stage, at, kind, secrets, whole=whole))
    took = round(time.monotonic() - begun, 1)
    return Outcome(stage.stack, chain.direction, at, kind, chain.resource(at), problem, took, whole)


def _fault(chain: Chain, stage: Stage, at: int, kind: str, secrets: frozenset[str], *, whole: bool) -> Iterator[str]:
    fails = {"kill": "crash"}.get(kind, kind)
    error = "InternalError: the sweep" if kind in ("refused", "partial") else ""
    times = _TRIES if kind == "throttled" else 1
    wish = _ANY(fails=fails, times=times, error=error)
    first = chain.run(stage, wish, to=times + 1 if kind == "throttled" else 0, kills=kind == "kill")
    if first.code == 0:
        yield f"the {kind} request ended well"
    if kind in _LOSES:
        stage.recover()
    last = chain.run(stage, to=0 if whole or at >= chain.length else 1)
    if (whole or at >= chain.length) and last.code:
        yield f"the second run failed: {_reason(last)}"
    if last.code and _SAID not in last.output:
        yield f"the second run failed otherwise: {_reason(last)}"
    ends = [chain.length] if whole else [at, min(at + 1, chain.length)]
    yield from _misses(chain, stage, [chain.after(end) for end in ends])
    yield from _differences(stage, secrets)
    if whole and chain.direction != "destroy":
        third = stage.run(*chain.words, "--expect-no-changes", port=chain.port)
        if third.code:
            yield f"a third run finds changes: {_reason(third)}"


def _reason(ran: Ran) -> str:
    lines = [line.strip() for line in ran.output.splitlines() if "error:" in line]
    return " ".join(lines[:2])[:400]


def _misses(chain: Chain, stage: Stage, allowed: list[Stage]) -> Iterator[str]:
    """What is there and is not without the fault, and the other way round."""
    now, then = _is(stage.existing()), [_is(other.existing()) for other in allowed]
    if chain.direction == "destroy":
        # In which order the engine deletes what does not depend on each other is chance.
        right = now.total() in [some.total() for some in then] and now <= _is(chain.start.existing())
    else:
        right = now in then
    if not right:
        other = sorted((now - then[0]) + (then[0] - now))[:3]
        yield f"{now.total()} resources where the undisturbed command has {[some.total() for some in then]}: {other}"


def _differences(stage: Stage, secrets: frozenset[str]) -> Iterator[str]:
    """Where state and clouds do not agree, what is there twice, and secrets."""
    now = stage.existing()
    for found in differences(stage.project):
        if found:
            orphans, ghosts = [entry.urn for entry in found.orphans], [item["urn"] for item in found.ghosts]
            changed = [item["urn"] for item in found.changed]
            yield f"state and clouds differ: {orphans=} {ghosts=} {changed=} {len(found.pending)} pending"[:600]
    twice = [key for key, count in Counter(entry.urn for entry in now).items() if count > 1]
    if twice:
        yield f"made twice: {twice}"
    folder = stage.project.store.root
    for file in [*folder.glob("clouds*"), *(each for part in _KEPT for each in (folder / part).rglob("*"))]:
        text = file.read_text(errors="replace") if file.is_file() else ""
        if any(secret in text for secret in secrets):
            yield f"a secret stands in plain text in {file.relative_to(folder)}"


def _is(entries: list[Entry]) -> Counter[tuple[str, str]]:
    return Counter((entry.type, entry.urn) for entry in entries)


def secrets_of(requests: list[Any]) -> frozenset[str]:
    """The texts that a program marks as secrets, of some length."""
    found: set[str] = set()
    for request in requests:
        _collect(request, found.add)
    return frozenset(text for text in found if len(text) >= 8)


def _collect(value: Any, add: Callable[[str], None]) -> None:
    if isinstance(value, Mapping):
        key, mark = _SECRET
        if value.get(key) == mark:
            add(value["value"] if isinstance(value.get("value"), str) else json.dumps(value.get("value")))
        for item in value.values():
            _collect(item, add)
    elif isinstance(value, list):
        for item in value:
            _collect(item, add)

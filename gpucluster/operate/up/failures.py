"""What an error of a cloud means for a cluster, and what to type next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.type_guards import is_object


@dataclass(frozen=True, kw_only=True)
class Failure:
    """resource: its name in the program, empty for none. capacity: whether the cloud has no machines there."""

    resource: str
    meaning: str
    next: str
    capacity: bool


@dataclass(frozen=True, kw_only=True)
class _Kind:
    cloud: str
    pattern: re.Pattern[str]
    capacity: bool
    meaning: str
    next: str


@cache
def _kinds() -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            cloud=row["cloud"],
            pattern=re.compile(row["pattern"]),
            capacity=row["capacity"] == "yes",
            meaning=row["meaning"],
            next=row["next"],
        )
        for row in read_rows("gpucluster/operate/up/failures.csv")
    )


def failures(errors: Sequence[tuple[str, str]], cloud: str, stack: str) -> list[Failure]:
    """The known ones of errors, each meaning once. errors: (name of the resource or nothing, message)."""
    found: dict[tuple[str, str], Failure] = {}
    for resource, message in errors:
        kind = next((one for one in _kinds() if one.cloud in ("", cloud) and one.pattern.search(message)), None)
        if kind is not None:
            then = kind.next.replace("{stack}", stack)
            one = Failure(resource=resource, meaning=kind.meaning, next=then, capacity=kind.capacity)
            found.setdefault((kind.meaning, then), one)
    return list(found.values())


_ERROR: Final = "error"


def errors_of(log: Path) -> list[tuple[str, str]]:
    """The errors in the engine's event log: (name of the resource or nothing, message); none if there is no log."""
    return list(_errors(log)) if log.is_file() else []


def _errors(log: Path) -> Iterator[tuple[str, str]]:
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            event: Any = json.loads(line)
        except ValueError:  # the last line of an engine that was killed
            continue
        # Source: pulumi/pulumi sdk/go/common/apitype/events.go, EngineEvent and DiagnosticEvent.
        found = event.get("diagnosticEvent") if is_object(event) else None
        if is_object(found) and found.get("severity") == _ERROR:
            urn = str(found.get("urn") or "")
            yield urn_name(urn) if urn else "", str(found.get("message") or "")

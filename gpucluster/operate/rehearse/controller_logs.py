"""The last error that controllers of a cluster logged about an object."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping

_CONFLICT: Final = "the object has been modified"
"""Of a write that the controller repeats."""
_LAST_BYTES: Final = 4 * 2**20


def controller_error(logs: Iterable[tuple[str, str]], names: Collection[str], namespace: str) -> str | None:
    """`NAME of the controller: its error`, the latest in the first log that has one; None without any.

    logs: name of a controller -> its lines, in one of zap's two formats. names: of the object and of those that
    controllers created for it.
    """
    for controller, text in logs:
        for line in reversed(text.splitlines()):
            record = _record(line)
            error, about = str(record.get("error") or ""), str(record.get("name") or "")
            if error and _CONFLICT not in error and about in names and record.get("namespace") == namespace:
                return f"{controller}: {error}"
    return None


def _record(line: str) -> Mapping[str, Any]:
    """The fields of a line, `{"level":"error",...}` or `TIME<tab>ERROR<tab>...{...}`; empty for another level."""
    if '"error"' not in line or not ('"level":"error"' in line or "\tERROR\t" in line):
        return {}
    try:
        return mapping(json.loads(line[line.index("{") :]))
    except ValueError:
        return {}


def live_logs(folder: Path) -> Iterable[tuple[str, str]]:
    """The ends of the logs of a live cluster's controllers of jobs. folder: with the logs."""
    for controller in ("kueue", "trainer", "jobset"):
        file = folder / f"{controller}.log"
        if file.exists():
            with file.open("rb") as log:
                log.seek(max(0, file.stat().st_size - _LAST_BYTES))
                yield controller, log.read().decode(errors="replace")

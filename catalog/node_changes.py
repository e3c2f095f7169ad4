"""What of a change reaches running nodes: `node_changes.csv` lists what the clouds apply without touching them.

Columns: type token; properties, as paths that hold for all below them; source. Whatever is not listed is taken to
replace, reimage or restart the nodes: a wrong yes costs a line in a spec, and a wrong no every job on the pool.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

__all__ = ["in_place", "recycling"]


@functools.cache
def in_place() -> Mapping[str, frozenset[str]]:
    """Type token -> the properties whose change leaves its nodes as they are."""
    found: dict[str, frozenset[str]] = {}
    text = Path(__file__).with_name("node_changes.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        found[row["type"]] = found.get(row["type"], frozenset()) | set(row["properties"].split())
    return found


def recycling(type_: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """The properties that differ and are not applied in place, e.g. `nodeConfig.diskSizeGb`: all that differ, of a type
    that the table does not have.

    A value that is not known yet differs from every value that is.
    """
    kept = in_place().get(type_, frozenset())
    return tuple(path for path in _differing(before, after) if not any(_within(path, prefix) for prefix in kept))


def _within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}.")


def _differing(before: Mapping[str, Any], after: Mapping[str, Any], at: str = "") -> Iterator[str]:
    for key in sorted({*before, *after}):
        if key.startswith("__"):  # what a provider filled in, and where
            continue
        old, new = _plain(before.get(key)), _plain(after.get(key))
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from _differing(cast(Mapping[str, Any], old), cast(Mapping[str, Any], new), f"{at}{key}.")
        elif old != new:
            yield f"{at}{key}"


def _plain(value: Any) -> Any:
    """The value without a provider's own marks and without what is not set."""
    if isinstance(value, Mapping):
        given = cast(Mapping[str, Any], value)
        return {key: _plain(item) for key, item in given.items() if not key.startswith("__") and item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[Any], value)]
    return value

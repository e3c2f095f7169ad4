"""Tables of the properties whose change replaces a resource: `replacements.csv` of each cloud.

Columns: type, properties (paths without indexes, separated by blanks), replace (yes, no or unknown), source.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources

_ANSWERS: Mapping[str, bool | None] = {"yes": True, "no": False, "unknown": None}


@cache
def _table(package: str) -> Mapping[str, Mapping[tuple[str, ...], bool | None]]:
    """Type -> property path -> whether its change replaces."""
    found: dict[str, dict[tuple[str, ...], bool | None]] = {}
    text = resources.files(package).joinpath("replacements.csv").read_text()
    for row in csv.DictReader(text.splitlines()):
        for prop in row["properties"].split():
            found.setdefault(row["type"], {})[tuple(prop.split("."))] = _ANSWERS[row["replace"]]
    return found


def listed(package: str, token: str, path: tuple[str, ...]) -> bool | None:
    """The entry of a property in the table of a cloud's package; None if it is unknown.

    The longest listed path counts: a row for `launchTemplate.id` overrides one for `launchTemplate`.
    """
    rows = _table(package).get(token, {})
    return next((rows[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in rows), None)

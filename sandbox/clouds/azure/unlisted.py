"""Inputs that take other values than those the SDK lists: `unlisted.csv`, a reason and a source a row.

The enumerations of azure-native come from Azure's own API descriptions, and ARM refuses other values. A few of them
name examples of what a field takes.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["unlisted"]


def unlisted(token: str) -> frozenset[str]:
    """The paths of a type that take more than is listed."""
    return _table().get(token, frozenset())


@cache
def _table() -> Mapping[str, frozenset[str]]:
    text = resources.files("gpucluster.sandbox.clouds.azure").joinpath("unlisted.csv").read_text()
    found: dict[str, frozenset[str]] = {}
    for row in csv.DictReader(text.splitlines()):
        found[row["type"]] = found.get(row["type"], frozenset()) | {row["path"]}
    return found

"""The effect of a failed request on the stack, and the next step: `meanings.csv`.

A row is selected by the kind of shortage, or by the cloud's error message. Columns: cloud, `*` for all; kind of the
shortage; error, a pattern of the message; meaning and next, with placeholders for the numbers of the shortage.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gpucluster.core.catalog.clouds import cloud_of_package
from gpucluster.core.catalog.resource_types import failed_states
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.resources import urn_name

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.events.weather import Mishap

_UNKNOWN: Final = {
    "capacity": "the zone has no such machines left; a higher quota does not help",
    "quota": "a quota is used up; `gpucluster cluster check` lists those that the cluster needs, with amounts",
}
"""Placeholders for a failure with only a message, without a shortage."""


def meanings(mishaps: Sequence[Mishap]) -> list[str]:
    """A short paragraph for each failure that has a row in the table, without duplicates; then one for each new
    resource that stays failed.
    """
    found = (text for mishap in mishaps for text in _meaning(mishap))
    return list(dict.fromkeys([*found, *(text for mishap in mishaps for text in _stays(mishap))]))


def _stays(mishap: Mishap) -> Iterator[str]:
    row = failed_states().get(mishap.type)
    if row is not None and mishap.id and mishap.request == "create":
        yield f"{urn_name(mishap.urn)} stays failed: {row.advice(mishap.urn, mishap.id, sandbox=True)}."


def _meaning(mishap: Mishap) -> Iterator[str]:
    row = _row(mishap)
    if row is None:
        return
    name = urn_name(mishap.urn)
    if mishap.lacks is not None:
        values = {**mishap.lacks.values, "zones": _zones(mishap.lacks.zones)}
        yield f"{name}: {row['meaning'].format_map(values)}. Next: {row['next'].format_map(values)}."
    elif "{" in row["meaning"]:
        means = _UNKNOWN["capacity" if row["kind"] == "capacity" else "quota"]
        then = row["next"].format_map({"zones": _zones(())}) if row["kind"] == "capacity" else "request an increase"
        yield f"{name}: {means}. Next: {then}, then run it again."
    else:
        yield f"{name}: {row['meaning']}. Next: {row['next']}."


def _zones(zones: Sequence[str]) -> str:
    return f"another zone, such as {', '.join(zones)}" if zones else "another zone"


def _row(mishap: Mishap) -> Mapping[str, str] | None:
    cloud = cloud_of_package(mishap.type.split(":", 1)[0])
    rows = [row for row in _rows() if row["cloud"] in ("*", cloud.name if cloud is not None else "")]
    lacks = mishap.lacks
    if lacks is not None:
        return next((row for row in rows if row["kind"] == lacks.kind), None)
    return next((row for row in rows if re.search(row["error"], mishap.error)), None)


@functools.cache
def _rows() -> Sequence[Mapping[str, str]]:
    return read_rows("sandbox/meanings.csv")

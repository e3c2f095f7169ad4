"""Known versions of everything that is pinned, with ends of support: `versions.csv`.

============================== ========================================================================================
column                         meaning
============================== ========================================================================================
`kind`, `name`                 kubernetes: a cloud; add-on: of EKS; chart: of `charts.csv`; package: of Python;
                               program: a Go module that the sandbox builds; image
`kubernetes`                   minor version of an add-on's build
`version`                      of one name in order, the last one is the newest known; of Kubernetes all minor versions
`pin`                          `here`, or the file with the version in use
`released`                     empty without a date in any source
`standard_ends`                last day of support; of Kubernetes on a cloud that of standard support
`extended_ends`                of paid support: EKS extended support, AKS long-term support, GKE's Extended channel
`stays`                        why a newer version is not in use
`source`, `as_of`              of the version, and the day on which nothing newer was known
============================== ========================================================================================
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.core.catalog.tables import Row, rows

Kind = Literal["kubernetes", "add-on", "chart", "package", "program", "image"]
TABLE: Final = "versions"


@dataclass(frozen=True, kw_only=True)
class KnownVersion:
    """One row. released, standard_ends, extended_ends: None without a date in any source."""

    kind: str
    name: str
    kubernetes: str
    version: str
    pin: str
    released: datetime.date | None
    standard_ends: datetime.date | None
    extended_ends: datetime.date | None
    stays: str
    source: str
    as_of: str

    def support(self, today: datetime.date) -> Literal["standard", "extended", "none", "not known"]:
        """The kind of support on a day. Support whose extended end is unknown goes on."""
        if self.standard_ends is None:
            return "not known"
        if today <= self.standard_ends:
            return "standard"
        if self.kind != "kubernetes":
            return "none"
        return "extended" if self.extended_ends is None or today <= self.extended_ends else "none"


@functools.cache
def known_versions() -> Mapping[tuple[str, str], Sequence[KnownVersion]]:
    """(kind, name) -> its versions, in the order of the table."""
    found: dict[tuple[str, str], list[KnownVersion]] = {}
    for row in rows(TABLE):
        found.setdefault((row["kind"], row["name"]), []).append(_version(row))
    return found


def order(version: str) -> tuple[int, ...]:
    """The numbers of a version such as v1.13.2-eksbuild.21, for comparison."""
    return tuple(map(int, re.findall(r"\d+", version)))


def _version(row: Row) -> KnownVersion:
    days = {name: _day(row, name) for name in ("released", "standard_ends", "extended_ends")}
    return KnownVersion(**{name: value for name, value in row.items() if name not in days}, **days)  # pyright: ignore[reportArgumentType]


def _day(row: Row, column: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(row[column]) if row[column] else None
    except ValueError:
        raise row.bad(column, "write a day such as 2027-03-27") from None

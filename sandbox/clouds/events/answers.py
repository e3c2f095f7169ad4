"""The clouds' own error messages: `answers.csv`.

Columns: cloud, `*` for all; kind; type of the resource; state of the resource afterwards: refused (not created),
partial (exists, as failed), reading (exists, but is not found when read back), timeout (exists, but the provider no
longer waited); tries, the number of automatic retries by the provider; text; source.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from gpucluster.core.catalog.tables import read_rows


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One row."""

    cloud: str
    kind: str
    type: str
    how: str
    tries: int
    text: str

    def worded(self, values: Mapping[str, object]) -> str:
        """The text with these values; unknown values are omitted."""
        return self.text.format_map(_Blank(values))


class _Blank(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def answer(cloud: str, kind: str, type_: str, *, reading: bool = False) -> Answer | None:
    """A cloud's answer, None if the table has none. cloud: its name, or `kubernetes`.

    reading: whether the request is a read; only reads are told that a resource can't be found.
    """
    rows = (row for row in _rows() if row.kind == kind and row.cloud in ("*", cloud))
    fits = (row for row in rows if kind != "not-yet" or (row.how == "reading") == reading)
    return next((row for row in fits if fnmatchcase(type_, row.type)), None)


@functools.cache
def _rows() -> Sequence[Answer]:
    return [
        Answer(
            cloud=row["cloud"],
            kind=row["kind"],
            type=row["type"],
            how=row["how"],
            tries=int(row["tries"]),
            text=row["text"],
        )
        for row in read_rows("sandbox/clouds/answers.csv")
    ]

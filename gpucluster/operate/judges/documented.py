"""Values that a vendor's schema leaves open and its reference restricts.

`documented.csv` has one limit a row. Its columns:

=======  ==============================================================================================================
type     type token
path     the input, `a.b`, `[]` after a name for each element of a list
where    inputs that the limit depends on, `a=X Y;b=Z -`: one of these values each, `-` for an input without a value
rule     ``pattern P``  the whole text matches the regular expression
         ``json``  a JSON document
         ``one of A B``  a value of the list
         ``steps A B C``  one of the numbers, or a multiple of the last one
source   the page that states it
=======  ==============================================================================================================

Lists that grow with each release, such as versions of Kubernetes, have no row: their absence proves nothing.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import at, is_list
from gpucluster.operate.judges.names import table

_UNSET: Final = "-"


@dataclass(frozen=True, kw_only=True)
class _Limit:
    """where: input -> its values."""

    path: tuple[str, ...]
    where: Mapping[str, frozenset[str]]
    kind: str
    values: tuple[str, ...]
    source: str

    def applies(self, inputs: Mapping[str, Any]) -> bool:
        """An unknown value decides nothing."""
        given = {name: at(inputs, name) for name in self.where}
        return all(
            value is not UNKNOWN and (_UNSET if value is None else str(value)) in self.where[name]
            for name, value in given.items()
        )

    def broken(self, value: Any) -> str:
        """What is wrong with a known value; empty if nothing is."""
        if self.kind == "pattern":
            return "" if re.fullmatch(self.values[0], str(value)) else f"does not match {self.values[0]!r}"
        if self.kind == "json":
            return "" if not isinstance(value, str) or _is_json(value) else "is no JSON document"
        if self.kind == "one of":
            return "" if str(value) in self.values else f"is not one of {list(self.values)}"
        steps = [int(step) for step in self.values]
        number = int(float(value)) if re.fullmatch(r"[0-9]+(\.0+)?", str(value)) else 0
        if number in steps or (number and number % steps[-1] == 0):
            return ""
        return f"is not {''.join(f'{step}, ' for step in steps[:-1])}{'or ' if steps[:-1] else ''}n x {steps[-1]}"


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def broken_limits(resource: Resource) -> Iterator[tuple[str, str]]:
    """(input, what is wrong) of each documented limit that a resource breaks."""
    for limit in _limits().get(resource.type, ()):
        if limit.applies(resource.inputs):
            for shown, value in _values(resource.inputs, limit.path, ""):
                if what := limit.broken(value):
                    yield shown, f"{value!r} {what} ({limit.source})"


@functools.cache
def _limits() -> Mapping[str, tuple[_Limit, ...]]:
    found: dict[str, tuple[_Limit, ...]] = {}
    for row in table("gpucluster.operate.judges", "documented.csv"):
        kind = next(kind for kind in ("json", "pattern", "one of", "steps") if f"{row['rule']} ".startswith(f"{kind} "))
        rest = row["rule"].removeprefix(kind).strip()
        where = (part.partition("=") for part in filter(None, row["where"].split(";")))
        limit = _Limit(
            path=tuple(row["path"].split(".")),
            where={name: frozenset(values.split()) for name, _, values in where},
            kind=kind,
            values=(rest,) if kind == "pattern" else tuple(rest.split()),
            source=row["source"],
        )
        found[row["type"]] = (*found.get(row["type"], ()), limit)
    return found


def _values(inputs: Any, path: tuple[str, ...], shown: str) -> Iterator[tuple[str, Any]]:
    """(path in the program, value) of each known value at a path."""
    if not path:
        if inputs is not UNKNOWN and inputs is not None:
            yield shown, inputs
        return
    name = path[0].removesuffix("[]")
    value, label = at(inputs, name), f"{shown}.{name}".removeprefix(".")
    if name == path[0]:
        yield from _values(value, path[1:], label)
    elif is_list(value):
        for number, item in enumerate(value):
            yield from _values(item, path[1:], f"{label}[{number}]")

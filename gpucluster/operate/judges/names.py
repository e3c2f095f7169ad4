"""A vendor's names for Pulumi's: a property table of one cloud, and the path of a property in its schema.

Pulumi's names come from Terraform, which renames, regroups and flattens a vendor's API. Most names follow a rule; a
table, `properties.csv`, has the rest. Its columns:

==========  ============================================================================================================
type        type token; `*` for every type
path        path of the property below the resource, `a.b.c`, without the positions in lists; `*` for all properties of
            the resource without their own row; empty for a value that only the schema has
schema      its path in the schema, from the place of the enclosing property; `[]` after a name for a list, of one
            element if Pulumi has no list; empty if the schema has none
how         the conversion of the value:

            ``tags``  a map becomes a list of Key and Value
            ``map``   the keys are user-defined
            ``text``  the text is unchanged, whatever its content
            ``json``  the text of a JSON document becomes the document
            ``bool``  "true" becomes true
            ``=...``  the schema requires this value, which Pulumi implies; as JSON; of a path, members of its object
==========  ============================================================================================================
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Final

_OPAQUE: Final = frozenset({"tags", "map", "json", "text"})
"""Values whose members have user-defined names."""


@dataclass(frozen=True)
class Place:
    """The place of a property in a schema: names from the place of the enclosing property, `[]` after each that is a
    list.
    """

    steps: tuple[str, ...]
    how: str = ""

    @property
    def opaque(self) -> bool:
        """Whether the names inside are user-defined."""
        return self.how in _OPAQUE


def table(package: str, file: str) -> list[dict[str, str]]:
    """The rows of a table of a cloud."""
    text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


class Names:
    """The property table of one cloud."""

    def __init__(self, rows: Sequence[Mapping[str, str]], rule: Callable[[str], str]) -> None:
        """rule: the schema's name for a property that has no row."""
        self._rule = rule
        self._places = {(row["type"], row["path"]): _place(row) for row in rows if row["path"]}
        self._implied: dict[str, list[Place]] = {}
        for row in rows:
            if not row["path"]:
                self._implied.setdefault(row["type"], []).append(_place(row))

    def place(self, type_: str, path: Sequence[str]) -> Place | None:
        """The place of a property, None if the schema has none. path: names from the resource down."""
        exact = (type_, ".".join(path))
        if exact in self._places:
            return _kept(self._places[exact])
        if len(path) == 1 and ("*", path[0]) in self._places:
            return _kept(self._places["*", path[0]])
        own = self._rule(path[-1])
        around = self._places.get((type_, "*")) if len(path) == 1 else None
        return Place((*around.steps, own) if around else (own,))

    def implied(self, type_: str) -> Sequence[Place]:
        """Properties that the schema requires and Pulumi implies; `how` has the value."""
        return self._implied.get(type_, ())

    def schema_path(self, type_: str, path: Sequence[str]) -> tuple[str, ...] | None:
        """The whole path of a property in the schema, without `[]`; None if the schema has none.

        A path into user-defined names ends where they start.
        """
        steps: list[str] = []
        for end in range(1, len(path) + 1):
            place = self.place(type_, path[:end])
            if place is None:
                return None
            steps += (step.removesuffix("[]") for step in place.steps)
            if place.opaque:
                break
        return tuple(steps)


def _place(row: Mapping[str, str]) -> Place:
    return Place(tuple(filter(None, row["schema"].split("."))), row["how"])


def _kept(place: Place) -> Place | None:
    return place if place.steps else None

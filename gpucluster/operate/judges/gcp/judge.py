"""The judge of pulumi-gcp: discovery documents of Google, each read when needed: the one for compute has 9 MB."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.operate.judges.names import Names, table
from gpucluster.operate.judges.verdicts import Reading, Remark, Verdict


@dataclass(frozen=True)
class Shape:
    """document: name of a file without `.json`, such as `compute.beta`. schema: the key under its `schemas`."""

    document: str
    schema: str


TYPES: Final[Mapping[str, Shape]] = {
    row["type"]: Shape(row["document"], row["schema"]) for row in table("gpucluster.operate.judges.gcp", "types.csv")
}
"""Type token of pulumi-gcp -> its schema in the API."""

NAMES: Final = Names(table("gpucluster.operate.judges.gcp", "properties.csv"), lambda name: name)


Schema = Mapping[str, Any]


def shape(wanted: Shape) -> Schema:
    """The schema of a resource in a document."""
    name, *path = wanted.schema.split(".")
    found = at(wanted, _schemas(wanted.document)[name], path)
    assert found is not None, wanted
    return found


def at(wanted: Shape, schema: Schema, path: Sequence[str]) -> Schema | None:
    """The schema at a path, through lists and references; None if there is none.

    A step `*` leads to the values of a map.
    """
    found: Schema | None = _followed(wanted, schema)
    for step in path:
        inside = found.get("additionalProperties") if step == "*" else found.get("properties", {}).get(step)
        if inside is None:
            return None
        # A property's own attributes, such as deprecation, are next to the reference.
        found = {**_followed(wanted, inside), **{key: inside[key] for key in _OWN if key in inside}}
    return found


_OWN = ("deprecated", "description")


def _followed(wanted: Shape, schema: Schema) -> Schema:
    """Follows references; a list counts as its elements."""
    while True:
        if "$ref" in schema:
            schema = _schemas(wanted.document)[schema["$ref"]]
        elif schema.get("type") == "array":
            schema = schema["items"]
        else:
            return schema


@cache
def _schemas(document: str) -> Mapping[str, Schema]:
    spec = find_spec("googleapiclient")
    assert spec is not None and spec.origin is not None
    file = Path(spec.origin).parent / f"discovery_cache/documents/{document}.json"
    return json.loads(file.read_text(encoding="utf-8"))["schemas"]


class _Discovery:
    name = "gcp"
    title = "Google's discovery documents (google-api-python-client)"
    package = "gcp"
    needs = ("googleapiclient", "google-api-python-client")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        del around
        for resource in asked:
            wanted = TYPES.get(resource.type)
            if wanted is None:
                yield Verdict(
                    resource=resource,
                    judge=self.name,
                    why="gpucluster/operate/judges/gcp/types.csv has no row for its type",
                )
                continue
            reader = _Reader(resource.type, wanted)
            reader.members(shape(wanted), resource.inputs, (), "")
            yield reader.verdict(resource, self.name)


JUDGE: Final = _Discovery()

_DURATION: Final = re.compile(r"-?\d+(\.\d{1,9})?s")
"""google-duration, by https://developers.google.com/discovery/v1/type-format."""

WHOLE: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
"""Formats of whole numbers, by the same page."""


@dataclass
class _Reader(Reading):
    type: str
    shape: Shape

    def members(self, schema: Schema, values: Mapping[str, Any], names: tuple[str, ...], shown: str) -> None:
        """Checks the members of an object against its schema. names, shown: its path in the program."""
        for name, value in values.items():
            label = f"{shown}.{name}" if shown else name
            place = NAMES.place(self.type, (*names, name))
            inside = at(self.shape, schema, place.steps) if place else None
            if place is None or inside is None:
                self.left.append(label)
                continue
            if inside.get("deprecated"):
                self.advice.append(Remark(label, _on_deprecation(inside.get("description", ""))))
            if not place.opaque:
                self._value(inside, value, (*names, name), label)

    def _value(self, schema: Schema, value: Any, names: tuple[str, ...], shown: str) -> None:
        if value is UNKNOWN or value == "":
            return
        if is_list(value):
            for number, item in enumerate(value):
                self._value(schema, item, names, f"{shown}[{number}]")
        elif is_object(value):
            if schema.get("type") == "object":
                self.members(schema, value, names, shown)
            else:
                self._refuse(shown, f"an object, where the API expects a {schema.get('type')}")
        elif wrong := _wrong(schema, value):
            self._refuse(shown, wrong)

    def _refuse(self, shown: str, problem: str) -> None:
        self.refusals.append(Remark(shown, f"{problem} ({self.shape.document}, {self.shape.schema})"))


def _wrong(schema: Schema, value: Any) -> str:
    """The schema's error for a plain value; empty if there is none."""
    allowed, pattern, form, kind = (schema.get(key) for key in ("enum", "pattern", "format", "type"))
    if kind == "object":
        return f"{value!r} is not an object"
    if kind == "boolean" and str(value).lower() not in ("true", "false"):
        return f"{value!r} is not a boolean"
    if allowed and str(value) not in allowed:
        return f"{value!r} is not one of {list(allowed)}"
    if pattern and not re.fullmatch(pattern, str(value)):
        return f"{value!r} does not match {pattern!r}"
    if form in WHOLE or kind in ("integer", "number"):
        return _wrong_number(schema, value)
    if form == "google-duration" and not _DURATION.fullmatch(str(value)):
        return f"{value!r} is not a duration in seconds such as '3.5s'"
    return ""


def _wrong_number(schema: Schema, value: Any) -> str:
    try:
        number = float(value)
    except ValueError:
        return f"{value!r} is not a number"
    if schema.get("format") not in WHOLE:
        return ""
    low, high = WHOLE[schema["format"]]
    low, high = max(low, int(schema.get("minimum", low))), min(high, int(schema.get("maximum", high)))
    if not number.is_integer() or math.isnan(number):
        return f"{value!r} is not a whole number"
    return "" if low <= number <= high else f"{value!r} is not between {low} and {high}"


def _on_deprecation(text: str) -> str:
    """The sentence of a description that names the replacement, if there is one."""
    sentences = re.split(r"(?<=\.)\s+", text)
    sentence = next((one for one in sentences if "deprecated" in one.lower()), None)
    return sentence or f"deprecated: {sentences[0]}"

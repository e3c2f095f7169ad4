"""The judge of pulumi-aws: cfn-lint validates the resources, converted to a template.

By the schemas of CloudFormation, instance types by region, and the grammar of IAM policies. `types.csv` and
`properties.csv` have the names of CloudFormation, by the documentation of both systems. A property without a row has
Pulumi's name with a capital.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path as PathlibPath
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.errors import Fault
from gpucluster.operate.judges.names import Names, Place, table
from gpucluster.operate.judges.verdicts import Remark, Verdict

TYPES: Final[Mapping[str, str]] = {
    row["type"]: row["schema"] for row in table("gpucluster.operate.judges.aws", "types.csv")
}
"""Type token of pulumi-aws -> type of CloudFormation."""

NAMES: Final = Names(table("gpucluster.operate.judges.aws", "properties.csv"), lambda name: name[:1].upper() + name[1:])


Path = tuple[str | int, ...]

_MOST_TAGS: Final = 51
"""One more than a resource allows ("Tag restrictions", EC2 user guide). The time of cfn-lint grows with their square:
2,000 cost it 14 seconds of CPU, 2026-11."""


@dataclass
class Declared:
    """A resource in the form of a template.

    places: path in its properties -> the corresponding input, as named in the program.
    later: paths of values that are still unknown.
    left: inputs without a counterpart in the schema.
    broken: unreadable documents.
    """

    schema: str
    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    places: dict[Path, str] = field(default_factory=dict[Path, str])
    later: set[Path] = field(default_factory=set[Path])
    left: list[str] = field(default_factory=list[str])
    broken: list[Remark] = field(default_factory=list[Remark])

    def place_of(self, path: Sequence[str | int]) -> str:
        """The input at a path, or around it; empty for the resource as a whole."""
        return next((self.places[at] for at in _upwards(path) if at in self.places), "")

    def known_later(self, path: Path) -> dict[str, str]:
        """Placeholders for an unknown value, each different, because some lists must not repeat."""
        self.later.add(path)
        return {"Fn::ImportValue": f"known-later-{len(self.later)}"}

    def is_later(self, path: Sequence[str | int]) -> bool:
        """Whether a path is at or in an unknown value."""
        return any(at in self.later for at in _upwards(path))


def declared(type_: str, inputs: Mapping[str, Any]) -> Declared:
    """The resource in CloudFormation's form; its type is one of `TYPES`."""
    writer = _Writer(type_, Declared(TYPES[type_]))
    for place in NAMES.implied(type_):
        writer.put(writer.made.properties, place.steps, json.loads(place.how[1:]), ())
    writer.members(writer.made.properties, inputs, (), "", ())
    return writer.made


def _upwards(path: Sequence[str | int]) -> list[Path]:
    return [tuple(path[:end]) for end in range(len(path), 0, -1)]


@dataclass
class _Writer:
    type: str
    made: Declared

    def members(
        self, into: dict[str, Any], values: Mapping[str, Any], names: tuple[str, ...], shown: str, at: Path
    ) -> None:
        """Writes the members of an object. names, shown: its path in the program; at: in the template."""
        for name, value in values.items():
            place = NAMES.place(self.type, (*names, name))
            label = f"{shown}.{name}" if shown else name
            if place is None:
                self.made.left.append(label)
            else:
                self._member(into, place, value, (*names, name), label, at)

    def _member(
        self, into: dict[str, Any], place: Place, value: Any, names: tuple[str, ...], shown: str, at: Path
    ) -> None:
        if not any(step.endswith("[]") for step in place.steps):
            end = (*at, *place.steps)
            self.made.places[end] = shown
            self.put(into, place.steps, self._value(value, place, names, shown, end), at)
            return
        for number, part in enumerate(_elements(value)):
            label = f"{shown}[{number}]" if is_list(value) else shown
            end = (*at, *_numbered(place.steps, number))
            self.made.places[end] = label
            self.put(into, place.steps, self._value(part, place, names, label, end), at, number)

    def put(self, into: dict[str, Any], steps: Sequence[str], value: Any, at: Path, number: int = 0) -> None:
        """Writes a value below an object, and the objects in between."""
        step, *rest = steps
        key = step.removesuffix("[]")
        if not step.endswith("[]"):
            if rest:
                self.put(into.setdefault(key, {}), rest, value, at, number)
            else:
                into[key] = value
            return
        listed: list[Any] = into.setdefault(key, [])
        if rest:
            while len(listed) <= number:
                listed.append({})
            self.put(listed[number], rest, value, at)
        else:
            listed[number : number + 1] = [value]

    def _value(self, value: Any, place: Place, names: tuple[str, ...], shown: str, at: Path) -> Any:
        if value is UNKNOWN:
            return self.made.known_later(at)
        if place.opaque:
            return self._plain(self._opaque(value, place.how, shown), at)
        if place.how == "bool" and isinstance(value, str):
            return {"true": True, "false": False}.get(value, value)
        if is_object(value):
            inner: dict[str, Any] = json.loads(place.how[1:]) if place.how.startswith("=") else {}
            self.members(inner, value, names, shown, at)
            return inner
        if is_list(value):
            found: list[Any] = []
            for number, item in enumerate(value):
                self.made.places[*at, number] = f"{shown}[{number}]"
                found.append(self._value(item, place, names, f"{shown}[{number}]", (*at, number)))
            return found
        return value

    def _opaque(self, value: Any, how: str, shown: str) -> Any:
        if how == "tags" and is_object(value):
            if len(value) > _MOST_TAGS:
                self.made.left.append(f"{shown} after the first {_MOST_TAGS}")
            return [{"Key": key, "Value": item} for key, item in islice(value.items(), _MOST_TAGS)]
        if how == "json" and isinstance(value, str):
            try:
                return json.loads(value)
            except ValueError as error:
                self.made.broken.append(Remark(shown, f"not a JSON document: {error}"))
        return value

    def _plain(self, value: Any, at: Path) -> Any:
        """A value with user-defined names."""
        if value is UNKNOWN:
            return self.made.known_later(at)
        if is_object(value):
            return {key: self._plain(inner, (*at, key)) for key, inner in value.items()}
        if is_list(value):
            return [self._plain(inner, (*at, number)) for number, inner in enumerate(value)]
        return value


def _elements(value: Any) -> Sequence[Any]:
    """A list unchanged, and anything else as a list of one: Pulumi has no list if at most one element is allowed."""
    return value if is_list(value) else [value]


def _numbered(steps: Sequence[str], number: int) -> Path:
    """The path to one element of the only list among the steps."""
    found: list[str | int] = []
    for step in steps:
        found.append(step.removesuffix("[]"))
        if step.endswith("[]"):
            found.append(number)
    return tuple(found)


_RUN: Final = "from cfnlint.runner import main; main()"

_ANYWHERE: Final = "us-east-1"
"""Default region if none is known."""

_IGNORED: Final = (
    "E3010",  # no more than 500 resources: a limit of templates, not of Pulumi stacks
    "E3019",  # no duplicate identifiers: here parts of a resource, such as attachments, are separate templates
    "W3010",  # no availability zones as text: a rule for templates, which may be used in several regions
)

_UNKNOWN_PROPERTY: Final = ("E3002", "Additional properties are not allowed")
"""Rule and begin of the message; other rules say the same of a property that another one excludes."""


class _CloudFormation:
    name = "aws"
    title = "AWS' CloudFormation schemas and IAM grammar (cfn-lint)"
    package = "aws"
    needs = ("cfnlint", "cfn-lint")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        by_region: dict[str, list[Resource]] = {}
        for resource in asked:
            if resource.type in TYPES:
                by_region.setdefault(_region(resource, around), []).append(resource)
            else:
                yield Verdict(
                    resource=resource,
                    judge=self.name,
                    why="gpucluster/operate/judges/aws/types.csv has no row for its type",
                )
        for region, resources in by_region.items():
            yield from self._in_region(region, resources)

    def _in_region(self, region: str, resources: Sequence[Resource]) -> Iterator[Verdict]:
        """Identical resources are judged once."""
        made = [declared(resource.type, resource.inputs) for resource in resources]
        once = {_text(one): one for one in made}
        names = {text: f"R{number}" for number, text in enumerate(once)}
        found = _findings(region, {names[text]: one for text, one in once.items()})
        for resource, one in zip(resources, made, strict=True):
            yield _verdict(resource, one, found.get(names[_text(one)], ()))


JUDGE: Final = _CloudFormation()


def _region(resource: Resource, around: Resources) -> str:
    region = around.region(resource)
    return region if isinstance(region, str) and region in _regions() else _ANYWHERE


@cache
def _regions() -> frozenset[str]:
    """Regions with schemas in cfn-lint. Importing it takes seconds; its files list them as well."""
    spec = find_spec("cfnlint")
    assert spec is not None and spec.origin is not None
    folder = PathlibPath(spec.origin).parent / "data/schemas/providers"
    return frozenset(path.stem for path in folder.glob("*-*.json"))


def _text(one: Declared) -> str:
    return json.dumps([one.schema, one.properties], sort_keys=True)


def _verdict(resource: Resource, one: Declared, found: Iterable[Mapping[str, Any]]) -> Verdict:
    refusals, advice, left = [*one.broken], list[Remark](), [*one.left]
    for match in found:
        path, message = match["Location"]["Path"][3:], match["Message"]
        if one.is_later(path):
            continue
        remark = Remark(one.place_of(path), message)
        rule, begin = _UNKNOWN_PROPERTY
        if match["Rule"]["Id"] == rule and message.startswith(begin):
            left.append(remark.path)
        elif match["Level"] == "Error":
            refusals.append(remark)
        else:
            advice.append(remark)
    return Verdict(
        resource=resource, judge=JUDGE.name, refusals=tuple(refusals), advice=tuple(advice), left=tuple(left)
    )


def _findings(region: str, resources: Mapping[str, Declared]) -> dict[str, list[Mapping[str, Any]]]:
    """Name in the template -> cfn-lint's findings."""
    template = {name: {"Type": one.schema, "Properties": one.properties} for name, one in resources.items()}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for match in _lint(region, {"Resources": template}):
        path: list[Any] = match["Location"]["Path"] or []
        if path[:1] == ["Resources"] and len(path) > 1:
            found.setdefault(path[1], []).append(match)
    return found


def _environment(home: str) -> dict[str, str]:
    """The environment of cfn-lint: without the user's configuration, and without tokens that a foreign plan could
    target.
    """
    return {"HOME": home, **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}}


def _lint(region: str, template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Runs cfn-lint without the user's configuration, which would change its findings. Raises Fault."""
    with tempfile.TemporaryDirectory() as folder:
        file = PathlibPath(folder) / "template.json"
        file.write_text(json.dumps(template), encoding="utf-8")
        command = [sys.executable, "-P", "-c", _RUN, "-r", region, "-f", "json", "-i", *_IGNORED, "--", str(file)]
        done = subprocess.run(
            command, cwd=folder, env=_environment(folder), capture_output=True, text=True, check=False
        )
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Fault(f"cfn-lint failed: {(done.stderr or done.stdout).strip()[-500:]}") from None

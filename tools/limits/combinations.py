"""Combinations of inputs in CloudFormation's schemas, and in cfn-lint's extensions of them, in Pulumi's names.

A schema calls them `required`, `requiredXor`, `requiredOr`, `oneOf`, `anyOf`, `dependencies`, `dependentRequired`,
`dependentExcluded`, and `if` with `then` and `else`. `gpucluster.sandbox.clouds.types.limits` describes the compiled
form, which has three of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping

Node = Mapping[str, Any]
Path = tuple[str, ...]
Tests = dict[str, Any]

_IGNORED: Final = frozenset({"type", "description", "additionalProperties"})


@dataclass(frozen=True)
class Place:
    """An input. wire: path in Pulumi, `a[].b`; schema: path in the schema, without lists; needed: by the SDK."""

    wire: str
    schema: Path
    needed: bool


def extensions() -> Mapping[tuple[str, Path], Sequence[Node]]:
    """(CloudFormation's type, path of an object) -> schemas that cfn-lint adds to it, whose findings are errors."""
    package = importlib.import_module("cfnlint.rules.resources")
    base = importlib.import_module("cfnlint.rules.jsonschema.CfnLintJsonSchema").CfnLintJsonSchema
    found: dict[tuple[str, Path], list[Node]] = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for kind in vars(importlib.import_module(module.name)).values():
            if not isinstance(kind, type) or not issubclass(kind, base) or kind.__module__ != module.name:
                continue
            rule: Any = kind()
            if rule.id.startswith("E") and {"if", "allOf"} & {*rule.schema}:
                for keyword in rule.keywords:
                    _, type_, *path = keyword.split("/")
                    found.setdefault((type_, tuple(step for step in path[1:] if step != "*")), []).append(rule.schema)
    return found


def combinations(
    places: Sequence[Place],
    implied: Mapping[Path, Any],
    nodes: Callable[[Path], Sequence[Node]],
    limits: Callable[[Node], dict[str, Any]],
) -> dict[str, list[Any]]:
    """Path of an object, empty for the resource -> its combinations.

    implied: values that Pulumi sends without an input. nodes: the schemas at a path. limits: those of one value.
    """
    by_place: dict[Path, list[Place]] = {}
    for place in places:
        for end in range(1, len(place.schema) + 1):
            by_place.setdefault(place.schema[:end], []).append(place)
    found: dict[str, list[Any]] = {}
    for at in sorted({place.schema[:end] for place in places for end in range(len(place.schema))}):
        inside = [place for path, of in by_place.items() if path[:-1] == at for place in of if place.schema == path]
        if not inside:
            continue
        base = _around([place.wire for place in inside])
        solid = not at or at in implied or any(place.schema == at for place in by_place[at])
        reader = _Reader(at, base, by_place, implied, limits, solid)
        for node in nodes(at):
            for rule in reader.rules(node, {}):
                if rule not in found.setdefault(base, []):
                    found[base].append(rule)
    return {base: rules for base, rules in found.items() if rules}


def _around(wires: Sequence[str]) -> str:
    """The object around some inputs."""
    steps = [wire.split(".")[:-1] for wire in wires]
    same = [step for step, *others in zip(*steps, strict=False) if all(other == step for other in others)]
    return ".".join(same)


@dataclass(frozen=True)
class _Reader:
    """Reads the schema of one object. at: its path in the schema; base: in Pulumi; solid: whether it is there whenever
    its inputs can be given, and not only with one of them.
    """

    at: Path
    base: str
    places: Mapping[Path, Sequence[Place]]
    implied: Mapping[Path, Any]
    limits: Callable[[Node], dict[str, Any]]
    solid: bool

    def rules(self, node: Node, given: Tests) -> Iterator[dict[str, Any]]:
        """The combinations of a schema. given: what must hold, so that it applies."""
        for part in node.get("allOf", ()):
            yield from self.rules(part, given)
        if "if" in node:
            yield from self._branches(node, given)
        if given:
            yield from self._then(self._demands(node, ()), given)
        elif self.solid:
            yield from self._then(self._demands({"required": node.get("required", ())}, ()), {})
            yield from self._groups(node)
        yield from self._dependencies(node, given)

    def _groups(self, node: Node) -> Iterator[dict[str, Any]]:
        alternatives = {
            "oneOf": [
                node.get("oneOf", ()),
                [{"required": [name]} for name in node.get("requiredXor", ())],
                *([{"required": [name]}] for name in node.get("required", ()) if len(self._exact(name)) > 1),
            ],
            "anyOf": [node.get("anyOf", ()), [{"required": [name]} for name in node.get("requiredOr", ())]],
        }
        for rule, both in alternatives.items():
            for options in both:
                groups = [
                    group for option in options if "required" in option for group in self._inputs(option["required"])
                ]
                if groups and [] not in groups:
                    yield {rule: groups}

    def _dependencies(self, node: Node, given: Tests) -> Iterator[dict[str, Any]]:
        for name, others in {**node.get("dependencies", {}), **node.get("dependentRequired", {})}.items():
            yield from self._then(self._demands({"required": others}, ()), self._with(name, given))
        seen: set[frozenset[str]] = set()
        for name, others in node.get("dependentExcluded", {}).items():
            fresh = [other for other in others if frozenset({name, other}) not in seen]
            seen |= {frozenset({name, other}) for other in fresh}
            yield from self._then(self._excluded(fresh), self._with(name, given))

    def _with(self, name: str, given: Tests) -> Tests | None:
        """The conditions, and that an input is given."""
        wire = self._input((name,))
        return {wire: {}, **given} if wire else None

    def _branches(self, node: Node, given: Tests) -> Iterator[dict[str, Any]]:
        tests = self._tests(node["if"], ())
        if tests is not None:
            assert not {*given} & {*tests}, (given, tests)
            if given or tests:
                yield from self.rules(node["then"], {**given, **tests})
            else:
                yield from self._then(self._demands(node["then"], ()), {})
        if "else" in node and tests:
            ((name, test),) = tests.items()
            yield from self.rules(node["else"], {**given, name: {"not": test["enum"], "absent": True}})

    @staticmethod
    def _then(demands: dict[str, Any], tests: Tests | None) -> Iterator[dict[str, Any]]:
        if demands and tests is not None:
            yield {"if": tests, "then": demands}

    def _tests(self, node: Node, path: Path) -> Tests | None:
        """Input -> its condition; None if no program can meet them all."""
        unknown = {*node} - _IGNORED - {"required", "properties", "not"}
        assert not unknown, unknown
        found: Tests = {}
        for name in node.get("required", ()):
            if (*self.at, *path, name) in self.implied:
                continue
            wire = self._input((*path, name))
            if wire is None:
                return None
            found[wire] = {}
        for name in mapping(node.get("not")).get("required", ()):
            wire = self._input((*path, name))
            if wire is not None:
                found[wire] = {"none": True}
        for name, inner in node.get("properties", {}).items():
            more = self._condition(mapping(inner), (*path, name), needed=name in node.get("required", ()))
            if more is None:
                return None
            found |= more
        return found

    def _condition(self, node: Node, path: Path, *, needed: bool) -> Tests | None:
        if "properties" in node:
            return self._tests(node, path)
        listed = node["enum"] if "enum" in node else [node["const"]] if "const" in node else None
        excluded = mapping(node.get("not")).get("enum")
        if listed is None and excluded is None:
            return {}
        if (*self.at, *path) in self.implied:
            value = self.implied[(*self.at, *path)]
            return {} if (value in listed if listed is not None else value not in excluded) else None
        wire = self._input(path)
        if wire is None:
            return None if needed else {}
        test = {"enum": listed} if listed is not None else {"not": excluded}
        return {wire: test if needed else {**test, "absent": True}}

    def _demands(self, node: Node, path: Path) -> dict[str, Any]:
        """Input -> its required value."""
        found: dict[str, Any] = {}
        for name in node.get("required", ()):
            given_by = self._given_by((*path, name))
            if len(given_by) == 1 and not given_by[0].needed and (*self.at, *path, name) not in self.implied:
                found[self._relative(given_by[0])] = {"required": True}
        for name, inner in node.get("properties", {}).items():
            if inner is False:
                found |= self._excluded([name], path)
            elif "properties" in mapping(inner):
                found |= self._demands(inner, (*path, name))
            elif (wire := self._input((*path, name))) and (limits := self.limits(mapping(inner))):
                found[wire] = {**found.get(wire, {}), **limits}
        return found

    def _excluded(self, names: Sequence[str], path: Path = ()) -> dict[str, Any]:
        wires = [wire for name in names for wire in self._wires((*path, name))]
        return {wire: {"excluded": True} for wire in wires}

    def _inputs(self, names: Sequence[str]) -> list[list[str]]:
        """The inputs of an alternative, one for each way to give them; none if it cannot be given."""
        found: list[list[str]] = [[]]
        for name in names:
            if (*self.at, name) not in self.implied:
                found = [[*before, wire] for before in found for wire in self._wires((name,))]
        return found

    def _given_by(self, path: Path) -> list[Place]:
        """The inputs of a member, or inside it if it has no input; none inside of lists."""
        inside = self.places.get((*self.at, *path), ())
        exact = [place for place in inside if place.schema == (*self.at, *path)]
        return [place for place in exact or inside if "[]" not in self._relative(place)]

    def _exact(self, name: str) -> list[Place]:
        return [place for place in self._given_by((name,)) if place.schema == (*self.at, name)]

    def _wires(self, path: Path) -> list[str]:
        return [self._relative(place) for place in self._given_by(path)]

    def _input(self, path: Path) -> str | None:
        wires = self._wires(path)
        return wires[0] if len(wires) == 1 else None

    def _relative(self, place: Place) -> str:
        return place.wire.removeprefix(f"{self.base}.") if self.base else place.wire

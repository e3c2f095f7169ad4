"""Compiles the vendors' documented limits of values for the sandbox: `python -m tools.limits`.

Reads CloudFormation's schemas from cfn-lint and Google's discovery documents, for the types in the judges'
tables, and writes `sandbox/clouds/<cloud>/limits.json`. Both packages must be installed; the files contain their
versions.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.operate.judges.aws import judge as aws
from gpucluster.operate.judges.gcp import judge as gcp
from gpucluster.operate.judges.gcp.judge import WHOLE
from gpucluster.operate.judges.names import Names
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType, Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from tools.limits.combinations import Place, combinations, extensions

_ROOT: Final = Path(__file__).parents[2]
_RULES: Final = ("enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "format")
_COUNTS: Final = ("minItems", "maxItems")
_KNOWN_FORMATS: Final = frozenset({"google-duration", "ipv4-network", "ipv6-network", "json"})
_DEEPEST: Final = 8
"""Maximum nesting of objects; recursive types end there."""

_INSTANCE_TYPES: Final = {
    "aws:ec2/capacityReservation:CapacityReservation": "instanceType",
    "aws:ec2/instance:Instance": "instanceType",
    "aws:ec2/launchTemplate:LaunchTemplate": "instanceType",
    "aws:eks/nodeGroup:NodeGroup": "instanceTypes[]",
}
"""Type -> input that is an EC2 instance type."""

Rules = dict[str, Any]
Types = dict[str, dict[str, Rules]]


def compiled() -> Mapping[str, str]:
    """Cloud -> the text of its table."""
    schemas = {package: Schema(sdk) for package, sdk in installed_sdks(site_packages(None)).items()}
    return {"aws": _written(_of_aws(schemas["aws"])), "gcp": _written(_of_gcp(schemas["gcp"]))}


def file_of(cloud: str) -> Path:
    """The table of a cloud in the checkout."""
    return _ROOT / "sandbox" / "clouds" / cloud / "limits.json"


def _written(table: Mapping[str, Any]) -> str:
    """One line per type, for readable diffs."""
    types = ",\n".join(f"{json.dumps(token)}:{_compact(paths)}" for token, paths in sorted(table["types"].items()))
    return (
        f'{{"sources":{_compact(table["sources"])},\n"lists":{_compact(table["lists"])},\n"types":{{\n{types}\n}}}}\n'
    )


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _of_aws(schema: Schema) -> Mapping[str, Any]:
    """CloudFormation's schemas in us-east-1, the region with most types, and the instance types of every region."""
    manager = importlib.import_module("cfnlint.schema.manager").PROVIDER_SCHEMA_MANAGER
    package, sources, types = f"cfn-lint {version('cfn-lint')}", list[str](), Types()
    formats, added = _cfn_formats(), extensions()
    for token, cfn in aws.TYPES.items():
        document = manager.get_resource_schema("us-east-1", cfn).schema
        root = _Documents(document, document.get("definitions", {}))
        found = _limits(schema, token, aws.NAMES, root, formats)
        for path, rules in _combinations(schema, token, root, added, formats).items():
            found.setdefault(path, {})["combinations"] = rules
        if found:
            types[token] = _from(found, sources, f"{package}, {cfn}, MIT-0")
    for token, path in _INSTANCE_TYPES.items():
        rule: Rules = {"enum": {"list": "instance types"}}
        types.setdefault(token, {})[path] = _from({path: rule}, sources, f"{package}, instance types, MIT-0")[path]
    return {"sources": sources, "lists": {"instance types": _instance_types()}, "types": types}


def _instance_types() -> list[str]:
    text = files("cfnlint.data.schemas.extensions.aws_ec2_instance").joinpath("instancetype_enum.json").read_text()
    regions = [mapping(region) for region in json.loads(text).values()]
    return sorted({name for region in regions for name in region.get("enum", ())})


def _cfn_formats() -> Mapping[str, str]:
    """cfn-lint's formats with an expression: its name -> the expression."""
    package = importlib.import_module("cfnlint.rules.formats")
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            rule: Any = value() if isinstance(value, type) and value.__module__ == module.name else None
            if getattr(rule, "format_keyword", None) and getattr(rule, "pattern", None):
                found[rule.format_keyword] = rule.pattern
    return found


def _of_gcp(schema: Schema) -> Mapping[str, Any]:
    """Google's documents."""
    package, sources, types = f"google-api-python-client {version('google-api-python-client')}", list[str](), Types()
    for token, shape in gcp.TYPES.items():
        file = files("googleapiclient.discovery_cache.documents").joinpath(f"{shape.document}.json")
        document = json.loads(file.read_text(encoding="utf-8"))
        root = _Documents({"$ref": shape.schema.split(".")[0]}, document["schemas"])
        for name in shape.schema.split(".")[1:]:
            root = root.into(name)
        found = {path: _of_google(rules) for path, rules in _limits(schema, token, gcp.NAMES, root, {}).items()}
        if found:
            types[token] = _from(found, sources, f"{package}, {shape.document} {shape.schema}, Apache-2.0")
    return {"sources": sources, "lists": {}, "types": types}


def _of_google(rules: Rules) -> Rules:
    """An expression matches the whole text, and an empty text is not sent, so every enumeration accepts it. Manual rows
    have the truth values that are text, TRUE and FALSE.

    Source: hashicorp/terraform-provider-google-beta tpgresource/utils.go (IsEmptyValue).
    """
    found = {rule: value for rule, value in rules.items() if rule != "enumAnyCase"}
    if "pattern" in rules:
        found["pattern"] = f"^(?:{rules['pattern']})$"
    if "enum" in rules:
        found["enum"] = [*rules["enum"], ""]
    if rules.get("format") not in (None, "whole", "google-duration"):
        del found["format"]
    return found


def _from(found: Mapping[str, Rules], sources: list[str], source: str) -> dict[str, Rules]:
    if source not in sources:
        sources.append(source)
    return {path: {**rules, "from": sources.index(source)} for path, rules in found.items()}


class _Documents:
    """A place in a vendor's schema. counts: the limits of its number of items, if it is a list."""

    def __init__(self, node: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions
        self.counts: Rules = {}
        self.node = self._followed(node)

    def _followed(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema itself, after references and lists."""
        while "$ref" in node or "items" in node:
            if "items" in node:
                self.counts = self.counts or {rule: node[rule] for rule in _COUNTS if node.get(rule)}
                node = node["items"]
            else:
                node = self._definitions[str(node["$ref"]).rsplit("/", 1)[-1]]
        return node

    def into(self, name: str) -> _Documents:
        """The schema of a property; an empty one if there is none."""
        inner = self.node.get("additionalProperties") if name == "*" else self.node.get("properties", {}).get(name)
        return _Documents(mapping(inner), self._definitions)

    def at(self, path: Sequence[str]) -> _Documents:
        """The schema at a path."""
        found = self
        for name in path:
            found = found.into(name)
        return found


def _limits(schema: Schema, token: str, names: Names, root: _Documents, formats: Mapping[str, str]) -> dict[str, Rules]:
    """Path of an input -> the document's limits of its value."""
    found: dict[str, Rules] = {}
    type_ = schema.resource_type(token)
    for given in _inputs(type_, type_.inputs if type_ else {}, []):
        place, steps = names.place(token, given.wire), names.schema_path(token, given.wire)
        if given.kind == "object" or place is None or steps is None:
            continue
        at = root.at(steps)
        match place.how:
            case "tags":
                rules = _of_tags(at, every=given.path == "tags")
            case "map":
                rules = _of_map(at.node)
            case "json":
                rules = {"format": "json"}
            case _ if given.kind == "text" and at.node.get("type") == "boolean":
                rules = {"enumAnyCase": ["true", "false", ""]}
            case _:
                rules = at.counts if given.kind == "list" else _rules(at.node, formats)
        if rules:
            found[given.path] = rules
    return found


def _combinations(
    schema: Schema,
    token: str,
    root: _Documents,
    added: Mapping[tuple[str, tuple[str, ...]], Sequence[Mapping[str, Any]]],
    formats: Mapping[str, str],
) -> Mapping[str, list[Any]]:
    """Path of an object -> the combinations of its inputs. added: `extensions()`."""
    type_, places = schema.resource_type(token), list[Place]()
    for given in _inputs(type_, type_.inputs if type_ else {}, []):
        steps = aws.NAMES.schema_path(token, given.wire)
        if steps is not None and not given.path.endswith("[]"):
            places.append(Place(given.path, steps, given.needed))
    implied = {
        tuple(step.removesuffix("[]") for step in place.steps): json.loads(place.how[1:])
        for place in aws.NAMES.implied(token)
    }

    def nodes(path: tuple[str, ...]) -> Sequence[Mapping[str, Any]]:
        return [root.at(path).node, *added.get((aws.TYPES[token], path), ())]

    return combinations(places, implied, nodes, lambda node: _rules(node, formats))


def _of_tags(tag: _Documents, *, every: bool) -> Rules:
    """The limits of the number, keys and values of tags. every: without those that all services have."""
    found: Rules = {} if every else dict(tag.counts)
    for rule, name, usual in (("keys", "Key", (1, 128)), ("values", "Value", (0, 256))):
        node = tag.into(name).node
        least, most = node.get("minLength", usual[0]), node.get("maxLength", usual[1])
        if (least, most) != usual or not every:
            found[rule] = {"minLength": least, "maxLength": most}
    return found


def _of_map(node: Mapping[str, Any]) -> Rules:
    """The pattern of the keys, if there is one."""
    patterns = list(mapping(node.get("patternProperties")))
    return {"keys": {"pattern": patterns[0]}} if len(patterns) == 1 else {}


@dataclass(frozen=True)
class _Input:
    """wire: names from the resource down. path: with `[]` after each list. kind: object, list, text, or value.

    needed: whether the SDK requires it.
    """

    wire: list[str]
    path: str
    kind: str
    needed: bool


def _inputs(
    type_: ResourceType | None, properties: Mapping[str, Property], wire: list[str], path: str = ""
) -> Iterator[_Input]:
    """Every input, and the items of each list."""
    for name, prop in properties.items():
        inner, at = prop.type, f"{path}.{name}" if path else name
        if "list" in mapping(inner):
            yield _Input([*wire, name], at, "list", prop.required)
        while "list" in (of := mapping(inner)):
            inner, at = of["list"], f"{at}[]"
        if type_ is not None and "ref" in of:
            yield _Input([*wire, name], at, "object", prop.required)
            if len(wire) < _DEEPEST:
                yield from _inputs(type_, type_.types[of["ref"]], [*wire, name], at)
        elif "map" in of or isinstance(inner, str) or "str" in of.get("union", ()):
            yield _Input([*wire, name], at, "text" if inner == "str" else "value", prop.required)


def _rules(node: Mapping[str, Any], formats: Mapping[str, str]) -> Rules:
    if node.get("type") in ("object", "array") or "properties" in node:
        return {}
    found = {rule: node[rule] for rule in _RULES if rule in node and rule != "format"}
    if "enumCaseInsensitive" in node:
        found["enumAnyCase"] = node["enumCaseInsensitive"]
    named = [option.get("format") for option in node.get("anyOf", [node])]
    if named[0] in WHOLE:
        least, most = WHOLE[named[0]]
        found |= {"format": "whole", "minimum": max(least, int(found.get("minimum", least)))}
        found["maximum"] = min(most, int(found.get("maximum", most)))
    elif named[0] in _KNOWN_FORMATS:
        found["format"] = named[0]
    elif "pattern" not in found and all(name in formats for name in named):
        found["pattern"] = "|".join(formats[name] for name in named)
    return found


if __name__ == "__main__":
    for name, text in compiled().items():
        file_of(name).write_text(text, encoding="utf-8")

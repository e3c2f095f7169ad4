"""The tables of names hold what the SDKs and the vendors' schemas have: no row names what is on neither side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from gpucluster.operate.judges.aws import judge as aws
from gpucluster.operate.judges.gcp import judge
from gpucluster.operate.judges.gcp import judge as gcp
from gpucluster.operate.judges.names import table
from gpucluster.sandbox.clouds.types.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages

SDKS = {package: Schema(sdk) for package, sdk in installed_sdks(site_packages(None)).items()}
GIVEN = {
    "deletionPolicy",
    "effectiveLabels",
    "labels",
    "project",
    "pulumiLabels",
    "region",
    "tags",
    "tagsAll",
    "timeouts",
}
"""Inputs of every type, or of most."""


def rows(package: str) -> list[dict[str, str]]:
    return table(f"gpucluster.operate.judges.{package}", "properties.csv")


def resource(type_: str) -> ResourceType:
    found = SDKS[type_.partition(":")[0]].resource_type(type_)
    assert found is not None, f"the SDK has no {type_}"
    return found


def members(of: Any, resource: ResourceType) -> Mapping[str, Any]:
    """Name -> type of what is inside a type of the SDK."""
    match of:
        case {"list": inner} | {"map": inner}:
            return members(inner, resource)
        case {"ref": name}:
            return {key: prop.type for key, prop in resource.types[name].items()}
        case {"union": several}:
            return {key: value for one in several for key, value in members(one, resource).items()}
        case _:
            return {}


def in_sdk(type_: str, path: Sequence[str]) -> bool:
    found = resource(type_)
    inside: Mapping[str, Any] = {key: prop.type for key, prop in found.inputs.items()}
    for step in path:
        if step not in inside:
            return False
        inside = members(inside[step], found)
    return True


def in_cloudformation(name: str, path: Sequence[str]) -> bool:
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    root = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", name).schema

    def followed(part: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in part or "items" in part:
            part = root["definitions"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part["items"]
        return part

    here = followed(root)
    for step in path:
        if step not in here.get("properties", {}):
            return False
        here = followed(here["properties"][step])
    return True


def whole(names: Any, row: Mapping[str, str]) -> Sequence[str] | None:
    """The path of a row's property from the top of the schema."""
    if row["path"] == "*":
        return row["schema"].split(".")
    if not row["path"]:
        return [step.removesuffix("[]") for step in row["schema"].split(".")]
    return names.schema_path(row["type"], row["path"].split("."))


def wrong(package: str, names: Any, types: Mapping[str, Any]) -> Iterator[str]:
    for row in rows(package):
        if row["type"] == "*":
            continue
        if row["path"] not in ("", "*", *GIVEN) and not in_sdk(row["type"], row["path"].split(".")):
            yield f"{row['type']}: the SDK has no {row['path']}"
        path = whole(names, row)
        if row["schema"] and path is not None and not has(package, types[row["type"]], path):
            yield f"{row['type']}: the schema has no {'.'.join(path)}"


def has(package: str, schema: Any, path: Sequence[str]) -> bool:
    if package == "aws":
        return in_cloudformation(schema, path)
    return judge.at(schema, judge.shape(schema), path) is not None


@pytest.mark.parametrize(
    ("package", "names", "types"), [("aws", aws.NAMES, aws.TYPES), ("gcp", gcp.NAMES, gcp.TYPES)], ids=["aws", "gcp"]
)
def test_every_row_is_of_a_type_an_input_and_a_property_that_are_there(package: str, names: Any, types: Any) -> None:
    assert {row["type"] for row in rows(package)} - {"*"} <= set(types)
    assert list(wrong(package, names, types)) == []


@pytest.mark.parametrize("package", ["aws", "gcp"])
def test_rows_stand_by_type_and_none_comes_twice(package: str) -> None:
    for file in ("types.csv", "properties.csv"):
        listed = table(f"gpucluster.operate.judges.{package}", file)
        assert [row["type"] for row in listed] == sorted(row["type"] for row in listed)
        keys = [(row["type"], row.get("path"), row["schema"] if not row.get("path") else "") for row in listed]
        assert len(keys) == len(set(keys))


def test_every_type_of_the_tables_is_known_to_its_schema() -> None:
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    known = set(PROVIDER_SCHEMA_MANAGER.get_resource_types("us-east-1"))
    assert {name for name in aws.TYPES.values() if name not in known} == set()
    assert all(judge.shape(shape) for shape in gcp.TYPES.values())


ARRAY, OBJECT, PLAIN = "array", "object", "plain"
SPLIT = {
    ("aws:eks/cluster:Cluster", "enabledClusterLogTypes"),
    ("aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces.ipv4Addresses"),
    ("aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces.ipv4Prefixes"),
    ("aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces.ipv6Addresses"),
    ("aws:ec2/launchTemplate:LaunchTemplate", "networkInterfaces.ipv6Prefixes"),
}
"""Lists whose every element the template has in an object of its own."""


def shape_in_sdk(of: Any) -> str:
    match of:
        case {"list": _}:
            return ARRAY
        case {"map": _} | {"ref": _}:
            return OBJECT
        case {"union": several}:
            return next((found for one in several if (found := shape_in_sdk(one)) != PLAIN), PLAIN)
        case _:
            return PLAIN


def shape_in_cloudformation(part: Mapping[str, Any]) -> str:
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if OBJECT in kinds or "properties" in part:
        return OBJECT
    return ARRAY if ARRAY in kinds or "items" in part else PLAIN


def misshapen(type_: str) -> Iterator[tuple[str, str]]:
    """Inputs that CloudFormation has in another shape, which a template would be refused for."""
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    sdk = resource(type_)
    root = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", aws.TYPES[type_]).schema

    def followed(part: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in part:
            part = root["definitions"][part["$ref"].rpartition("/")[2]]
        return part

    def reached(here: Mapping[str, Any], steps: Sequence[str]) -> Mapping[str, Any] | None:
        for step in steps:
            inside = here.get("properties", {}).get(step.removesuffix("[]"))
            if inside is None:
                return None
            here = followed(inside)
            here = followed(here["items"]) if step.endswith("[]") else here
        return here

    def walk(inputs: Mapping[str, Any], around: tuple[str, ...], here: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, of in inputs.items():
            path = (*around, name)
            place = aws.NAMES.place(type_, path)
            there = reached(here, place.steps) if place else None
            if place is None or there is None or place.opaque or of == "any":
                continue
            of = of["list"] if place.steps[-1].endswith("[]") and shape_in_sdk(of) == ARRAY else of
            if shape_in_sdk(of) != shape_in_cloudformation(there):
                yield type_, ".".join(path)
            elif isinstance(of, dict) and "ref" in (of.get("list") or of):
                yield from walk(members(of, sdk), path, followed(there["items"]) if "list" in of else there)

    yield from walk({name: prop.type for name, prop in sdk.inputs.items()}, (), root)


def test_every_input_has_in_the_template_the_shape_that_its_schema_wants() -> None:
    assert {found for type_ in aws.TYPES for found in misshapen(type_)} == SPLIT

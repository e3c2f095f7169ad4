"""The schema that `pulumi package get-schema` prints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.package.folder import SCHEMA_FILE
from gpucluster.components.package.schema import package_schema
from tests.says import Says

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads(SCHEMA_FILE.read_text())
TYPES = SCHEMA["types"]
CLUSTERS = SCHEMA["resources"]


def properties() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property by its place, of inputs, outputs and the types in them."""
    for token, thing in {**TYPES, **CLUSTERS}.items():
        for group in ("inputProperties", "properties"):
            for name, found in thing.get(group, {}).items():
                yield f"{token}.{name}", found


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        yield from (value for key, value in node.items() if key == "$ref")
        node = list(node.values())
    for item in node if isinstance(node, list) else []:
        yield from references(item)


def test_the_file_is_what_the_models_give() -> None:
    assert package_schema() == SCHEMA, "run: python -m gpucluster.components.package.schema"


def test_the_clusters_have_the_tokens_they_have_in_python() -> None:
    assert list(CLUSTERS) == [f"gpucluster:{cloud}:TrainingCluster" for cloud in ("aws", "gcp", "azure")]


def test_every_input_and_output_is_described() -> None:
    assert [place for place, found in properties() if not re.search(r"\w{2}", found.get("description", ""))] == []
    assert [token for token, found in {**TYPES, **CLUSTERS}.items() if not found.get("description")] == []


def test_every_reference_is_to_a_type_that_is_there_and_each_type_is_in_use() -> None:
    meant = {ref.removeprefix("#/types/") for ref in references(SCHEMA)} - {"pulumi.json#/Any"}
    assert meant == set(TYPES)


def test_what_a_spec_chooses_from_is_an_enum() -> None:
    enums = {
        token.rpartition(":")[2]: [one["value"] for one in of["enum"]] for token, of in TYPES.items() if "enum" in of
    }
    assert enums["ClusterSpecAccelerator"] == ["h100", "h200", "b200", "b300", "a100-80gb", "a100-40gb"]
    assert enums["PurchaseKind"] == ["on-demand", "spot", "capacity-block", "flex-start"]
    assert enums["SharedStorageTier"] == [125, 250, 500, 1000]
    assert enums["LocationGpuDriver"] == ["operators", "aks"]
    # The YAML host panics or refuses where a number's enum is of another type.
    assert {TYPES[f"gpucluster:index:{name}"]["type"] for name in ("PurchaseKind", "SharedStorageTier")} == {
        "string",
        "number",
    }


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_the_spec_of_a_file_has_fields_of_the_schema_alone(cloud: str) -> None:
    """What is pasted from a spec file is an input as it stands."""
    spec = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    inputs = CLUSTERS[f"gpucluster:{cloud}:TrainingCluster"]["inputProperties"]
    assert list(strange(spec, inputs["spec"], "spec")) == []


def strange(value: Any, of: Mapping[str, Any], at: str) -> Iterator[str]:
    """The names in a value that a property's type does not have."""
    of = next((choice for choice in of.get("oneOf", []) if "$ref" in choice), of)
    if isinstance(value, dict) and "additionalProperties" in of:
        for name, member in value.items():
            yield from strange(member, of["additionalProperties"], f"{at}.{name}")
    ref = of.get("$ref", "")
    kind = TYPES.get(ref.removeprefix("#/types/"), {})
    if isinstance(value, dict) and "properties" in kind:
        for name, member in value.items():
            if name not in kind["properties"]:
                yield f"{at}.{name}"
            else:
                yield from strange(member, kind["properties"][name], f"{at}.{name}")


def test_a_union_has_the_fields_of_its_kinds_and_says_which() -> None:
    access = TYPES["gpucluster:index:Access"]
    fields = "admins cidrs egress exec kind peer peer_gateway registry submitters via"
    assert sorted(access["properties"]) == fields.split()
    assert access["required"] == ["kind"]
    assert access["properties"]["cidrs"]["description"] == Says("IPv4", "API", "IPv4", "VPN")

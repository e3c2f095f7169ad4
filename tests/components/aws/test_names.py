"""docs/reference/names.md against what the components declare."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.kubernetes.objects.charts import CHARTS
from gpucluster.sandbox.clouds.aws.names import name_property
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages

ROOT = Path(__file__).parents[3]
NAMES = (ROOT / "docs/reference/names.md").read_text().partition("# Names and labels on Google Cloud")[0]
TOLD = {"telemetry": {"alerts": {"mail": ["gpus@example.com"]}}}
CLOSED = yaml.safe_load((ROOT / "examples/specs/aws/closed.yaml").read_text())


@pytest.fixture(scope="module")
def declared(register: Callable[..., dict[str, Any]]) -> dict[str, set[str]]:
    """Type -> how its resources are named in the trial and in a closed network."""
    schema = Schema(installed_sdks(site_packages(None))["aws"])

    def naming(type_: str, inputs: dict[str, Any]) -> str:
        if type_.startswith("kubernetes:"):
            holder = inputs if type_.endswith(":Release") else inputs.get("metadata", {})
            return "fixed" if "name" in holder else "auto"
        found = schema.resource_type(type_)
        assert found is not None, type_
        prop = name_property(Resource(urn=f"urn:pulumi:s::p::{type_}::x", type=found, inputs={}))
        return "none" if prop is None else "fixed" if prop in inputs else "auto"

    found: dict[str, set[str]] = {}
    for resource in [*register(**TOLD).values(), *register(**CLOSED).values()]:
        if resource.typ.startswith(("aws:", "kubernetes:")):
            found.setdefault(resource.typ, set()).add(naming(resource.typ, resource.inputs))
    return found


def test_every_type_is_named_as_the_page_says(declared: dict[str, set[str]]) -> None:
    rows = re.findall(r"^\| `([a-z]+:\S+)` \| ([a-z ]+) \|", NAMES, re.MULTILINE)
    assert len(rows) == len(dict(rows))
    overlays = {"kubernetes:karpenter.sh/v1alpha1:NodeOverlay": {"fixed"}}  # with prices of the user's own alone
    assert {type_: set(naming.split(" or ")) for type_, naming in rows} == {**declared, **overlays}


def test_types_that_take_no_tags_are_said_to(register: Callable[..., dict[str, Any]]) -> None:
    bare = {
        args.typ for args in register(**CLOSED).values() if args.typ.startswith("aws:") and "tags" not in args.inputs
    }
    bare |= {
        args.typ for args in register(**TOLD).values() if args.typ.startswith("aws:") and "tags" not in args.inputs
    }
    said = set(re.findall(r"^\| `(aws:\S+)` \|.*no tags", NAMES, re.MULTILINE))
    assert said == bare


def test_the_images_to_mirror_are_listed() -> None:
    page = (ROOT / "docs/run/access.md").read_text()
    listed = set(re.findall(r"^\| `(\S+/\S+)` \| `\S+` \|$", page, re.MULTILINE))
    assert listed == {chart.image for chart in CHARTS.values() if chart.image}

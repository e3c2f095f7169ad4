"""`gpucluster rights` on what every example spec declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.components.stack.stack_config import stack_config
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.quote.plan_declaration import declared

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[5]
SPECS = sorted((ROOT / "examples/specs").rglob("*.yaml"))


def types_of(spec: Path) -> list[str]:
    """What the stack of its cloud declares with this spec, a type once."""
    folder, stack = ROOT / "stacks", f"{spec.parent.name}-trial"
    config = yaml.safe_load((folder / f"Pulumi.{stack}.yaml").read_text())["config"] | {
        "gpucluster:spec": f"../{spec.relative_to(ROOT)}"
    }
    running = stack_config(config, project="gpucluster", stack=stack, program=folder, root=ROOT)
    return sorted({one.type for one in declared(plan_stack(running, plan_prices)) if one.custom})


def told(types: list[str]) -> tuple[int, dict[str, Any], str]:
    resources = [
        {"urn": f"urn:pulumi:dev::mine::{type_}::one", "custom": True, "type": type_, "outputs": {}} for type_ in types
    ]
    text = json.dumps({"version": 3, "deployment": {"resources": resources}})
    done = CliRunner().invoke(main, ["rights"], input=text)
    return done.exit_code, json.loads(done.stdout), done.stderr


def test_every_cloud_has_examples() -> None:
    assert {spec.parent.name for spec in SPECS} == {*CLOUDS}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.parent.name}-{spec.stem}")
def test_the_rights_for_an_example_are_known(spec: Path) -> None:
    types = types_of(spec)
    assert len(types) > 20
    code, documents, said = told(types)
    assert (code, documents["unknown"], said) == (0, [], "")
    assert {*documents} == {spec.parent.name, "unknown"}
    added = {
        "aws": "aws:example/marker:Marker",
        "gcp": "gcp:example/marker:Marker",
        "azure": "azure-native:example:Marker",
    }
    more = added[spec.parent.name]
    code, documents, _ = told([*types, more])
    assert (code, documents["unknown"]) == (1, [more])

"""The schema that editors use, and the first spec."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from gpucluster.cli import main
from gpucluster.components.spec.cluster import StackSpec, spec_schema
from gpucluster.components.spec.errors import InvalidSpec

ROOT = Path(__file__).parents[3]


def test_the_committed_schema_is_the_one_of_the_spec() -> None:
    """`gpucluster schema > stacks/specs/schema.json` writes it anew."""
    assert (ROOT / "stacks/specs/schema.json").read_text() == spec_schema()


def test_every_spec_names_the_schema() -> None:
    specs = sorted([*ROOT.glob("stacks/specs/*.yaml"), *ROOT.glob("examples/specs/**/*.yaml")])
    assert specs
    for spec in specs:
        schema = os.path.relpath(ROOT / "stacks/specs/schema.json", spec.parent)
        assert spec.read_text().startswith(f"# yaml-language-server: $schema={schema}\n"), spec


def test_every_field_is_described() -> None:
    def fields(node: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, value in node.get("properties", {}).items():
            yield f"{at}{name}", value

    schema = json.loads(spec_schema())
    found = dict(fields(schema, ""))
    for name, model in schema["$defs"].items():
        assert model["description"], name
        found |= dict(fields(model, f"{name}."))
    bare = [name for name, field in found.items() if not {"description", "$ref", "const"} & {*field}]
    assert [name for name in bare if name not in ("elastic", "mig")] == []  # theirs stands at their model


def _places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a spec."""
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in members:
        yield (*at, key)
        yield from _places(value, (*at, key))


def _mutated(spec: dict[str, Any], choose: random.Random) -> dict[str, Any]:
    """The spec with one value, name or field changed."""
    changed = copy.deepcopy(spec)
    *above, last = choose.choice(list(_places(spec)))
    holder: Any = changed
    for step in above:
        holder = holder[step]
    match choose.randrange(4):
        case 0:
            del holder[last]
        case 1 if isinstance(last, str):
            holder[f"{last}s"] = holder.pop(last)
        case _:
            holder[last] = choose.choice([None, True, -1, 0.5, 10**10, "x", "", [], [1], {}, {"kind": "x"}, {"x": 1}])
    return changed


def test_the_schema_and_the_model_refuse_the_same_specs() -> None:
    """Except rules in code, such as those between fields, and a number as text, which the model reads."""
    validator = Draft202012Validator(json.loads(spec_schema()))
    in_code = {"value_error", "decimal_parsing", "decimal_max_places"}
    choose, refused = random.Random(1128), 0
    for path in sorted([*ROOT.glob("stacks/specs/*.yaml"), *ROOT.glob("examples/specs/**/*.yaml")]):
        spec = json.loads(json.dumps(yaml.safe_load(path.read_text()), default=str))
        assert validator.is_valid(spec), path
        for changed in [_mutated(spec, choose) for _ in range(10)]:
            try:
                StackSpec.model_validate(changed)
                kinds = set[str]()
            except InvalidSpec as error:
                kinds = {mistake["type"] for mistake in error.mistakes}
            if not kinds or kinds - in_code:
                assert validator.is_valid(changed) == (not kinds), (path, kinds, changed)
                refused += bool(kinds)
    assert refused > 200


def test_without_docstrings_the_schema_describes_fields_only() -> None:
    code = "from gpucluster.components.spec.cluster import spec_schema; print(spec_schema())"
    bare = subprocess.check_output([sys.executable, "-OO", "-c", code], text=True)
    assert '"None' not in bare
    assert json.loads(bare)["properties"].keys() == json.loads(spec_schema())["properties"].keys()


def test_the_schema_speaks_of_a_spec_as_it_is_written() -> None:
    schema = json.loads(spec_schema())
    assert schema["properties"]["duration"]["type"] == "string"
    assert schema["properties"]["labels"]["required"] == ["team", "project", "cost-center", "environment", "owner"]
    assert schema["$defs"]["ReservationPlacement"]["required"] == ["kind", "id"]


@pytest.mark.parametrize("nodes", ["1", "16"])
def test_a_first_spec_passes_the_check(tmp_path: Path, nodes: str) -> None:
    path = str(tmp_path / "first.yaml")
    done = CliRunner().invoke(main, ["init", path, "--name", "first", "--nodes", nodes])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == f"Next: gpucluster check {path}"
    checked = CliRunner().invoke(main, ["check", path])
    assert checked.exit_code == 0, checked.output
    assert checked.stdout.startswith("cluster    first on EKS")


def test_a_first_spec_inside_the_project_names_its_schema(tmp_path: Path) -> None:
    (tmp_path / "stacks/specs").mkdir(parents=True)
    (tmp_path / "stacks/specs/schema.json").touch()
    assert CliRunner().invoke(main, ["init", str(tmp_path / "a.yaml")]).exit_code == 0
    first = (tmp_path / "a.yaml").read_text().split("\n")[0]
    assert first == "# yaml-language-server: $schema=stacks/specs/schema.json"


def test_init_writes_over_nothing(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("mine")
    done = CliRunner().invoke(main, ["init", str(path)])
    assert (done.exit_code, path.read_text()) == (2, "mine")
    assert "exists already and is unchanged" in done.stderr


@pytest.mark.parametrize("arguments", [["--name", "Bad_Name"], ["--nodes", "0"]])
def test_init_refuses_what_the_check_would_refuse(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "bad.yaml"
    assert CliRunner().invoke(main, ["init", str(path), *arguments]).exit_code == 2
    assert not path.exists()

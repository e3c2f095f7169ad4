"""The schema that editors use, and the first spec."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.spec.schema import spec_schema

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

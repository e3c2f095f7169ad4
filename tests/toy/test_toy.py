"""A cloud is files of its own and rows of tables: with those of a toy, everything else is as it was, and finds it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucluster.checkout import LINKS, link

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / LINKS / "gpucluster"

PROGRAM = """
import datetime, json
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.sandbox.clouds.registry import SIMULATED

def made(type_, name, **inputs):
    return Resource(urn=f"urn:pulumi:dev::p::{type_}::{name}", type=type_, name=name, inputs=inputs)

resources = Resources(
    [
        made("toy:net/network:Network", "net"),
        made("toy:compute/nodePool:NodePool", "pool", machineType="toy.8xh100", nodes=2, public=True),
    ],
    default_regions={"toy": "toy-1"},
)
cost = estimate(resources)
rules = [rule for rule in TRAINING.rules if rule.name == "toy-nodes-not-public"]
outcomes = evaluate(rules, resources, today=datetime.date(2026, 11, 22))
print(json.dumps({
    "lines": [(line.name, str(line.monthly)) for line in cost.lines],
    "free": [free.type for free in cost.free],
    "violations": [(found.resource.name, found.what, found.fix) for of in outcomes for found in of.violations],
    "simulated": {package: cloud.__name__ for package, cloud in SIMULATED.items()},
}))
"""


def _files(root: Path) -> Iterator[Path]:
    """Every file below a folder, by its path from there."""
    for folder, folders, names in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from ((Path(folder) / name).relative_to(root) for name in names if not name.endswith(".pyc"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all that we ship, with the files of the toy beside it and its rows at the end of tables."""
    link(ROOT)
    root = tmp_path_factory.mktemp("tree")
    for source in (PACKAGE, HERE / "files"):
        shutil.copytree(source, root / "gpucluster", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for table in _files(HERE / "rows"):
        with (root / "gpucluster" / table).open("a") as file:
            file.write((HERE / "rows" / table).read_text())
    return root


def _run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def found(tree: Path) -> dict[str, object]:
    done = _run(tree, "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_toy_edits_no_file_and_adds_a_row_to_three_tables(tree: Path) -> None:
    assert sorted(map(str, _files(HERE / "rows"))) == [
        "core/catalog/clouds.csv",
        "core/catalog/machines.csv",
        "cost/prices/sources.csv",
    ]
    ours = {file for file in _files(tree / "gpucluster") if (PACKAGE / file).exists()}
    changed = {file for file in ours if (tree / "gpucluster" / file).read_bytes() != (PACKAGE / file).read_bytes()}
    assert changed == {*_files(HERE / "rows")}
    assert ours & {*_files(HERE / "files")} == set()


def test_a_spec_is_checked_and_planned_for_it(tree: Path) -> None:
    spec = ROOT / "stacks" / "specs" / "trial.yaml"
    done = _run(tree, "-m", "gpucluster", "check", str(spec), "--cloud", "toy")
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert lines["cluster"] == "trial on TKS 1.34, toy-1"
    assert "x toy.8xh100: " in lines["training"]
    assert done.stderr == "a preview, and the cost here, needs pulumi-toy: pip install 'pulumi-toy'\n"


def test_a_mistake_in_its_place_is_told(tree: Path) -> None:
    spec = ROOT / "stacks" / "specs" / "trial.yaml"
    done = _run(tree, "-m", "gpucluster", "check", str(spec), "--cloud", "toy", "--region", "mars")
    assert done.returncode != 0
    assert "--region is 'mars'; allowed: toy-1" in done.stderr


def test_its_resources_have_the_prices_of_its_own_table_and_book(found: dict[str, object]) -> None:
    assert found["lines"] == [["Nodes toy.8xh100", "73000.00"]]  # 2 nodes x 730 hours x 50 USD
    assert found["free"] == ["toy:net/network:Network"]


def test_a_rule_is_found_by_being_there_and_judges_it(found: dict[str, object]) -> None:
    assert found["violations"] == [["pool", "its nodes have public addresses", "Leave out public."]]


def test_the_sandbox_simulates_it(found: dict[str, object]) -> None:
    assert found["simulated"] == {
        "aws": "Aws",
        "gcp": "Gcp",
        "azure-native": "Azure",
        "toy": "Toy",
        "kubernetes": "Kubernetes",
    }

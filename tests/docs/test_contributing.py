"""CONTRIBUTING.md names what is there, and its examples do what it says."""

from __future__ import annotations

import datetime
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from gpucluster.core.catalog import tables
from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.resource_types import free_types
from gpucluster.core.program.readers.files import read_file
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.handlers import registry
from gpucluster.cost.handlers.rates_table import by_table
from gpucluster.cost.prices.check import check_prices
from gpucluster.cost.rates import rows_of
from gpucluster.policies.engine.examples import Example, plan_of
from gpucluster.policies.engine.rule import Changes
from gpucluster.policies.engine.run import evaluate
from tests.gpucluster.core.catalog.test_machines import (
    test_a_row_says_what_a_machine_of_its_cloud_has as machine_is_whole,
)
from tests.test_clouds_apart import _DATA_OF_EACH, NAMED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text()
SNIPPETS = dict(re.findall(r"`([\w./-]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
SPANS = re.findall(r"(?<!`)`([^`]+)`(?!`)", re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL))
TODAY = datetime.date(2026, 11, 22)
BEACON = "aws:example/beacon:Beacon"
NEW = {
    "cost/handlers/aws_array.py",
    "policies/rules/beacon_has_a_guard.py",
    "policies/rules/beacon_has_a_guard.yaml",
    "tests/policies/rules/beacon_has_a_guard.yaml",
}
"""The files that an example adds; every other one that is named is there."""


def test_every_path_that_is_named_is_there_and_those_of_the_examples_are_not():
    paths = {word for span in SPANS for word in span.split() if "/" in word and not word.startswith(".venv/")}
    paths |= {*re.findall(r"\]\(([^)#]+)\)", PAGE), *SNIPPETS}
    assert {path for path in paths if not (ROOT / path).exists()} == NEW


@pytest.mark.parametrize(
    ("topic", "path", "holds"),
    [
        (
            "the rule that keeps a training pool in one placement group",
            "policies/rules/training_pool_in_one_domain.py",
            'name="training-pool-in-one-domain"',
        ),
        (
            "the price of p5.48xlarge",
            "cost/prices/aws.csv",
            "aws,us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,",
        ),
        ("the EFA interfaces of a node", "components/aws/planning/training.py", "def plan_interfaces("),
        ("prices of a new region", "cost/prices/aws.csv", "aws,us-west-2,p5.48xlarge,compute,"),
        ("prices of a new region", "cost/prices/sources.csv", "starts_with,"),
        ("new rules", "policies/rules/", "RULE: Final"),
    ],
)
def test_what_people_look_for_first_is_where_the_page_says(topic: str, path: str, holds: str):
    (row,) = re.findall(rf"^\| {topic} \| (.*) \|$", PAGE, re.MULTILINE)
    assert f"`{path}`" in row
    files = sorted((ROOT / path).glob("[a-z]*.py")) or [ROOT / path]
    assert [file for file in files if holds not in file.read_text()] == []


def test_the_files_with_a_dagger_are_those_that_the_toy_cloud_adds():
    section = _section("Adding a cloud")
    marked = {found.strip("`") for found in re.findall(r"(`[^`\n]+`|[\w/.]+)†", section)}
    toy = ROOT / "tests/toy"
    added = {str(file.relative_to(toy / part)) for part in ("files", "rows") for file in (toy / part).rglob("*.*")}
    names = {"CLOUD": "toy", "PACKAGE": "toy", "RULE": "toy_nodes_not_public"}
    spelled = {re.sub("|".join(names), lambda name: names[name[0]], file) for file in marked}
    shipped = {file for file in added if not file.endswith(("__init__.py", ".pyc"))}
    assert spelled == {re.sub("^core/", "gpucluster/core/", file) for file in shipped}


def test_the_files_with_a_fact_of_each_cloud_are_listed():
    (step,) = re.findall(r"^6\. .*?\n\n", _section("Adding a cloud"), re.DOTALL | re.MULTILINE)
    assert re.findall(r"`([^`]+)`", step) == [file for file, why in NAMED.items() if why == _DATA_OF_EACH]


def _section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_every_target_of_make_is_there():
    named = set(re.findall(r"^make +([\w-]+)", PAGE, re.MULTILINE))
    named |= {word for span in SPANS if span.startswith("make ") for word in span.split()[1:] if "=" not in word}
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"check", "docs", "test", "test-all"} <= named <= targets


def test_every_command_of_contributing_runs():
    """With a region of the book for the one that the examples add."""
    commands = [span.removeprefix(".venv/bin/") for span in SPANS if span.startswith(".venv/bin/gpucluster ")]
    assert len(commands) == 3
    for command in commands:
        run = [sys.executable, "-m", *shlex.split(command.replace("xx-north-1", "us-east-1"))]
        done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command


@pytest.fixture
def walked(tmp_path, monkeypatch):
    """The tables with the rows of the page, and a registry of handlers that is this test's own."""
    known = registry.priced_types()  # a copy, with those that would load into it and be gone for other tests
    for folder in ("gpucluster/core/catalog", "cost/prices", "cost/rates"):
        (tmp_path / folder).mkdir(parents=True)
        for path in (ROOT / folder).glob("*.csv"):
            shutil.copy(path, tmp_path / folder)
    for path, text in SNIPPETS.items():
        if path.endswith(".csv"):
            with (tmp_path / path).open("a") as file:
                file.write(text)
    monkeypatch.setattr(tables, "_ROOT", tmp_path)
    monkeypatch.setattr(registry, "_HANDLERS", known)
    return tmp_path


@pytest.mark.usefixtures("walked")
def test_the_machine_is_read_and_whole(monkeypatch):
    found = machines.__wrapped__()
    assert set(found) - set(machines()) == {"p8.48xlarge"}
    monkeypatch.setitem(machines(), "p8.48xlarge", found["p8.48xlarge"])
    machine_is_whole("p8.48xlarge")


def test_the_prices_are_those_of_a_sound_book(walked):
    book = PriceBook(today=TODAY, folder=walked / "cost/prices")
    added = [row for row in book.rows("aws") if row.source.startswith("Example price list, ")]
    assert [(row.region, row.sku, str(row.usd_per_unit), row.basis) for row in added] == [
        ("us-east-1", "p8.48xlarge", "66.00", "official"),
        ("xx-north-1", "p5.48xlarge", "60.54", "official"),
        ("us-east-1", "example-beacon-hour", "0.25", "official"),
    ]
    every = [row for provider in book.providers for row in book.rows(provider)]
    assert [one for one in check_prices(every, TODAY) if one.matters] == []


def _cost(book: PriceBook, type_: str, **inputs: int) -> Estimate:
    urn = f"urn:pulumi:dev::p::{type_}::one"
    resource = Resource(urn=urn, type=type_, name="one", inputs=inputs)
    return estimate(Resources([resource], default_regions={"aws": "us-east-1"}), book)


@pytest.mark.usefixtures("walked")
def test_the_free_type_is_free():
    why, page = free_types.__wrapped__()["aws:example/marker:Marker"]
    assert (why, page.startswith("https://")) == ("no charge for a marker", True)


def test_the_rates_and_the_handler_price_their_types(walked, monkeypatch):
    monkeypatch.setattr("gpucluster.cost.handlers.rates_table.rows_of", rows_of.__wrapped__)
    registry.prices(BEACON)(by_table(BEACON))
    _module("cost/handlers/aws_array.py", like="cost/handlers/aws_network.py")
    book = PriceBook(today=TODAY, folder=walked / "cost/prices")
    found = [_cost(book, BEACON, nodes=2), _cost(book, "aws:example/array:Array", rows=2, columns=3)]
    assert [(line.name, str(line.monthly)) for cost in found for line in cost.lines] == [
        ("Beacon", "365.00"),
        ("Beacons of an array", "1095.00"),
    ]
    assert [cost.complete for cost in found] == [True, True]


def _module(path: str, *, like: str) -> ModuleType:
    """The code of an example under the imports of the file that it names as its model."""
    assert f"imports like those of `{like}`" in PAGE
    imports = [line for line in (ROOT / like).read_text().splitlines() if line.startswith(("from ", "import "))]
    module = ModuleType(Path(path).stem)
    exec("\n".join((*imports, SNIPPETS[path])), module.__dict__)
    return module


def test_the_rule_finds_what_its_example_and_cases_say():
    path, like = "policies/rules/beacon_has_a_guard", "policies/rules/shared_storage_protected"
    rule = _module(f"{path}.py", like=f"{like}.py").RULE
    example = Example(**yaml.safe_load(SNIPPETS[f"{path}.yaml"]))
    cases = yaml.safe_load(SNIPPETS[f"tests/{path}.yaml"])["cases"]

    def found(program: Example, *, fails: bool = True) -> dict[str, str]:
        read = read_file(json.dumps(plan_of(program, fails=fails)), "example")
        changes = Changes(ended=read.ended, before=read.existing(), after=read.resources)
        [outcome] = evaluate([rule], read.resources, changes, today=TODAY)
        return {one.resource.name: one.what for one in outcome.violations}

    assert (found(example, fails=False), found(example)) == ({}, {"beacon": "not guarded"})
    changed = [Example(resources=example.resources, fail=case["change"]) for case in cases]
    assert [found(program) for program in changed] == [case.get("finds", {}) for case in cases]
    assert rule.name == Path(path).name.replace("_", "-")

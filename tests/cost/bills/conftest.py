"""The three trials as the engine planned them, and a bill with known differences for each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpucluster.cli import main
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import Resources
from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.bills.planned import Planned, planned_lines
from gpucluster.cost.documents.reconciliation.reconciliation_json import reconciliation_schema
from tests.cost.bills.generator import HERE, Item, bill_of


@dataclass
class Trial:
    cloud: str
    file: Path
    resources: Resources
    lines: tuple[Planned, ...]

    def bill(self, days: int = 31) -> list[Item]:
        """What exactly the plan would bring."""
        return bill_of(self.cloud, self.lines, self.resources, days)

    def line(self, sku: str) -> Planned:
        """Of several with one SKU the first that is planned: lines by usage alone are planned at nothing."""
        found = [line for line in self.lines if line.sku == sku]
        return next((line for line in found if line.quantity), found[0])


Reconcile = Callable[..., Result]

SCHEMA: dict[str, Any] = reconciliation_schema()


def refused(document: dict[str, Any]) -> list[str]:
    """Where a document is not as the schema says."""
    import jsonschema

    return [error.json_path for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


@pytest.fixture
def trial(request: pytest.FixtureRequest) -> Trial:
    """That of the cloud given as parameter, AWS's without one."""
    cloud = getattr(request, "param", "aws")
    file = HERE / "trials" / f"{cloud}.json"
    resources = read_text(file.read_text(), file.name)
    return Trial(cloud, file, resources, planned_lines(estimate(resources, PriceBook())))


@pytest.fixture
def reconcile(trial: Trial) -> Reconcile:
    """`reconcile(bill, ...)`: the command on the trial, with further options."""

    def run(*bills: Path, options: tuple[str, ...] = ()) -> Result:
        given = [each for bill in bills for each in ("--bill", str(bill))]
        return CliRunner().invoke(main, ["cost", "reconcile", str(trial.file), *given, *options])

    return run


@pytest.fixture
def found(reconcile: Reconcile) -> Callable[..., dict[str, Any]]:
    """The same as JSON, which is as the schema says."""

    def run(*bills: Path, options: tuple[str, ...] = ()) -> dict[str, Any]:
        done = reconcile(*bills, options=("--format", "json", *options))
        assert done.exit_code in (0, 1), done.output
        document = json.loads(done.stdout)
        assert refused(document) == []
        return document

    return run


def row_of(item: Item, **changes: Any) -> Item:
    """Another row of the same day and labels."""
    return replace(item, **{"sku": "", "quantity": None, "billed": None, **changes})


def of(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A line by how its name begins."""
    [line] = [line for line in document["lines"] if line["name"].startswith(name)]
    return line


def usd(text: str | None) -> Decimal:
    return Decimal(text or "0")

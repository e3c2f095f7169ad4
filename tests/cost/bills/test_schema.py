"""The published schema of a bill beside its plan; every document of the other tests is held against it as well."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.cost.bills.conftest import SCHEMA, Trial, refused
from tests.cost.bills.generator import write_csv

CLOUDS = ("aws", "gcp", "azure")


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("trial", CLOUDS, indirect=True)
def test_every_field_is_required_and_what_is_never_said_is_refused(
    trial: Trial, found: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    document = found(write_csv(tmp_path / "bill.csv", trial.bill(3)))
    assert set(SCHEMA["required"]) == set(document)
    for change, path in (
        ({"currency": "EUR"}, "$.currency"),
        ({"lines": [{**document["lines"][0], "billed": 1.5}]}, "$.lines[0].billed"),
        ({"lines": [{**document["lines"][0], "reasons": [{"kind": "luck", "amount": "1.00", "words": ""}]}]},
         "$.lines[0].reasons[0].kind"),
        ({"sum": "3"}, "$"),
    ):  # fmt: skip
        wrong = copy.deepcopy(document) | change
        assert refused(wrong) == [path]

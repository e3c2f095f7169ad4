"""The schemas that a command prints."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner

from gpucluster.cli import main

NAMES = (
    "spec", "cost-report", "cost-reconcile", "cost-diff", "quote", "guardrails-check", "judge", "pull-request-evidence",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_is_a_schema_that_lets_no_other_field_pass(name: str) -> None:
    run = CliRunner().invoke(main, ["schema", name])
    assert run.exit_code == 0
    schema = json.loads(run.stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    parts = (schema, *schema["$defs"].values())
    assert [part["additionalProperties"] for part in parts if "properties" in part] == [False] * len(
        [part for part in parts if "properties" in part]
    )


def test_a_name_without_a_schema_is_refused_with_those_there_are() -> None:
    run = CliRunner().invoke(main, ["schema", "cost"])
    assert run.exit_code == 2
    assert all(name in run.stderr for name in NAMES)

"""The schemas that a command prints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.stack.stack_config import stack_config, stack_schema

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


KEYS = Path(__file__).with_name("schema_keys.yaml")


@pytest.mark.parametrize("name", ["cost-report", "cost-reconcile", "cost-diff", "quote", "pr-check"])
def test_fields_that_are_new_raise_the_minor_of_their_document(name: str) -> None:
    """`schema_keys.yaml` has the fields of each version, in later minors those that they add. UPDATE_GOLDEN=1 adds a
    version, and changes none.
    """
    schema = json.loads(CliRunner().invoke(main, ["schema", name]).stdout)
    keys = {f"{part}.{key}" for part, of in schema["$defs"].items() for key in of.get("properties", ())}
    keys |= set(schema["properties"])
    version, minor = (schema["properties"][each]["default"] for each in ("schema_version", "schema_minor"))
    recorded = yaml.safe_load(KEYS.read_text()) if KEYS.exists() else {}
    versions: dict[str, list[str]] = recorded.setdefault(name, {})
    known = {key for at, added in versions.items() if at.startswith(f"{version}.") for key in added}
    if "UPDATE_GOLDEN" in os.environ and f"{version}.{minor}" not in versions:
        versions[f"{version}.{minor}"] = sorted(keys - known)
        KEYS.write_text(yaml.safe_dump(recorded, width=118, sort_keys=False, default_flow_style=None))
        known |= keys
    assert sorted(known - keys) == [], "a field was removed: raise schema_version"
    assert sorted(keys - known) == [], "fields are new: raise schema_minor of the document, then UPDATE_GOLDEN=1"
    assert [*versions][-1] == f"{version}.{minor}"


STACKS = sorted((Path(__file__).parents[2] / "stacks").glob("Pulumi.*.yaml"))


@pytest.fixture(scope="module")
def of_stacks() -> jsonschema.Draft202012Validator:
    schema = json.loads(stack_schema("gpucluster"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_stack_names_its_schema_which_is_the_one_of_the_configuration() -> None:
    """`gpucluster schema stack > stacks/specs/stack-schema.json` writes it anew."""
    assert (STACKS[0].parent / "specs/stack-schema.json").read_text() == stack_schema("gpucluster")
    heads = {file.read_text().partition("\n")[0] for file in STACKS}
    assert heads == {"# yaml-language-server: $schema=specs/stack-schema.json"}


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.name)
def test_the_schema_of_a_stack_takes_every_stack_of_this_repository(
    file: Path, of_stacks: jsonschema.Draft202012Validator
) -> None:
    found = yaml.safe_load(file.read_text())
    assert [*of_stacks.iter_errors(found)] == []
    other = {"aws:region": "us-east-1", "gpucluster:alertsWebhook": {"secure": "v1:x"}, "gpucluster:paused": "true"}
    assert [*of_stacks.iter_errors({**found, "encryptionsalt": "v1:x", "config": {**found["config"], **other}})] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gpucluster:cloud": "ibm"}, "'ibm' is not one of ['aws', 'gcp', 'azure']"),
        ({"gpucluster:regoin": "us-east-1"}, "False schema does not allow 'us-east-1'"),
        ({"gpucluster:subscription": "a"}, "False schema does not allow 'a'"),
        ({"gpucluster:zone": None}, "None is not of type 'string', 'number'"),
        ({"gpucluster:paused": "yes"}, "'yes' is not one of [True, False, 'true', 'false']"),
        ({"gpucluster:spec": ""}, "'' should be non-empty"),
    ],
)
def test_the_schema_of_a_stack_refuses_what_the_program_refuses(
    change: dict[str, Any], said: str, of_stacks: jsonschema.Draft202012Validator, tmp_path: Path
) -> None:
    file = yaml.safe_load(STACKS[0].read_text())
    wrong = {**file["config"], **change}
    assert [error.message for error in of_stacks.iter_errors({**file, "config": wrong})] == [said]
    values = {key: "" if value is None else str(value) for key, value in wrong.items()}
    assert stack_config(values, project="gpucluster", stack="dev", program=tmp_path, root=tmp_path).problems != ()


def test_the_schema_of_a_stack_asks_for_the_keys_of_its_cloud(of_stacks: jsonschema.Draft202012Validator) -> None:
    file = {"config": {"gpucluster:spec": "specs/trial.yaml", "gpucluster:cloud": "gcp", "gpucluster:project": "mine"}}
    assert [error.message for error in of_stacks.iter_errors(file)] == [
        f"'gpucluster:{key}' is a required property" for key in ("region", "zone")
    ]


def test_a_name_without_a_schema_is_refused_with_those_there_are() -> None:
    run = CliRunner().invoke(main, ["schema", "cost"])
    assert run.exit_code == 2
    assert all(name in run.stderr for name in NAMES)

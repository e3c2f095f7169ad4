"""Plan and state files: what is read, and what is refused in one clear line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import UNKNOWN, Resources
from tests.says import Says

KEY = "aws:kms/key:Key"


def _record(name: str, type_: str = KEY, **more: Any) -> dict[str, Any]:
    return {"urn": f"urn:pulumi:dev::test::{type_}::{name}", "type": type_, "custom": True, **more}


def _plan(*steps: tuple[str, dict[str, Any]], **more: Any) -> Resources:
    listed = [{"op": op, "urn": record["urn"], "newState": record} for op, record in steps]
    return read_text(json.dumps({"steps": listed, **more}), "plan.json")


def test_a_plan_holds_what_will_exist() -> None:
    gone = {**_record("gone")}
    found = _plan(
        ("create", _record("new")),
        ("same", _record("kept")),
        ("update", _record("changed")),
        ("replace", _record("replaced")),
        ("delete", gone),
        ("read", _record("theirs")),
        changeSummary={"same": 1},
    )
    assert [resource.name for resource in found] == ["new", "kept", "changed", "replaced"]


def test_a_delete_has_no_new_state() -> None:
    text = json.dumps({"steps": [{"op": "delete", "urn": "u", "oldState": _record("gone")}]})
    assert len(read_text(text, "plan.json")) == 0


def test_the_steps_of_one_replacement_count_once() -> None:
    found = _plan(
        ("create-replacement", _record("it", inputs={"n": 2})),
        ("replace", _record("it", inputs={"n": 2})),
        ("delete-replaced", _record("it", inputs={"n": 1})),
    )
    assert [dict(resource.inputs) for resource in found] == [{"n": 2}]


def test_values_are_plain_and_what_is_not_known_is_unknown() -> None:
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}
    inputs = {"a": unknown, "b": [secret, 5.0, 2.5], "c": "[secret]", "d": None, "e": {"f": unknown}, "__defaults": []}
    (it,) = _plan(("create", _record("it", inputs=inputs)))
    assert it.inputs == {"a": UNKNOWN, "b": [UNKNOWN, 5, 2.5], "c": UNKNOWN, "e": {"f": UNKNOWN}}


def test_a_reference_to_a_provider_is_its_urn_where_the_plan_shows_it() -> None:
    west = _record("west", "pulumi:providers:aws", inputs={"region": "us-west-2"})
    shown = _record("a", provider=f"{west['urn']}::04da6b54")
    default = _record("b", provider="urn:pulumi:dev::test::pulumi:providers:aws::default_7_51_1::04da6b54")
    found = _plan(("create", west), ("create", shown), ("create", default), config={"aws:region": "us-east-1"})
    assert {resource.name: found.region(resource) for resource in found if resource.type == KEY} == {
        "a": "us-west-2",
        "b": "us-east-1",
    }


def test_dependencies_and_positions_are_kept() -> None:
    record = _record(
        "it",
        propertyDependencies={"x": ["urn:pulumi:dev::test::a:b:C::c"], "y": [], "z": None},
        sourcePosition="project:///stacks/__main__.py#14",
    )
    (it,) = _plan(("create", record))
    assert it.dependencies == {"x": ("urn:pulumi:dev::test::a:b:C::c",)}
    assert it.source_position == "stacks/__main__.py#14"


def test_a_position_outside_of_the_project_says_nothing() -> None:
    (it,) = _plan(("create", _record("it", sourcePosition="project:///../../venv/pulumi/stack.py#235")))
    assert it.source_position is None


def test_a_state_holds_what_exists_and_is_ours() -> None:
    records = [_record("mine"), _record("theirs", external=True), _record("waits", delete=True)]
    found = read_text(json.dumps({"version": 3, "deployment": {"resources": records}}), "state.json")
    assert [resource.name for resource in found] == ["mine"]


def test_an_empty_stack_can_be_exported() -> None:
    assert len(read_text(json.dumps({"version": 3, "deployment": {}}), "state.json")) == 0


def test_the_region_of_a_state_comes_from_its_default_provider(recordings: Path) -> None:
    found = read_text((recordings / "state.json").read_text(), "state.json")
    assert {found.region(resource) for resource in found if resource.type.startswith("aws:")} == {
        "us-east-1",
        "us-west-2",
    }


HOW = "give the output of `pulumi preview --json --show-sames` or of `pulumi stack export`"
WRITE = "write it with `pulumi preview --json --show-sames`"
REFUSED = [
    ("", f"it is empty; {HOW}"),
    ("  \n", f"it is empty; {HOW}"),
    ("not json", f"it is not JSON (line 1: Expecting value); {HOW}"),
    ("[]", f"it is neither a plan nor a state (found no object); {HOW}"),
    ('{"a": 1, "b": 2}', f"it is neither a plan nor a state (found an object with a, b); {HOW}"),
    ("[" * 100_000, f"it is nested too deeply; {HOW}"),
    ('{"steps": {"a": 1}}', f"it: steps is not a list of objects; {WRITE}"),
    ('{"steps": [1]}', f"it: steps is not a list of objects; {WRITE}"),
    (
        '{"steps": [{"op": "create", "newState": {"urn": "odd"}}]}',
        "it: a resource has no name (urn); write the file with `pulumi preview --json --show-sames`",
    ),
    (
        '{"deployment": {"resources": [1]}}',
        "it: a resource has no name (urn); write the file with `pulumi stack export`",
    ),
    (
        '{"deployment": {"resources": {}}}',
        "it: deployment.resources is not a list; write it with `pulumi stack export`",
    ),
    (
        '{"steps": [], "changeSummary": {"same": 3}}',
        f"it leaves out 3 unchanged resources, so its total would be wrong; {WRITE}",
    ),
    (
        '{"steps": [], "diagnostics": [{"severity": "info", "message": "x"}, '
        '{"severity": "error", "message": "no such zone\\nmore"}]}',
        "it: the preview ended in an error, so the plan is incomplete: no such zone\nmore",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(NotReadable) as error:
        read_text(text, "it")
    assert str(error.value) == message


def test_a_plan_without_its_unchanged_resources_is_refused(recordings: Path) -> None:
    document = json.loads((recordings / "update.json").read_text())
    document["steps"] = [step for step in document["steps"] if step["op"] != "same"]
    with pytest.raises(NotReadable, match="leaves out 22 unchanged resources"):
        read_text(json.dumps(document), "update.json")


def test_a_plan_whose_steps_say_nothing_of_their_resources_is_refused() -> None:
    named = [{"op": "create", "urn": _record(name)["urn"]} for name in "abc"]
    whole = {"op": "same", "urn": _record("d")["urn"], "newState": _record("d")}
    with pytest.raises(NotReadable) as refused:
        read_text(json.dumps({"steps": [*named, whole], "changeSummary": {"create": 3, "same": 1}}), "plan.json")
    assert str(refused.value) == Says(
        "plan.json",
        "3",
        "4",
        "no",
        "newState",
        "urn:pulumi:dev::test::aws:kms/key:Key::a",
        "urn:pulumi:dev::test::aws:kms/key:Key::b",
        "--json",
        "--show-sames",
    )
    with pytest.raises(NotReadable, match="counts 3 resources but has no steps"):
        read_text(json.dumps({"changeSummary": {"create": 2, "update": 1, "delete": 4}}), "plan.json")
    assert len(read_text(json.dumps({"steps": [], "changeSummary": {"delete": 4}}), "plan.json")) == 0


def test_the_region_of_a_default_provider_is_in_the_configuration_by_the_key_of_its_package() -> None:
    nat = {"urn": "urn:pulumi:dev::p::azure-native:network:NatGateway::nat", "custom": True,
           "type": "azure-native:network:NatGateway", "inputs": {}}  # fmt: skip
    config = {"azure-native:location": "westeurope", "azure-native:region": "nowhere", "aws:region": "us-east-1"}
    resources = read_text(json.dumps({"steps": [{"op": "create", "newState": nat}], "config": config}), "plan")
    assert [resources.region(resource) for resource in resources] == ["westeurope"]

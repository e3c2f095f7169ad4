"""What a plan takes away, read from a file as the command reads it."""

from __future__ import annotations

import json

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.rule import Changes

TYPE = "aws:efs/fileSystem:FileSystem"


def _state(name, **more):
    urn = f"urn:pulumi:dev::shop::{TYPE}::{name}"
    return {"urn": urn, "custom": True, "type": TYPE, "inputs": {"encrypted": True}, **more}


def _read(*steps) -> Changes:
    states = [(step.get("oldState") or step["newState"])["urn"] for step in steps]
    text = json.dumps({"steps": [{"urn": urn, **step} for urn, step in zip(states, steps, strict=True)]})
    found = read_file(text, "plan.json")
    return Changes(ended=found.ended, before=found.existing(), after=found.resources)


def test_what_ends_comes_with_the_resource_as_it_stands():
    changes = _read(
        {"op": "same", "oldState": _state("kept"), "newState": _state("kept")},
        {"op": "create", "newState": _state("new")},
        {"op": "delete", "oldState": _state("gone", inputs={"encrypted": False})},
        {"op": "read", "oldState": _state("foreign", external=True), "newState": _state("foreign", external=True)},
        {"op": "replace", "oldState": _state("replaced"), "newState": _state("replaced", inputs={})},
    )
    assert [(ended.how, old.name, old.inputs) for ended, old in changes.gone()] == [
        ("deleted", "gone", {"encrypted": False}),
        ("replaced", "replaced", {"encrypted": True}),
    ]
    assert [resource.name for resource in changes.before] == ["kept", "gone", "replaced"]


def test_only_what_was_not_there_is_made():
    same = {"op": "same", "oldState": _state("a"), "newState": _state("a")}
    assert _read(same).made(TYPE) is None
    made = _read(same, {"op": "create", "newState": _state("b")}).made(TYPE)
    assert made is not None
    assert made.name == "b"


def test_a_state_file_says_nothing_of_changes():
    found = read_file(json.dumps({"deployment": {"resources": [_state("a")]}}), "state.json")
    assert (found.is_plan, found.ended, len(found.existing())) == (False, (), 0)

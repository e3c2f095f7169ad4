"""What the steps of a plan end."""

from __future__ import annotations

import json
from typing import Any

from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.readers.files import read_file

TYPE = "aws:ebs/volume:Volume"


def _urn(name: str) -> str:
    return f"urn:pulumi:dev::test::{TYPE}::{name}"


def _step(op: str, name: str, **more: Any) -> dict[str, Any]:
    record = {"urn": _urn(name), "type": TYPE, "custom": True}
    return {"op": op, "urn": _urn(name), "newState": record, **more}


def test_deletions_and_replacements_are_read_with_what_forces_them() -> None:
    steps = [
        _step("create", "new"),
        _step("same", "kept"),
        _step("update", "changed"),
        _step("delete", "gone", oldState={"retainOnDelete": True}),
        _step("create-replacement", "again", replaceReasons=["size", "type"]),
        _step("replace", "again", replaceReasons=["size", "type"]),
        _step("delete-replaced", "again", oldState={}),
        _step("discard", "read"),
        _step("import-replacement", "taken over"),
    ]
    found = read_file(json.dumps({"steps": steps}), "plan.json")
    assert (found.is_plan, found.ended) == (
        True,
        (
            Deletion(_urn("again"), "replaced", ("size", "type")),
            Deletion(_urn("gone"), "deleted", (), True),
            Deletion(_urn("taken over"), "replaced"),
        ),
    )
    assert [(item.name, item.type) for item in found.ended] == [("again", TYPE), ("gone", TYPE), ("taken over", TYPE)]


def test_a_state_ends_nothing() -> None:
    found = read_file(json.dumps({"deployment": {"resources": [{"urn": _urn("a"), "type": TYPE}]}}), "state.json")
    assert (found.is_plan, found.ended) == (False, ())

"""Combinations of inputs, from schemas to Pulumi's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.cases import cases
from tools.limits.combinations import Place, combinations, extensions

PLACES = [
    Place("a", ("A",), needed=False),
    Place("b", ("B",), needed=False),
    Place("must", ("Must",), needed=True),
    Place("first", ("Two",), needed=False),
    Place("second", ("Two",), needed=False),
    Place("disks", ("Data", "Disks"), needed=False),
    Place("disks[].size", ("Data", "Disks", "Size"), needed=False),
    Place("disks[].type", ("Data", "Disks", "Type"), needed=False),
    Place("deep", ("Settings", "Inner", "Deep"), needed=False),
]
IMPLIED = {("Kind",): "LUSTRE", ("Data",): {}}


@cases
def test_a_schema_speaks_of_the_inputs_that_a_program_can_give(
    at: list[str], schema: dict[str, Any], found: dict[str, Any]
) -> None:
    """An object that no input stands for, such as Settings, is there with its members alone."""

    def nodes(path: tuple[str, ...]) -> Sequence[Mapping[str, Any]]:
        return [schema] if path == tuple(at) else []

    assert combinations(PLACES, IMPLIED, nodes, _limits) == found


def test_a_condition_that_cannot_be_read_stops_the_compilation() -> None:
    schema = {"if": {"minProperties": 2}, "then": {"required": ["A"]}}
    with pytest.raises(AssertionError, match="minProperties"):
        combinations(PLACES, IMPLIED, lambda _: [schema], _limits)


def test_what_cfn_lint_adds_is_found_by_the_place_of_the_object() -> None:
    found = extensions()
    disks = ("LaunchTemplateData", "BlockDeviceMappings")
    assert [list(schema) for schema in found["AWS::EC2::LaunchTemplate", (*disks, "Ebs")]] == [["allOf"]]
    assert len(found["AWS::EC2::SecurityGroupIngress", ()]) == 2


def _limits(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key in ("minimum", "maximum", "enum")}

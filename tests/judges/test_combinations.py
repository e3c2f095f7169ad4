"""Combinations of inputs, from schemas to Pulumi's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpucluster.judges.combinations import Place, combinations, extensions

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
TYPE = {"enum": ["io1"]}


@pytest.mark.parametrize(
    ("at", "schema", "found"),
    [
        ((), {"requiredXor": ["A", "B"]}, {"": [{"oneOf": [["a"], ["b"]]}]}),
        ((), {"oneOf": [{"required": ["A", "B"]}, {"required": ["B"]}]}, {"": [{"oneOf": [["a", "b"], ["b"]]}]}),
        ((), {"requiredOr": ["A", "Elsewhere"]}, {"": [{"anyOf": [["a"]]}]}),
        ((), {"requiredXor": ["Two", "A"]}, {"": [{"oneOf": [["first"], ["second"], ["a"]]}]}),
        ((), {"requiredOr": ["A", "Kind"]}, {}),
        ((), {"anyOf": [{"format": "one"}, {"format": "another"}]}, {}),
        ((), {"required": ["A", "Must", "Kind", "Elsewhere"]}, {"": [{"if": {}, "then": {"a": {"required": True}}}]}),
        (
            (),
            {"dependentRequired": {"A": ["B", "Must"], "Elsewhere": ["B"]}},
            {"": [{"if": {"a": {}}, "then": {"b": {"required": True}}}]},
        ),
        (
            (),
            {"dependentExcluded": {"A": ["B"], "B": ["A"]}},
            {"": [{"if": {"a": {}}, "then": {"b": {"excluded": True}}}]},
        ),
        (
            (),
            {
                "if": {"properties": {"Kind": {"const": "LUSTRE"}}, "required": ["Kind"]},
                "then": {"properties": {"A": {"minimum": 3}}},
                "else": {"properties": {"A": {"minimum": 9}}},
            },
            {"": [{"if": {}, "then": {"a": {"minimum": 3}}}]},
        ),
        ((), {"if": {"properties": {"Kind": {"enum": ["ONTAP"]}}}, "then": {"required": ["A"]}}, {}),
        (
            (),
            {
                "if": {"properties": {"A": {"enum": [1]}}, "required": ["A"]},
                "then": {"properties": {"B": False}},
                "else": {"if": {"required": ["B"]}, "then": {"required": ["A"]}},
            },
            {
                "": [
                    {"if": {"a": {"enum": [1]}}, "then": {"b": {"excluded": True}}},
                    {"if": {"a": {"not": [1], "absent": True}, "b": {}}, "then": {"a": {"required": True}}},
                ]
            },
        ),
        (
            (),
            {"if": {"not": {"required": ["A"]}, "required": ["B"]}, "then": {"properties": {"B": {"maximum": 1}}}},
            {"": [{"if": {"b": {}, "a": {"none": True}}, "then": {"b": {"maximum": 1}}}]},
        ),
        (
            ("Data", "Disks"),
            {
                "required": ["Type"],
                "allOf": [
                    {
                        "if": {"properties": {"Type": TYPE}, "required": ["Type"]},
                        "then": {"properties": {"Size": {"minimum": 4}}, "required": ["Size"]},
                    }
                ],
            },
            {
                "disks[]": [
                    {"if": {"type": TYPE}, "then": {"size": {"required": True, "minimum": 4}}},
                    {"if": {}, "then": {"type": {"required": True}}},
                ]
            },
        ),
        (("Settings", "Inner"), {"required": ["Deep"], "requiredOr": ["Deep"]}, {}),
    ],
)
def test_a_schema_speaks_of_the_inputs_that_a_program_can_give(
    at: tuple[str, ...], schema: dict[str, Any], found: dict[str, Any]
) -> None:
    """An object that no input stands for, such as Settings, is there with its members alone."""

    def nodes(path: tuple[str, ...]) -> Sequence[Mapping[str, Any]]:
        return [schema] if path == at else []

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

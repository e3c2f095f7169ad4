"""Combinations of the inputs of one object."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.types.limits import broken
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret

ONE_OF = {"oneOf": [["a"], ["b", "c"]]}
ANY_OF = {"anyOf": [["a"], ["b"]]}
PORTS = {"if": {"protocol": {"enum": ["tcp", 6]}}, "then": {"from": {"required": True}, "to": {"most": 9}}}
OTHERS = {"if": {"protocol": {"not": ["tcp"]}}, "then": {"from": {"excluded": True}}}
OTHERS_OR_NONE = {"if": {"protocol": {"not": ["tcp"], "absent": True}}, "then": {"from": {"excluded": True}}}
WITH = {"if": {"a": {}}, "then": {"b.c": {"required": True}}}
WITHOUT = {"if": {"a": {}, "b": {"none": True}}, "then": {"a": {"most": 3}}}
ALWAYS = {"if": {}, "then": {"a": {"required": True}}}


@pytest.mark.parametrize(
    ("combination", "given", "found"),
    [
        (ONE_OF, {"a": 1}, []),
        (ONE_OF, {"b": 1, "c": 0}, []),
        (ONE_OF, {"a": 1, "b": 1}, []),
        (ONE_OF, {"b": 1}, [("", "needs one of a, b and c")]),
        (ONE_OF, {"a": "", "b": [], "c": None}, [("", "needs one of a, b and c")]),
        (ONE_OF, {"a": 1, "b": 1, "c": 1}, [("", "a and b and c exclude each other; keep one of them")]),
        (ONE_OF, {"a": UNKNOWN}, []),
        (ONE_OF, {"a": 1, "b": 1, "c": UNKNOWN}, []),
        (ANY_OF, {"a": 1, "b": 1}, []),
        (ANY_OF, {}, [("", "needs one of a, b")]),
        (ANY_OF, {"b": UNKNOWN}, []),
        (PORTS, {"protocol": "udp"}, []),
        (PORTS, {}, []),
        (PORTS, {"protocol": UNKNOWN}, []),
        (PORTS, {"protocol": "tcp", "from": UNKNOWN, "to": UNKNOWN}, []),
        (PORTS, {"protocol": "tcp", "from": 0, "to": 9}, []),
        (PORTS, {"protocol": Secret("tcp")}, [("from", "missing required property 'from', with protocol 'tcp'")]),
        (PORTS, {"protocol": "6"}, [("from", "missing required property 'from', with protocol '6'")]),
        (PORTS, {"protocol": "tcp", "from": 1, "to": 10}, [("to", "10 is not most 9, with protocol 'tcp'")]),
        (OTHERS, {"from": 1}, []),
        (OTHERS, {"protocol": "tcp", "from": 1}, []),
        (OTHERS, {"protocol": "-1"}, []),
        (OTHERS, {"protocol": "-1", "from": False}, []),
        (OTHERS, {"protocol": "-1", "from": UNKNOWN}, []),
        (OTHERS, {"protocol": "-1", "from": 0}, [("from", "'from' is not allowed, with protocol '-1'")]),
        (OTHERS_OR_NONE, {"from": 1}, [("from", "'from' is not allowed, without protocol")]),
        (WITH, {}, []),
        (WITH, {"a": {}, "b": UNKNOWN}, []),
        (WITH, {"a": {}, "b": {"c": 1}}, []),
        (WITH, {"a": {"d": 1}}, [("b.c", "missing required property 'b.c', with a")]),
        (WITHOUT, {"a": 4, "b": 1}, []),
        (WITHOUT, {"a": 4, "b": UNKNOWN}, []),
        (WITHOUT, {"a": 4}, [("a", "4 is not most 3, with a 4 and without b")]),
        (ALWAYS, {}, [("a", "missing required property 'a'")]),
    ],
)
def test_what_certainly_breaks_a_combination_is_found_with_its_cause(
    combination: dict[str, Any], given: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert list(broken(combination, given, _reason)) == found


def _reason(rule: str, limit: Any, value: Any) -> str:
    return f"{value} is not {rule} {limit}" if value > limit else ""

"""What the engine is told of a change."""

from __future__ import annotations

import pytest
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.cloud import Change, Kind
from gpucluster.sandbox.clouds.requests import decoded, diff_response

Diff = provider_pb2.PropertyDiff


@pytest.mark.parametrize(
    ("kind", "in_place", "replacing"),
    [
        (Kind.ADD, Diff.ADD, Diff.ADD_REPLACE),
        (Kind.DELETE, Diff.DELETE, Diff.DELETE_REPLACE),
        (Kind.UPDATE, Diff.UPDATE, Diff.UPDATE_REPLACE),
    ],
)
def test_each_kind_of_change_may_replace(kind: Kind, in_place: int, replacing: int) -> None:
    answer = diff_response([Change("a.b", kind), Change("c", kind)], ["c"], [Change("d", kind)], delete_first=True)
    told = {path: (it.kind, it.inputDiff) for path, it in answer.detailedDiff.items()}
    assert told == {"a.b": (in_place, True), "c": (replacing, True), "d": (in_place, False)}
    assert (list(answer.replaces), list(answer.diffs), answer.deleteBeforeReplace) == (["c"], ["a", "c", "d"], True)
    assert (answer.changes, answer.hasDetailedDiff) == (provider_pb2.DiffResponse.DIFF_SOME, True)
    assert diff_response([], [], []).changes == provider_pb2.DiffResponse.DIFF_NONE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ('{"a": 1}', {"a": 1}),
        ("[1]", [1]),
        ('"a"', "a"),
        ("12", "12"),
        ("{a", "{a"),
        ("us-east-1", "us-east-1"),
    ],
)
def test_a_setting_is_json_unless_it_is_a_plain_string(text: str, value: object) -> None:
    assert decoded(text) == value

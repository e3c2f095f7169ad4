"""Differences of inputs."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.clouds.cloud import Change, Kind, changes, property_names
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


def test_changes_are_the_deepest_changed_paths() -> None:
    old = {"name": "a", "tags": {"x": "1", "a.b": "1"}, "rules": [{"port": 1}, {"port": 2}], "gone": 1, "same": None}
    new = {"name": "a", "tags": {"x": "1", "a.b": "2"}, "rules": [{"port": 1}, {"port": 3}, {}], "new": UNKNOWN}
    assert changes(old, new) == [
        Change("gone", Kind.DELETE),
        Change("new", Kind.ADD),
        Change("rules[1].port", Kind.UPDATE),
        Change("rules[2]", Kind.ADD),
        Change('tags["a.b"]', Kind.UPDATE),
    ]


@pytest.mark.parametrize(
    ("old", "new"), [({"a": None}, {}), ({"__defaults": ["a"]}, {}), ({"a": Secret(1)}, {"a": 1}), ({}, {})]
)
def test_what_means_the_same_is_no_change(old: dict[str, object], new: dict[str, object]) -> None:
    assert changes(old, new) == []


def test_a_value_that_becomes_unknown_is_a_change() -> None:
    assert changes({"a": {"b": 1}}, {"a": UNKNOWN}) == [Change("a", Kind.UPDATE)]


@pytest.mark.parametrize(
    ("path", "names"),
    [("a", ("a",)), ("a[0].b", ("a", "b")), ('tags["x.y"].z', ("tags", "x.y", "z")), ("a.b[1][2]", ("a", "b"))],
)
def test_property_names_leave_indexes_out(path: str, names: tuple[str, ...]) -> None:
    assert property_names(path) == names

"""Absent, unknown and present are three different things."""

from __future__ import annotations

import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import at, flag, items, setting, text, whole

VALUE = {"a": {"b": [1, {"c": "x"}]}, "empty": "", "later": UNKNOWN, "number": "12", "yes": "true", "on": True}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("a", "b", 1, "c"), "x"),
        (("a", "missing", "c"), None),
        (("a", "b", 7), None),
        (("empty",), None),
        (("later", "b", "c"), UNKNOWN),
        (("number", "b"), None),
    ],
)
def test_a_path_leads_to_a_value_to_none_or_to_unknown(path, expected):
    assert at(VALUE, *path) == expected


def test_values_of_the_wrong_kind_are_absent():
    assert (text(VALUE, "on"), whole(VALUE, "on"), flag(VALUE, "number"), items(VALUE, "number")) == (None,) * 3 + ([],)


def test_numbers_and_truth_are_read_from_text():
    assert (whole(VALUE, "number"), flag(VALUE, "yes"), flag(VALUE, "on")) == (12, True, True)


def test_unknown_stays_unknown_for_every_reader():
    assert [read(VALUE, "later") for read in (text, whole, flag, items)] == [UNKNOWN] * 4


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"a": "b"}', {"a": "b"}),
        ({"a": "b"}, {"a": "b"}),
        ("us-east-1", "us-east-1"),
        (UNKNOWN, UNKNOWN),
        (None, None),
    ],
)
def test_settings_of_a_provider_are_read_from_json(given, expected):
    assert setting(Resource(urn="u", type="t", name="n", inputs={"s": given}), "s") == expected


def test_a_provider_that_is_not_there_has_no_settings():
    assert setting(None, "s") is None

"""Property values between the wire and Python."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, from_struct, from_wire, plain, to_struct, to_wire

VALUES = {
    "text": "a",
    "number": 3,
    "fraction": 1.5,
    "yes": True,
    "nothing": None,
    "list": [1, "b", UNKNOWN],
    "object": {"key": Secret({"inner": [1, UNKNOWN]})},
    "unknown": UNKNOWN,
    "empty list": [],
    "empty object": {},
}


def test_values_survive_the_wire() -> None:
    assert from_struct(to_struct(VALUES)) == VALUES
    assert from_wire(to_wire(VALUES)) == VALUES


def test_a_deployment_shows_a_secret_as_json_beside_its_tag() -> None:
    tag = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270"}
    shown = {"key": {**tag, "plaintext": '{"inner": [1, "b"]}'}, "plaintext": "a name like another"}
    assert from_wire(shown) == {"key": Secret({"inner": [1, "b"]}), "plaintext": "a name like another"}


def test_every_word_of_the_engine_for_an_unknown_is_understood() -> None:
    words = [
        "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    ]
    assert from_wire(words) == [UNKNOWN] * 3


def test_plain_values_have_no_secret_marks() -> None:
    assert plain(VALUES)["object"] == {"key": {"inner": [1, UNKNOWN]}}


def test_an_unknown_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="not known yet"):
        bool(UNKNOWN)

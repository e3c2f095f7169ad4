"""Answers of data sources that are made up."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.invented import Inventions, made_up
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType

_IMAGE = ResourceType(
    "cloud:x:getImage",
    {},
    {
        "id": Property("str", required=True),
        "ownerId": Property("str", required=True),
        "mostRecent": Property("bool", required=False),
        "zones": Property({"list": "str"}, required=True),
        "disks": Property({"list": {"ref": "Disk"}}, required=True),
        "state": Property({"ref": "State"}, required=True),
        "tags": Property({"map": "str"}, required=True),
        "size": Property("int", required=True),
        "note": Property("str", required=False),
    },
    {
        "State": {"word": Property("str", required=True), "ready": Property("bool", required=True)},
        "Disk": {"parts": Property({"list": {"ref": "Disk"}}, required=True)},
    },
)


def test_an_answer_has_the_form_that_the_sdk_declares() -> None:
    digits = made_up(_IMAGE, {"mostRecent": "true"})["id"].removeprefix("image-")
    assert made_up(_IMAGE, {"mostRecent": "true"}) == {
        "id": f"image-{digits}",
        "ownerId": f"owner-{digits}",
        "mostRecent": True,
        "zones": [f"zone-{digits[:12]}", f"zone-{digits[1:13]}"],
        "disks": [{"parts": []}],
        "state": {"word": f"word-{digits[:12]}", "ready": False},
        "tags": {},
        "size": 0,
        "note": None,
    }


def test_another_question_has_another_answer() -> None:
    assert made_up(_IMAGE, {"size": 1})["id"] != made_up(_IMAGE, {"size": 2})["id"]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("int", 0),
        ("float", 0),
        ("bool", False),
        ({"const": "on"}, "on"),
        ({"enum": ["small", "large"]}, "small"),
        ({"map": "str"}, {}),
        ({"list": "int"}, [0, 0]),
        ({"union": ["bool", "str"]}, False),
    ],
)
def test_a_value_of_each_type_is_made_up(type_: Any, value: object) -> None:
    function = ResourceType("t:index:getIt", {}, {"it": Property(type_, required=True)}, {})
    assert made_up(function, {})["it"] == value


def test_an_answer_makes_known_what_it_holds_and_what_was_asked_by_name() -> None:
    inventions = Inventions()
    found = inventions.answer(_IMAGE, {"imageName": "main", "tags": {"team": "ml"}})
    texts = {found["id"], found["ownerId"], *found["zones"], found["state"]["word"]}
    assert (inventions.texts, inventions.looked_up) == (texts, {*texts, "/main"})

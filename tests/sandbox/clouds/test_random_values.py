"""Values of the provider `random`."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gpucluster.sandbox.clouds.foreign import random_values


def values(kind: str, **inputs: Any) -> dict[str, Any]:
    return random_values(f"random:index/random{kind}:Random{kind}", inputs)


@pytest.mark.parametrize(
    ("kind", "inputs", "form"),
    [
        ("Integer", {"min": 7, "max": 7}, "7"),
        ("String", {"length": 12, "special": False, "upper": False}, "[a-z0-9]{12}"),
        ("String", {"length": 8, "lower": False, "upper": False, "numeric": False, "overrideSpecial": "+"}, r"\+{8}"),
        ("Pet", {"prefix": "my", "length": 2}, "my-[a-z]{5}-[a-z]{5}"),
        ("Uuid", {}, "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_result_has_the_form_that_was_asked_for(kind: str, inputs: dict[str, Any], form: str) -> None:
    assert re.fullmatch(form, str(values(kind, **inputs)["result"]))


def test_a_password_has_the_least_number_of_each_kind_of_character() -> None:
    found = values("Password", length=6, minLower=1, minUpper=2, minNumeric=2, minSpecial=1)["result"]
    kinds = [sum(map(test, found)) for test in (str.islower, str.isupper, str.isdigit)]
    assert (len(found), kinds) == (6, [1, 2, 2])


def test_an_id_is_the_same_in_each_of_its_forms() -> None:
    found = values("Id", byteLength=4, prefix="a-")
    assert found["dec"] == f"a-{int(found['hex'].removeprefix('a-'), 16)}"


def test_a_shuffle_has_so_many_of_what_it_was_given() -> None:
    found = values("Shuffle", inputs=["a", "b", "c"], resultCount=2)["results"]
    assert (len(found), {*found} <= {"a", "b", "c"}) == (2, True)

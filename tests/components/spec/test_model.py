"""Models: what becomes of values, what is refused and where, and what a model is once it is made."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from typing import Annotated, Any, Literal

import pytest

from gpucluster import Error
from gpucluster.components.spec.fields import AfterValidator, BeforeValidator, Field, ValidationError
from gpucluster.components.spec.model import Model


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("is odd")
    return value


class Cat(Model):
    kind: Literal["cat"] = "cat"
    lives: int = Field(default=9, ge=1, le=9)


class Dog(Model):
    kind: Literal["dog"]
    tricks: tuple[str, ...] = Field(default=(), min_length=1)


Pet = Annotated[Cat | Dog, Field(description="Who lives there")]


class House(Model):
    """Where they live."""

    number: Annotated[int, BeforeValidator(lambda text: str(text).removeprefix("no. ")), AfterValidator(_even)]
    pet: Pet = Cat()
    rooms: dict[str, int] = Field(default_factory=dict)
    owner: str | None = None

    @classmethod
    def before(cls, values: Mapping[Any, Any]) -> None:
        if "street" in values:
            raise ValueError("stands in no street")

    def check(self) -> None:
        if self.rooms and self.owner is None:
            raise ValueError("has rooms and no owner")


class Villa(House):
    owner: str = Field(min_length=2)  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]


def test_values_become_a_model_with_its_defaults() -> None:
    values = {"number": "no. 4", "pet": {"kind": "dog", "tricks": ["sit"]}, "rooms": {"hall": 1.0}, "owner": "ada"}
    house = House.model_validate(values)
    assert house == House(number=4, pet=Dog(kind="dog", tricks=("sit",)), rooms={"hall": 1}, owner="ada")
    assert repr(house) == ("House(number=4, pet=Dog(kind='dog', tricks=('sit',)), rooms={'hall': 1}, owner='ada')")
    plain = House(number=2)
    assert (plain.pet, plain.rooms, plain.owner) == (Cat(kind="cat", lives=9), {}, None)
    assert plain.rooms is not House(number=2).rooms
    assert House.model_validate(plain) is plain


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, [(("number",), "missing")]),
        ({"number": 3}, [(("number",), "rule")]),
        ({"number": "x", "garden": 1, 7: 1}, [(("number",), "type"), (("garden",), "unknown"), ((7,), "no text")]),
        ({"number": 2, "pet": "cat"}, [(("pet",), "type")]),
        ({"number": 2, "pet": {}}, [(("pet",), "no kind")]),
        ({"number": 2, "pet": {"kind": "cow"}}, [(("pet",), "wrong kind")]),
        ({"number": 2, "pet": {"kind": "cat", "lives": 10}}, [(("pet", "cat", "lives"), "range")]),
        ({"number": 2, "pet": {"kind": "dog", "tricks": []}}, [(("pet", "dog", "tricks"), "short")]),
        ({"number": 2, "pet": {"kind": "dog", "tricks": ["a", 1]}}, [(("pet", "dog", "tricks", 1), "text")]),
        ({"number": 2, "rooms": {7: "x"}}, [(("rooms", 7, "[key]"), "text"), (("rooms", 7), "type")]),
        ({"number": 2, "rooms": {"hall": 1}}, [((), "rule")]),
        ({"street": "a", "number": "x"}, [((), "rule")]),
        ([], [((), "type")]),
    ],
)
def test_every_mistake_is_told_with_its_place(values: object, told: list[Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        House.model_validate(values)
    assert [(mistake.loc, mistake.kind) for mistake in caught.value.mistakes] == told


def test_what_a_program_makes_wrong_is_an_error_of_the_package() -> None:
    with pytest.raises(Error) as caught:
        House(number=3, pet=Cat(lives=2), owner=7)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == "House: 2 problems\n  number: is odd\n  owner: is of type int; write a string"


def test_a_model_that_is_more_special_keeps_fields_and_checks() -> None:
    assert [*Villa.model_fields] == [*House.model_fields]
    assert Villa.model_fields["owner"].required
    with pytest.raises(ValidationError, match="owner: has 1; write at least 2"):
        Villa(number=2, owner="a")


def test_a_model_never_changes_and_gives_a_copy_with_other_values() -> None:
    house = House(number=2)
    with pytest.raises(FrozenInstanceError, match=r"House\.number can't be changed"):
        house.number = 4  # pyright: ignore[reportAttributeAccessIssue]
    assert house.model_copy(update={"number": 4}) == House(number=4)
    assert (hash(Cat()), Cat() == Cat(lives=8), Cat() == Dog.model_construct(kind="cat", lives=9)) == (
        hash(Cat()),
        False,
        False,
    )


def test_a_preview_reads_its_spec_without_pydantic() -> None:
    """It would take 0.2 s, most of it to build validators."""
    code = (
        "import sys, gpucluster.components.stack_plan, gpucluster.components.declare; print('pydantic' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"

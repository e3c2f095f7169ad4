"""Models: how values become a model, and which are refused, where."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, SecretStr, TypeAdapter, ValidationError

from gpucluster import Error
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.errors import InvalidSpec
from gpucluster.components.spec.model import Day, Model, Whole


class Cat(Model):
    kind: Literal["cat"]
    lives: Whole = Field(default=9, ge=1, le=9)


class Dog(Model):
    kind: Literal["dog"]
    tricks: tuple[str, ...] = Field(default=(), min_length=1)


Pet = Annotated[Cat | Dog, Field(description="Who lives there", discriminator="kind")]


def _owned(rooms: dict[str, int], owner: str | None) -> Iterator[Problem]:
    if rooms and owner is None:
        yield Problem("", "has rooms and no owner", "add owner")


def _quiet(pet: Cat | Dog, number: int) -> Iterator[Problem]:
    if isinstance(pet, Dog) and number == 2:
        yield Problem("pet", "is a dog", "choose a cat")


class House(Model):
    """A house."""

    checks = (_owned, _quiet)

    number: Whole
    pet: Pet = Cat(kind="cat")
    rooms: dict[str, Whole] = Field(default_factory=dict)
    owner: str | None = None
    code: SecretStr | None = None


def test_values_become_a_model_with_its_defaults() -> None:
    values = {"number": "4", "pet": {"kind": "dog", "tricks": ["sit"]}, "rooms": {"hall": 1.0}, "owner": "ada"}
    house = House.model_validate(values)
    assert house == House(number=4, pet=Dog(kind="dog", tricks=("sit",)), rooms={"hall": 1}, owner="ada")
    plain = House(number=2)
    assert (plain.pet, plain.rooms, plain.owner) == (Cat(kind="cat", lives=9), {}, None)
    assert House.model_validate(plain) is plain


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, ["number is missing; add it: a whole number"]),
        (
            {"number": "x", "garden": 1, 7: 1},
            [
                "7 is not a field; allowed: code, number, owner, pet, rooms",
                "garden is not a field; allowed: code, number, owner, pet, rooms",
                "number is 'x'; write a whole number",
            ],
        ),
        ({"number": 4, "pet": "cat"}, ["pet is 'cat'; write a mapping with kind: cat or dog"]),
        ({"number": 4, "pet": {}}, ["pet has no kind; add kind: cat or dog"]),
        ({"number": 4, "pet": {"kind": "cow"}}, ["pet.kind is 'cow'; allowed: cat, dog"]),
        ({"number": 4, "pet": {"kind": "cat", "lives": 10}}, ["pet.lives is 10; write a whole number from 1 to 9"]),
        ({"number": 4, "pet": {"kind": "dog", "tricks": []}}, ["pet.tricks is an empty list; write a list of strings"]),
        ({"number": 4, "pet": {"kind": "dog", "tricks": [1]}}, ["pet.tricks[0] is 1, not a string; write '1'"]),
        ({"number": 4, "rooms": {"hall": "x"}, "owner": "a"}, ["rooms.hall is 'x'; write a whole number"]),
        ({"number": 4, "code": 53}, ["code is a hidden value; write a string"]),
        ([], ["is a list; write a mapping with number, pet, rooms, owner, code"]),
    ],
)
def test_every_mistake_has_its_field_value_and_change(values: Any, problems: list[str]) -> None:
    with pytest.raises(InvalidSpec) as caught:
        House.model_validate(values)
    assert isinstance(caught.value, Error)
    assert sorted(caught.value.problems) == problems


def test_checks_run_on_the_valid_fields_whatever_else_is_wrong() -> None:
    with pytest.raises(InvalidSpec) as caught:
        House(number="x", rooms={"hall": 1}, pet={"kind": "dog"})  # pyright: ignore[reportArgumentType]
    assert caught.value.problems == ("number is 'x'; write a whole number", "has rooms and no owner; add owner")
    with pytest.raises(InvalidSpec) as caught:
        House(number=2, rooms={"hall": "x"}, pet={"kind": "dog"})  # pyright: ignore[reportArgumentType]
    assert caught.value.problems == ("rooms.hall is 'x'; write a whole number", "pet is a dog; choose a cat")


def test_a_field_with_a_misspelt_name_is_not_taken_for_one_that_is_left_out() -> None:
    with pytest.raises(InvalidSpec) as caught:
        House.model_validate({"number": 2, "rooms": {"hall": 1}, "ownr": "ada"})
    assert caught.value.problems == ("ownr is not a field; did you mean owner?",)


def test_a_model_never_changes_and_copies_itself_with_other_values() -> None:
    house = House(number=2)
    with pytest.raises(ValidationError, match="frozen"):
        house.number = 4  # pyright: ignore[reportAttributeAccessIssue]
    assert house.model_copy(update={"number": 4}) == House(number=4)
    assert hash(Cat(kind="cat")) == hash(Cat(kind="cat"))


def test_a_secret_is_in_no_text() -> None:
    house = House(number=2, code=SecretStr("s3cret"))
    assert "s3cret" not in f"{house} {house!r} {house.model_dump()}"


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        *((Whole, value, 4) for value in (4, 4.0, " 4 ", "4.0", Decimal(4))),
        (Decimal, 0.1, Decimal("0.1")),
        (Decimal, "1e3", Decimal(1000)),
        *((Day, day, datetime.date(2027, 1, 31)) for day in ("2027-01-31", datetime.datetime(2027, 1, 31))),
    ],
)
def test_numbers_and_days_are_read_as_written(kind: Any, value: Any, expected: Any) -> None:
    read = TypeAdapter(kind).validate_python(value)
    assert (read, type(read)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *(
            (Whole, value)
            for value in (True, 4.5, "4.5", "x", "1_000", "٤", float("nan"), float("inf"), 1e30, None, [])
        ),
        *((Whole, value) for value in (Decimal("NaN"), Decimal("0.5"))),
        *((Decimal, value) for value in (True, "NaN", float("inf"), "", None, [])),
        *((Day, value) for value in (0, "20270131", "2027-02-31", datetime.datetime(2027, 1, 31, 1))),
    ],
)
def test_values_of_another_type_are_refused(kind: Any, value: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)

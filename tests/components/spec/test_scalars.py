"""What a spec may hold for a text, a number or a day."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.components.spec.fields import FieldInfo, SecretStr
from gpucluster.components.spec.scalars import SCALARS, NotThis, choice, within

DAY = datetime.date(2027, 1, 31)


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (int, 4, 4),
        (int, 4.0, 4),
        (int, " 4 ", 4),
        (int, "4.0", 4),
        (int, Decimal(4), 4),
        (bool, True, True),
        (bool, "Yes", True),
        (bool, 0, False),
        (Decimal, 0.1, Decimal("0.1")),
        (Decimal, "1e3", Decimal(1000)),
        (datetime.date, "2027-01-31", DAY),
        (datetime.date, datetime.datetime(2027, 1, 31), DAY),
        (SecretStr, "s3cret", SecretStr("s3cret")),
    ],
)
def test_what_is_written_becomes_what_is_wanted(kind: type, value: Any, found: Any) -> None:
    read = SCALARS[kind](value)
    assert (read, type(read)) == (found, type(found))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        *((int, value) for value in (True, 4.5, "4.5", "x", "٤", float("nan"), float("inf"), 1e30, None, [])),
        *((int, value) for value in ("9" * 99, Decimal("NaN"), Decimal("1e99"), Decimal("0.5"))),
        *((bool, value) for value in (2, "2", None, [])),
        *((Decimal, value) for value in (True, "NaN", float("inf"), "", None, [])),
        *((str, value) for value in (1, None, b"a", [])),
        *((datetime.date, value) for value in (0, "20270131", "2027-02-31", datetime.datetime(2027, 1, 31, 1))),
        (SecretStr, 1),
    ],
)
def test_what_is_of_another_type_is_refused(kind: type, value: Any) -> None:
    with pytest.raises(NotThis):
        SCALARS[kind](value)


def test_a_secret_shows_in_no_text() -> None:
    with pytest.raises(NotThis) as caught:
        SCALARS[SecretStr](53)
    assert str(caught.value) == "is of type int; write a string"
    assert f"{SecretStr('s3cret')!r} {SecretStr('s3cret')}" == "SecretStr('**********') SecretStr('**********')"


def test_a_choice_is_one_of_the_allowed() -> None:
    assert choice(125.0, (125, 250)) == 125
    for value in (True, 1, "125", [125]):
        with pytest.raises(NotThis, match="allowed: 1, 250" if value is True else "allowed: 125, 250"):
            choice(value, (1, 250) if value is True else (125, 250))


@pytest.mark.parametrize(
    ("limits", "good", "bad", "told"),
    [
        ({"ge": 1, "le": 4}, (1, 4), (0, 5), "is .; write a number from 1 to 4"),
        ({"gt": 0}, (1,), (0, -1), "write a number above 0"),
        ({"ge": 0, "lt": 1}, (Decimal("0.9"),), (Decimal(1),), "write a number of at least 0 below 1"),
        ({"decimal_places": 2}, (Decimal("1.500"),), (Decimal("1.001"),), "with at most 2 decimals"),
        ({"min_length": 2, "max_length": 3}, ("ab", "abc"), ("a",), "has 1; write at least 2"),
        ({"max_length": 3}, ("abc",), ("abcd",), "has 4 characters; write at most 3"),
        ({"pattern": "^[a-z]+$"}, ("abc",), ("a1", "abc\n", ""), "write what matches"),
    ],
)
def test_limits_are_kept(limits: dict[str, Any], good: tuple[Any, ...], bad: tuple[Any, ...], told: str) -> None:
    info = FieldInfo(annotation=type(good[0]), **limits)
    for value in good:
        within(value, info)
    for value in bad:
        with pytest.raises(NotThis, match=told):
            within(value, info)

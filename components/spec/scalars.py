"""Texts, numbers and days of a spec: from what was written to what is wanted."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from gpucluster.components.spec.fields import FieldInfo, SecretStr

_INT = r"\s*[+-]?[0-9]+(\.0+)?\s*"
# Of 64 bits.
_LARGE = 2**63
_DAY = r"\d{4}-\d\d-\d\d"
_BOOLS: dict[bool | int | str, bool] = {
    **dict.fromkeys((True, "1", "on", "t", "true", "y", "yes"), True),
    **dict.fromkeys((False, "0", "off", "f", "false", "n", "no"), False),
}


class NotThis(Exception):
    """A value is not of its type, or out of its limits. kind, said: of the mistake."""

    def __init__(self, kind: str, said: str) -> None:
        self.kind, self.said = kind, said
        super().__init__(said)


def no(wanted: str, value: object, kind: str = "type") -> NotThis:
    """Of a value that may be a secret: its type alone is told."""
    return NotThis(kind, f"is of type {type(value).__name__}; write {wanted}")


def choice(value: Any, allowed: tuple[Any, ...]) -> Any:
    if isinstance(value, bool) or value not in allowed:
        raise NotThis("choice", f"is {value!r}; allowed: {', '.join(map(str, allowed))}")
    return allowed[allowed.index(value)]


def _bool(value: Any) -> bool:
    found = _BOOLS.get(value.lower() if isinstance(value, str) else value) if isinstance(value, str | int) else None
    if found is None:
        raise no("true or false", value)
    return found


def _int(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch(_INT, value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise no("a whole number", value)
    if isinstance(value, Decimal):
        _decimal(value)
    if not abs(value) < _LARGE or value % 1 != 0:
        raise NotThis("type", f"is {value}; write a whole number")
    return int(value)


def _decimal(value: Any) -> Decimal:
    try:
        found = Decimal(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else value
    except InvalidOperation:
        raise no("a number", value) from None
    if not isinstance(found, Decimal) or not found.is_finite():
        raise no("a number", value)
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise no("a string", value, "text")
    return value


def _day(value: Any) -> datetime.date:
    if isinstance(value, datetime.datetime):
        if value.time() != datetime.time():
            raise no("a day", value)
        return value.date()
    if isinstance(value, str) and re.fullmatch(_DAY, value):
        with suppress(ValueError):
            value = datetime.date.fromisoformat(value)
    if not isinstance(value, datetime.date):
        raise no("a day", value)
    return value


def _secret(value: Any) -> SecretStr:
    return value if isinstance(value, SecretStr) else SecretStr(_text(value))


SCALARS: Final[dict[Any, Callable[[Any], Any]]] = {
    bool: _bool,
    int: _int,
    Decimal: _decimal,
    str: _text,
    datetime.date: _day,
    SecretStr: _secret,
}


def within(value: Any, info: FieldInfo) -> None:
    """Whether a number or a text keeps the limits of its field."""
    if isinstance(value, str):
        long_enough(value, info)
        if info.max_length is not None and len(value) > info.max_length:
            raise NotThis("long", f"has {len(value)} characters; write at most {info.max_length}")
        if info.pattern is not None and re.fullmatch(info.pattern, value) is None:
            raise NotThis("pattern", f"is {value!r}; write what matches {info.pattern}")
    elif (
        (info.ge is not None and value < info.ge)
        or (info.gt is not None and value <= info.gt)
        or (info.le is not None and value > info.le)
        or (info.lt is not None and value >= info.lt)
        or (info.decimal_places is not None and value != round(value, info.decimal_places))
    ):
        raise NotThis("range", f"is {value}; write a number {info.limits}")


def long_enough(value: Any, info: FieldInfo) -> None:
    if info.min_length is not None and len(value) < info.min_length:
        raise NotThis("short", f"has {len(value)}; write at least {info.min_length}")

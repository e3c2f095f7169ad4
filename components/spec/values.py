"""Values that several parts of a spec have: durations, amounts, names."""

import datetime
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticKnownError

NAME: Final = r"^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$"
_DURATION = r"^([1-9]\d{0,3})\s*([hdw])$"
_SHORT_DURATION = r"^([1-9]\d{0,3})\s*([mh])$"
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
_MINUTES = {"m": 1, "h": 60}
# As long as GKE takes it, which is the shortest. Source: GKE documentation, "ComputeClass" definition.
_LONGEST_EMPTY = 24 * 60
ROLL = (
    "Allow this update to replace the pool's nodes, which ends the jobs on them; otherwise such a change is refused. "
    "Remove it afterwards"
)


def _whole(value: Any) -> Any:
    """Neither true, which Python takes for 1, nor "1_000"."""
    if isinstance(value, bool) or (isinstance(value, str) and "_" in value):
        raise PydanticKnownError("int_type")
    return value


def _day(value: Any) -> Any:
    """A number of seconds is no day."""
    if isinstance(value, datetime.date) or (isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value)):
        return value
    raise PydanticKnownError("date_type")


def _hours(value: object) -> object:
    """Hours in a duration such as `36h`, `14d` or `2w`."""
    return _units(value, _DURATION, _HOURS, "hours, days or weeks, such as 36h, 14d or 2w")


def _minutes(value: object) -> object:
    """Minutes in a duration such as `5m` or `2h`, up to a day."""
    allowed = "minutes or hours up to 24h, such as 5m or 2h"
    minutes = _units(value, _SHORT_DURATION, _MINUTES, allowed)
    if isinstance(minutes, int) and minutes > _LONGEST_EMPTY:
        raise ValueError(f"is more than a day; write {allowed}")
    return minutes


def _units(value: object, pattern: str, units: Mapping[str, int], allowed: str) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"has no unit; write {allowed}")
    if not isinstance(value, str):
        return value
    match = re.fullmatch(pattern, value.strip())
    if match is None:
        raise ValueError(f"is not a duration; write {allowed}")
    return int(match[1]) * units[match[2]]


Whole = Annotated[int, BeforeValidator(_whole)]
Day = Annotated[datetime.date, BeforeValidator(_day)]
Dollars = Annotated[Decimal, Field(gt=0, le=1_000_000_000, decimal_places=2)]
Hours = Annotated[Whole, BeforeValidator(_hours), WithJsonSchema({"type": "string", "pattern": _DURATION})]
Name = Annotated[
    str,
    Field(
        pattern=NAME,
        description="Prefix of every resource: 1 to 20 lower-case letters, digits and hyphens, starting with a letter",
    ),
]
Accelerator = Annotated[
    Literal["h100", "h200", "a100-80gb", "a100-40gb"],
    Field(description="GPU of the training nodes; the A100s are for comparison"),
]
Minutes = Annotated[Whole, BeforeValidator(_minutes), WithJsonSchema({"type": "string", "pattern": _SHORT_DURATION})]
LASTS: Final = "Planned lifetime of the cluster, in hours, days or weeks"
LENGTHS: Final = ["36h", "14d", "2w"]
Duration = Annotated[Hours | None, Field(description=LASTS, examples=LENGTHS)]

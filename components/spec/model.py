"""The base of every part of a spec, a pydantic model with rules between its fields, and the values that several parts
have.
"""

from __future__ import annotations

import datetime
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Literal, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import InitErrorDetails, PydanticKnownError

from gpucluster.components.planning.problem import BadSpecValue, Problem
from gpucluster.components.spec.errors import InvalidSpec

Check = Callable[..., Iterable[Problem]]


class Model(BaseModel):
    """A part of a spec: it never changes, and an unknown field is an error.

    Creating one raises InvalidSpec with every mistake.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    checks: ClassVar[tuple[Check, ...]] = ()
    """Rules between fields, which are their parameters. Each runs if its own fields are valid, whatever others are."""

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise InvalidSpec(type(self), error) from None

    # Without this, pydantic calls __init__ for every part that it reads.
    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise InvalidSpec(cls, error) from None

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, values: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            made = handler(values)
        except ValidationError as error:
            mistakes = [cast(InitErrorDetails, details) for details in error.errors(include_url=False)]
            problems = cls._problems(_valid_fields(cls, values, {details["loc"][:1] for details in error.errors()}))
        else:
            mistakes, problems = list[InitErrorDetails](), cls._problems(vars(made))
            if not problems:
                return made
        if problems:
            mistakes.append({"type": "value_error", "input": values, "ctx": {"error": BadSpecValue(problems)}})
        raise ValidationError.from_exception_data(cls.__name__, mistakes, hide_input=True)

    @classmethod
    def _problems(cls, valid: Mapping[str, Any]) -> list[Problem]:
        needs = {check: inspect.signature(check).parameters for check in cls.checks}
        return [
            problem
            for check, names in needs.items()
            if names.keys() <= valid.keys()
            for problem in check(**{name: valid[name] for name in names})
        ]


def _valid_fields(model: type[Model], values: Any, wrong: set[tuple[int | str, ...]]) -> dict[str, Any]:
    """The fields of a model that is not valid as a whole, except those in `wrong`. A field that is left out has its
    default, unless an unknown name may be its misspelling.
    """
    if not isinstance(values, Mapping) or () in wrong:
        return {}
    given = cast(Mapping[Any, Any], values)
    fields = {name: info for name, info in model.model_fields.items() if (name,) not in wrong}
    valid: dict[str, Any] = {
        name: TypeAdapter(cast(Any, Annotated)[info.annotation, info]).validate_python(given[name])
        for name, info in fields.items()
        if name in given
    }
    if given.keys() <= model.model_fields.keys():
        absent = {name: info for name, info in fields.items() if name not in given and not info.is_required()}
        valid |= {name: info.get_default(call_default_factory=True) for name, info in absent.items()}
    return valid


class _Schema(GenerateJsonSchema):
    """JSON Schema of what users write: without titles, which repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().model_schema(schema)
        found.pop("title", None)
        return found


def model_schema(model: type[Model]) -> dict[str, Any]:
    """JSON Schema of a model; those of its parts are its $defs."""
    return model.model_json_schema(schema_generator=_Schema)


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
    Literal["h100", "h200", "b200", "b300", "a100-80gb", "a100-40gb"],
    Field(description="GPU of the training nodes; the A100s are for comparison"),
]
Minutes = Annotated[Whole, BeforeValidator(_minutes), WithJsonSchema({"type": "string", "pattern": _SHORT_DURATION})]
LASTS: Final = "Planned lifetime of the cluster, in hours, days or weeks"
LENGTHS: Final = ["36h", "14d", "2w"]
Duration = Annotated[Hours | None, Field(description=LASTS, examples=LENGTHS)]

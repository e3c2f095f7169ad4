"""The base of every part of a spec: a pydantic model with rules between its fields, whose errors name all mistakes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import InitErrorDetails

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

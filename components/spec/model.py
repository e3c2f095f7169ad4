"""What every part of a spec is, and how it is read from plain values, with every mistake in them at once.

The part of pydantic that a spec needs, under its names. pydantic itself took 0.1 s of a preview, to be imported and to
build a validator for each class, for values that are read in a hundredth of that.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping
from dataclasses import FrozenInstanceError
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    Self,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
)

from gpucluster.components.spec.fields import (
    AfterValidator,
    BeforeValidator,
    Field,
    FieldInfo,
    Mistake,
    ValidationError,
    field_info,
)
from gpucluster.components.spec.scalars import SCALARS, NotThis, choice, long_enough, no, within


class _Fields:
    """The fields of a model by name, read on first use: of most models, a preview has no values."""

    def __get__(self, _: object, model: type[Model]) -> Mapping[str, FieldInfo]:
        return _fields(model)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(Field,))
class Model:
    """A part of the spec: unknown keys are errors, values never change."""

    model_fields: ClassVar[Mapping[str, FieldInfo]] = cast(Any, _Fields())

    def __init__(self, **given: Any) -> None:
        vars(self).update(vars(self.model_validate(given)))

    @classmethod
    def model_validate(cls, values: object) -> Self:
        """The model of plain values. Raises ValidationError with all that is wrong."""
        mistakes: list[Mistake] = []
        made = read(values, cls, (), mistakes)
        if mistakes:
            raise ValidationError(cls.__name__, mistakes)
        return cast(Self, made)

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """Of values that are right already, and defaults."""
        made = cls.__new__(cls)
        for name, info in cls.model_fields.items():
            vars(made)[name] = values[name] if name in values else info.absent()
        return made

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """With other values, which are right already."""
        return self.model_construct(**{**vars(self), **update})

    @classmethod
    def before(cls, values: Mapping[Any, Any]) -> None:
        """Refuses (ValueError) values as they were written."""

    def check(self) -> None:
        """Refuses (ValueError) fields that are right each by itself, and not together."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"{type(self).__name__}.{name} can't be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


@functools.cache
def _fields(model: type[Model]) -> Mapping[str, FieldInfo]:
    found: dict[str, FieldInfo] = {}
    for owner in reversed(model.__mro__):
        for name, annotation in inspect.get_annotations(owner, eval_str=True).items():
            if issubclass(owner, Model) and owner is not Model and get_origin(annotation) is not ClassVar:
                found[name] = field_info(annotation, vars(owner).get(name, ...))
    return MappingProxyType(found)


KEY: Final = "[key]"
"""The last step to the name of an entry, where that is wrong and not its value."""

_Loc = tuple[str | int, ...]
_Mistakes = list[Mistake]

_PLAIN: Final = FieldInfo(annotation=None)


def read(value: Any, wanted: Any, loc: _Loc, mistakes: _Mistakes, info: FieldInfo = _PLAIN) -> Any:
    """The value as it is wanted. Of one that can't be used, nothing, with its mistakes added to `mistakes`."""
    rules: tuple[Any, ...] = info.rules if wanted is info.annotation else ()
    if get_origin(wanted) is Annotated:
        wanted, *inner = get_args(wanted)
        rules = (*inner, *rules)
    known = len(mistakes)
    try:
        for rule in rules:
            value = rule.check(value) if isinstance(rule, BeforeValidator) else value
        found = _typed(value, wanted, loc, mistakes, info)
        for rule in rules if len(mistakes) == known else ():
            found = rule.check(found) if isinstance(rule, AfterValidator) else found
    except NotThis as wrong:
        mistakes.append(Mistake(loc, wrong.kind, wrong.said))
    except ValueError as error:
        mistakes.append(Mistake(loc, "rule", error=error))
    else:
        return found
    return None


def _typed(value: Any, wanted: Any, loc: _Loc, mistakes: _Mistakes, info: FieldInfo) -> Any:
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        parts = [part for part in get_args(wanted) if part is not type(None)]
        if len(parts) > 1:
            return _one_of(value, parts, loc, mistakes)
        return None if value is None else read(value, parts[0], loc, mistakes, info)
    if origin is Literal:
        return choice(value, get_args(wanted))
    if origin is tuple:
        return _items(value, get_args(wanted)[0], loc, mistakes, info)
    if origin is dict:
        keys, values = get_args(wanted)
        return _entries(value, keys, values, loc, mistakes, info)
    if issubclass(wanted, Model):
        return _model(value, wanted, loc, mistakes)
    found = SCALARS[wanted](value)
    within(found, info)
    return found


def _one_of(value: Any, models: list[type[Model]], loc: _Loc, mistakes: _Mistakes) -> Any:
    if isinstance(value, tuple(models)):
        return value
    if not isinstance(value, Mapping):
        raise no("a mapping", value)
    given = cast(Mapping[Any, Any], value)
    if "kind" not in given:
        raise NotThis("no kind", "has no kind")
    for model in models:
        for kind in get_args(model.model_fields["kind"].annotation):
            if kind == given["kind"]:
                return _model(given, model, (*loc, kind), mistakes)
    raise NotThis("wrong kind", f"there is no kind {given['kind']!r}")


def _model(value: Any, model: type[Model], loc: _Loc, mistakes: _Mistakes) -> Any:
    if isinstance(value, model):
        return value
    if not isinstance(value, Mapping):
        raise no("a mapping", value)
    given, known = cast(Mapping[Any, Any], value), len(mistakes)
    try:
        model.before(given)
    except ValueError as error:
        mistakes.append(Mistake(loc, "rule", error=error))
        return None
    values: dict[str, Any] = {}
    for name, info in model.model_fields.items():
        if name in given:
            values[name] = read(given[name], info.annotation, (*loc, name), mistakes, info)
        elif info.required:
            mistakes.append(Mistake((*loc, name), "missing", "is missing"))
    for key in given:
        if key not in model.model_fields:
            mistakes.append(
                Mistake((*loc, _step(key)), "unknown" if isinstance(key, str) else "no text", "is not a field")
            )
    if len(mistakes) > known:
        return None
    made = model.model_construct(**values)
    try:
        made.check()
    except ValueError as error:
        mistakes.append(Mistake(loc, "rule", error=error))
    return made


def _items(value: Any, wanted: Any, loc: _Loc, mistakes: _Mistakes, info: FieldInfo) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple | set | frozenset):
        raise no("a list", value)
    given = cast(list[Any], value)
    long_enough(given, info)
    return tuple(read(item, wanted, (*loc, at), mistakes) for at, item in enumerate(given))


def _entries(value: Any, keys: Any, wanted: Any, loc: _Loc, mistakes: _Mistakes, info: FieldInfo) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise no("a mapping", value)
    given = cast(Mapping[Any, Any], value)
    long_enough(given, info)
    return {
        read(key, keys, (*loc, _step(key), KEY), mistakes): read(item, wanted, (*loc, _step(key)), mistakes)
        for key, item in given.items()
    }


def _step(key: Any) -> str | int:
    return int(key) if isinstance(key, int) else str(key)

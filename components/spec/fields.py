"""What a spec says of its fields: types, limits, descriptions, rules; and mistakes in their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, get_args, get_origin

from gpucluster.errors import InputError
from gpucluster.record import record


@record(kw_only=True)
class FieldInfo:
    """annotation: type of the values. rules: what else Annotated says of it. default: ... for none. pattern: of the
    whole text. json_schema_extra: what its JSON Schema has besides.
    """

    annotation: Any
    rules: tuple[Any, ...] = ()
    default: Any = ...
    default_factory: Callable[[], Any] | None = None
    description: str | None = None
    examples: list[Any] | None = None
    ge: int | None = None
    gt: int | None = None
    le: int | None = None
    lt: int | None = None
    decimal_places: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    json_schema_extra: Mapping[str, Any] | None = None

    @property
    def required(self) -> bool:
        return self.default is ... and self.default_factory is None

    def absent(self) -> Any:
        """The value where none is given."""
        return self.default if self.default_factory is None else self.default_factory()

    @property
    def limits(self) -> str:
        """Of a number, in words."""
        words: list[str] = []
        if self.ge is not None:
            words.append(f"from {self.ge:,}" if self.le is not None else f"of at least {self.ge:,}")
        if self.gt is not None:
            words.append(f"above {self.gt:,}")
        if self.le is not None:
            words.append(f"to {self.le:,}" if self.ge is not None else f"and at most {self.le:,}")
        if self.lt is not None:
            words.append(f"below {self.lt:,}")
        if self.decimal_places is not None:
            words.append(f"with at most {self.decimal_places} decimals")
        return " ".join(words)


class _Said(dict[str, Any]):
    """What is said of a field: arguments of its FieldInfo."""


def Field(**said: Any) -> Any:
    """What is said of a field, as its value or within Annotated."""
    return _Said(said)


@record
class BeforeValidator:
    """Changes or refuses (ValueError) a value as it was written."""

    check: Callable[[Any], Any]


@record
class AfterValidator:
    """Changes or refuses (ValueError) a value that is of its type."""

    check: Callable[[Any], Any]


class WithJsonSchema:
    """The JSON Schema of a type, where what is written looks otherwise than what comes of it."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema


class SecretStr:
    """A text that is never shown."""

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "SecretStr('**********')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretStr) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)


@record
class Mistake:
    """loc: keys on the way to it; the kind that chose one of several models is a step of its own, and "[key]" the last
    one where the name of an entry is wrong. error: what a rule of the spec's own said. said: in words, where none did.
    """

    loc: tuple[str | int, ...]
    kind: str
    said: str = ""
    error: ValueError | None = None

    def __str__(self) -> str:
        told = [".".join(map(str, self.loc)), str(self.error or self.said)]
        return ": ".join(filter(None, told))


class ValidationError(InputError, ValueError):
    """Everything that is wrong with the values of a model. model: its name."""

    def __init__(self, model: str, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(model, list(map(str, mistakes)))


def is_secret(annotation: Any) -> bool:
    """Whether values of this type are never shown."""
    return annotation is SecretStr or any(map(is_secret, get_args(annotation)))


def field_info(annotation: Any, value: Any) -> FieldInfo:
    """value: what the class has under the name: a default, or what is said of the field."""
    rules: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *rest = get_args(annotation)
        rules = tuple(rest)
    said = [one for one in (*rules, value) if isinstance(one, _Said)]
    told = {key: text for one in said for key, text in one.items()}
    if not isinstance(value, _Said):
        told["default"] = value
    return FieldInfo(annotation=annotation, rules=rules, **told)

"""A mistake in a user's input, as a value, and the keys of a configuration."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class Problem:
    """field: its full name as the user writes it, such as access.admins[0]; empty if no field is at fault.
    seen: the value found, as a text that follows the name. fix: allowed values, and the change to make.
    """

    field: str
    seen: str
    fix: str = ""

    def __str__(self) -> str:
        text = f"{self.field} {self.seen}".strip()
        return f"{text}; {self.fix}" if self.fix else text


class BadSpecValue(ValueError):
    """Problems that the spec's own rules find in one value.

    problems: their fields are keys of that value, empty if they concern all of it.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


def did_you_mean(text: str, allowed: Iterable[str], *, alike: float = 0.6) -> str:
    """A closing question with the nearest allowed word; empty if none is near.

    alike: least likeness, from 0 to 1. Among equals, swapped letters come before others.
    """
    close = difflib.get_close_matches(text, list(allowed), n=5, cutoff=alike)
    if not close:
        return ""

    def nearness(word: str) -> tuple[float, bool]:
        return difflib.SequenceMatcher(None, word, text).ratio(), sorted(word) == sorted(text)

    return f"; did you mean {max(close, key=nearness)}?"


Switch = Annotated[
    bool, Field(strict=True), BeforeValidator(lambda value: {"true": True, "false": False}.get(value, value))
]


class Keys(BaseModel):
    """Keys of a configuration. The description of a field is the change to make if its value is refused; without one,
    the allowed values are listed.
    """

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True)

    @classmethod
    def read(cls, values: Mapping[str, Any], context: object = None) -> Self | list[Problem]:
        """These keys among the values of a configuration, or every problem with them.

        Missing keys are no problems: they are reported elsewhere, with an example.
        """
        try:
            return cls.model_validate(values, context=context)
        except ValidationError as error:
            return [problem for details in error.errors() for problem in cls._problems(details)]

    @classmethod
    def _problems(cls, details: ErrorDetails) -> Iterator[Problem]:
        key, seen = str(details["loc"][0]), f"is {details['input']!r}"
        if details["type"] == "value_error":
            wrong = details.get("ctx", {})["error"]
            yield from wrong.problems if isinstance(wrong, BadSpecValue) else [Problem(key, seen, str(wrong))]
        elif details["type"] != "missing":
            field = next(info for info in cls.model_fields.values() if info.validation_alias == key)
            yield Problem(key, seen, field.description or choices(str(details["input"]), _allowed(field.annotation)))


def _allowed(annotation: Any) -> list[str]:
    if annotation is bool:
        return ["true", "false"]
    if get_origin(annotation) is Literal:
        return list(map(str, get_args(annotation)))
    return [choice for part in get_args(annotation) for choice in _allowed(part)]


def choices(value: str, allowed: Iterable[str]) -> str:
    """The change to make to a value that is none of the allowed ones."""
    known = list(allowed)
    return f"allowed: {', '.join(known)}{did_you_mean(value, known)}"

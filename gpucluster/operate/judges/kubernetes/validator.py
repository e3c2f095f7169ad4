"""JSON Schema for objects with unknown values, which break no schema. Loads jsonschema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError
from jsonschema import validators as jsonschema_validators

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import is_list
from gpucluster.operate.judges.verdicts import Remark

Check = Callable[[Any, Any, Any, Any], Any]


def _where_known(check: Check) -> Check:
    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        if instance is not UNKNOWN:
            yield from check(validator, value, instance, schema) or ()

    return checked


def _unique(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not (is_list(instance) and any(item is UNKNOWN for item in instance)):
        yield from _CHECKS["uniqueItems"](validator, value, instance, schema) or ()


def _pattern(validator: Any, value: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    del validator, schema
    pattern = _read(value)
    if pattern is not None and isinstance(instance, str) and not pattern.search(instance):
        yield ValidationError(f"{instance!r} does not match {value!r}")


@cache
def _read(pattern: str) -> re.Pattern[str] | None:
    """A pattern of Go, which allows flags after the start; None for one that Python cannot parse."""
    try:
        return re.compile(re.sub(r"^\^(\(\?[ims]+\))", r"\1^", pattern))
    except re.error:
        return None


_CHECKS = cast("Mapping[str, Check]", Draft202012Validator.VALIDATORS)
_extend = cast("Callable[..., Any]", jsonschema_validators.extend)  # pyright: ignore[reportUnknownMemberType]
_Lenient = _extend(
    Draft202012Validator,
    {name: _where_known(check) for name, check in {**_CHECKS, "uniqueItems": _unique, "pattern": _pattern}.items()},
)


def validator(schema: Mapping[str, Any], **settings: Any) -> Any:
    """A validator of jsonschema for a schema."""
    return _Lenient(schema, **settings)


def remarks(validator: Any, document: Mapping[str, Any]) -> Iterator[Remark]:
    """A validator's remarks on a document."""
    for error in validator.iter_errors(document):
        deepest = _deepest(error)
        yield Remark(_shown(deepest), _short(deepest.message))


def _deepest(error: ValidationError) -> ValidationError:
    """Of failed alternatives, the one that matches furthest is the most informative."""
    while error.context:
        error = max(error.context, key=lambda one: len(one.absolute_path))
    return error


def _shown(error: ValidationError) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path)
    return text.removeprefix(".")


def _short(message: str) -> str:
    """Shortens a message: jsonschema's starts with the whole refused value, which may be an object of pages."""
    return re.sub(r"^[{\[].{200,}[}\]] (?=(is|has|does|was) )", "this ", message, flags=re.DOTALL)

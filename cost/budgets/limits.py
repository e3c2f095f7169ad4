"""The file of limits: monthly maximum of a stack, a label's value or a pool, for expected cost and ceiling."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpucluster.errors import InputError
from gpucluster.program.values import MOST, BadValue, amount, is_object
from gpucluster.textio.values import shown_value

_SCOPES: Final = ("stack", "labels", "pools")
_KEYS: Final = ("monthly", "ceiling")
_FORM: Final = "write for example stack: {monthly: 420000, ceiling: 450000}"


class BadLimits(InputError):
    """A file of limits cannot be used; one line for each problem."""


@dataclass(frozen=True, slots=True)
class Limit:
    """USD per month. monthly: for the expected cost. ceiling: for the maximum with autoscaling. None: no limit."""

    monthly: Decimal | None = None
    ceiling: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """stack: limit of the whole stack. labels: label -> its value -> limit. pools: name of a resource, or of the
    component around resources -> limit.
    """

    stack: Limit | None = None
    labels: Mapping[str, Mapping[str, Limit]] = field(default_factory=dict[str, Mapping[str, Limit]])
    pools: Mapping[str, Limit] = field(default_factory=dict[str, Limit])


def read_limits(path: Path) -> Limits:
    """The limits of a YAML file. BadLimits lists all of its problems."""
    from gpucluster.textio.yaml_text import (  # only with a file: the import is slow
        BadYaml,
        read,
    )

    try:
        text = read(path)
    except OSError as error:
        raise BadLimits(f"{path} cannot be read: {error.strerror}") from None
    except BadYaml as error:
        raise BadLimits(f"{path} {error}; {_FORM}") from None
    found = text.data
    if not is_object(found) or not found:
        raise BadLimits(f"{path} has no limits; {_FORM}")
    problems = [*map(str, text.faults), *_problems(found)]
    if problems:
        raise BadLimits("\n".join(f"{path}: {problem}" for problem in problems))
    return Limits(
        _limit(found["stack"]) if "stack" in found else None,
        {
            str(label): {str(value): _limit(limit) for value, limit in values.items()}
            for label, values in found.get("labels", {}).items()
        },
        {str(name): _limit(limit) for name, limit in found.get("pools", {}).items()},
    )


def _problems(found: Mapping[str, Any]) -> Iterator[str]:
    for scope, value in found.items():
        if scope == "stack":
            yield from _limit_problems("stack", value)
        elif scope == "labels":
            for label, values in _named("labels", value):
                for name, limit in _named(f"labels.{label}", values):
                    yield from _limit_problems(f"labels.{label}.{name}", limit)
        elif scope == "pools":
            for name, limit in _named("pools", value):
                yield from _limit_problems(f"pools.{name}", limit)
        else:
            near = difflib.get_close_matches(str(scope), _SCOPES, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"{scope!r} is not known; allowed: {', '.join(_SCOPES)}{hint}"
    for scope, depth in (("labels", 2), ("pools", 1)):
        yield from _shape_problems(scope, found.get(scope, {}), depth)


def _shape_problems(where: str, value: Any, depth: int) -> Iterator[str]:
    if not is_object(value):
        within = "labels and their values" if where == "labels" else "names"
        limits = f"{within} with their limits, such as team: {{research: {{monthly: 90000}}}}"
        yield f"{where} is {shown_value(value)}; write {limits}"
    elif depth > 1:
        for name, inner in value.items():
            yield from _shape_problems(f"{where}.{name}", inner, depth - 1)


def _named(where: str, value: Any) -> list[tuple[str, Any]]:
    del where
    return [(str(name), inner) for name, inner in value.items()] if is_object(value) else []


def _limit_problems(where: str, value: Any) -> Iterator[str]:
    if not is_object(value) or not value:
        limit = "monthly, ceiling or both, in USD: {monthly: 420000, ceiling: 450000}"
        yield f"{where} is {shown_value(value)}; write {limit}"
        return
    for key, given in value.items():
        if key not in _KEYS:
            yield f"{where}.{key} is not known; allowed: {', '.join(_KEYS)}"
        elif _amount(given) is None:
            yield f"{where}.{key} is {shown_value(given)}; write USD a month, a number from 0 to {MOST:,}"


def _limit(value: Mapping[str, Any]) -> Limit:
    return Limit(*(_amount(value[key]) if key in value else None for key in _KEYS))


def _amount(value: object) -> Decimal | None:
    try:
        return amount(value, "")
    except BadValue:
        return None

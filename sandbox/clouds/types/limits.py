"""Combinations of the inputs of one object: alternatives, exclusions, and limits that depend on another input.

A combination is one of

- `{"oneOf": [["a"], ["b", "c"]]}`: exactly one of the groups of inputs is given;
- `{"anyOf": [..]}`: at least one;
- `{"if": {"a": {"enum": [..]}}, "then": {"b": {"required": true}}}`: under every condition of `if`, the demands of
  `then`. A condition is a listed value, `{"not": [..]}` another one, `{}` any, or `{"none": true}` none; with
  `"absent": true` no value is as good. A demand is `required`, `excluded`, or limits of the value.

Inputs are paths below the object, `a.b`.

A cloud's folder has one or two tables. `limits.json` is compiled from the vendor's own documents by `python -m
tools.limits`. `limits.csv` is written by hand, for limits that are missing or wrong in the documents: its
rows override the other's for the same path and rule. Columns: type; path without the numbers of list items,
`rules[].priority`, empty for the resource; rule; value, that of `enum` with `|` between values, that of `combinations`
as JSON, and empty if nothing is refused; source, with the reason if a document, or the list of an SDK, is wrong. A row
of the type `lists` has values that an enumeration of the documents lacks; its path is the name of the enumeration.
"""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from itertools import product
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.sandbox.clouds.types.validate import FORMATS, Failure, general
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret

_LISTS: Final = "lists"

Reason = Callable[[str, Any, Any], str]
"""(rule, its value, given value) -> why it is refused, empty if it is accepted."""


def broken(combination: Mapping[str, Any], given: Mapping[str, Any], reason: Reason) -> Iterator[tuple[str, str]]:
    """(input, or empty for the object; reason) for each combination that these inputs break, whatever the unknown ones
    turn out to be.
    """
    if "if" in combination:
        tests = mapping(combination["if"])
        if all(_holds(_at(given, path), mapping(test)) for path, test in tests.items()):
            because = _because(tests, given)
            for path, demands in mapping(combination["then"]).items():
                yield from ((path, problem + because) for problem in _unmet(path, _at(given, path), demands, reason))
        return
    ((rule, groups),) = combination.items()
    complete = [group for group in groups if all(_is_given(_at(given, path)) for path in group)]
    possible = [group for group in groups if all(_at(given, path) is not None for path in group)]
    names = [" and ".join(group) for group in groups]
    if not possible:
        yield "", f"needs {_one_of(names)}"
    elif rule == "oneOf" and len(complete) > 1:
        yield "", f"{' and '.join(' and '.join(group) for group in complete)} exclude each other; keep one of them"


def _unmet(path: str, value: Any, demands: Mapping[str, Any], reason: Reason) -> Iterator[str]:
    for rule, limit in demands.items():
        if rule == "required":
            if value is None:
                yield f"missing required property {path!r}"
        elif rule == "excluded":
            if _is_given(value) and value is not False:
                yield f"{path!r} is not allowed"
        elif _is_given(value) and (problem := reason(rule, limit, value)):
            yield problem


def _holds(value: Any, test: Mapping[str, Any]) -> bool:
    """Whether a condition certainly holds."""
    if value is UNKNOWN:
        return False
    if value is None:
        return test.get("none", False) or test.get("absent", False)
    listed = test.get("enum", test.get("not"))
    if listed is None:
        return not test.get("none", False)
    return (text(value) in {text(one) for one in listed}) is ("enum" in test)


def _because(tests: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    conditions = [f"without {path}" if _at(given, path) is None else _shown(path, _at(given, path)) for path in tests]
    return f", {' and '.join(conditions)}" if conditions else ""


def _shown(path: str, value: Any) -> str:
    return f"with {path} {value!r}" if isinstance(value, str | int | float) else f"with {path}"


def _is_given(value: Any) -> bool:
    return value is not None and value is not UNKNOWN


def _at(given: Any, path: str) -> Any:
    """The value at a path, None if it is not given: the bridge sends neither empty text nor empty lists."""
    for name in path.split("."):
        if isinstance(given, Secret):
            given = given.value
        given = given if given is UNKNOWN else mapping(given).get(name)
    if isinstance(given, Secret):
        given = given.value
    return None if given in ("", []) else given


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


def text(value: Any) -> str:
    """A value as text, equal for 3, 3.0 and "3", and for true and "true"."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


_COUNTS: Final = ("minItems", "maxItems")
_NUMERIC: Final = ("minimum", "maximum", "minLength", "maxLength", *_COUNTS)
_SHORT: Final = 20
"""Maximum length of an enumeration that an error lists in full; of a longer one it lists the similar values."""


@dataclass(frozen=True)
class Limit:
    """One rule about one value.

    rule: enum, enumAnyCase, minimum, maximum, minLength, maxLength (characters), minItems, maxItems, pattern or format,
    the last by a name in `formats.FORMATS`; the others are those of JSON Schema. Of an object, combinations; of a map,
    keys and values, with the limits of each.
    source: the document, with its version; empty in a combination, which has its own.
    """

    rule: str
    value: Any
    source: str

    def reason(self, given: Any) -> str:
        """Why a value is refused, empty if it is accepted. given: a string, number or boolean; a list for minItems and
        maxItems.
        """
        match self.rule:
            case "enum":
                problem = "" if text(given) in self._texts else _not_listed(text(given), self.value)
            case "enumAnyCase":
                problem = "" if text(given).lower() in self._texts else _not_listed(text(given), self.value)
            case "minimum" | "maximum":
                problem = _out_of_range(self.rule, self.value, given)
            case "minLength" | "maxLength":
                problem = _wrong_length(self.rule, self.value, given, "characters")
            case "minItems" | "maxItems":
                problem = _wrong_length(self.rule, self.value, given, "items")
            case "pattern":
                fits = not isinstance(given, str) or _compiled(self.value).search(given)
                problem = "" if fits else f"{_short(given)} does not match {self.value}"
            case _:
                words, fits_format = FORMATS[self.value]
                problem = "" if not isinstance(given, str) or fits_format(given) else f"{_short(given)} is not {words}"
        return f"{problem} ({self.source})" if problem and self.source else problem

    def broken(self, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(input, or empty for the whole; reason) for everything that is wrong with an object or a map."""
        if self.rule == "combinations":
            for combination in self.value:
                yield from ((at, f"{problem} ({self.source})") for at, problem in broken(combination, given, _reason))
        elif self.rule in _COUNTS and (problem := self.reason(given)):
            yield "", problem
        elif self.rule in ("keys", "values"):
            for text_, (rule, limit) in product(given if self.rule == "keys" else given.values(), self.value.items()):
                if problem := _reason(rule, limit, text_):
                    yield "", f"{self.rule}: {problem} ({self.source})"

    @cached_property
    def _texts(self) -> frozenset[str]:
        lower = self.rule == "enumAnyCase"
        return frozenset(text(value).lower() if lower else text(value) for value in self.value)


class Limits:
    """The tables of one cloud, read on first use."""

    def __init__(self, package: str) -> None:
        """package: the cloud's folder, such as `gpucluster.sandbox.clouds.aws`."""
        self._package = package

    def failures(self, token: str, inputs: Mapping[str, Any]) -> list[Failure]:
        """Every refused value of these inputs, in order; unknown values are accepted."""
        limits = self.of(token)
        return list(_refused(inputs, "", limits)) if limits else []

    def unlisted(self, token: str) -> frozenset[str]:
        """The paths of a type that accept values beyond the SDK's list: rows by hand with an empty value."""
        rows = self._by_hand.get(token, ())
        return frozenset(row["path"] for row in rows if row["rule"] == "enum" and not row["value"])

    @property
    def tokens(self) -> Iterator[str]:
        """The types that have compiled limits."""
        yield from self._compiled["types"]

    def of(self, token: str) -> Mapping[str, Sequence[Limit]]:
        """The limits of a type by path."""
        if token not in self._types:
            self._types[token] = self._merged(token)
        return self._types[token]

    @cached_property
    def _types(self) -> dict[str, Mapping[str, Sequence[Limit]]]:
        return {}

    def _merged(self, token: str) -> Mapping[str, Sequence[Limit]]:
        found: dict[str, dict[str, Limit]] = {}
        for path, rules in self._compiled["types"].get(token, {}).items():
            source = self._compiled["sources"][rules["from"]]
            limits = {rule: Limit(rule, self._listed(value), source) for rule, value in rules.items() if rule != "from"}
            found[path] = limits
        for row in self._by_hand.get(token, ()):
            found.setdefault(row["path"], {})[row["rule"]] = Limit(row["rule"], _read(row), row["source"])
        return {path: [limit for limit in limits.values() if limit.value != ""] for path, limits in found.items()}

    def _listed(self, value: Any) -> Any:
        """The values of an enumeration defined elsewhere, by its name."""
        if "list" not in mapping(value):
            return value
        also = [name for row in self._by_hand.get(_LISTS, ()) if row["path"] == value["list"] for name in _read(row)]
        return [*self._compiled["lists"][value["list"]], *also]

    @cached_property
    def _compiled(self) -> dict[str, Any]:
        file = resources.files(self._package).joinpath("limits.json")
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {"types": {}}

    @cached_property
    def _by_hand(self) -> Mapping[str, Sequence[Mapping[str, str]]]:
        found: dict[str, list[Mapping[str, str]]] = {}
        text = resources.files(self._package).joinpath("limits.csv").read_text(encoding="utf-8")
        for row in csv.DictReader(text.splitlines()):
            found.setdefault(row["type"], []).append(row)
        return found


def _read(row: Mapping[str, str]) -> Any:
    value = row["value"]
    if not value:
        return value
    if row["rule"] == "combinations":
        return json.loads(value)
    if row["rule"].startswith("enum"):
        return value.split("|")
    return float(value) if row["rule"] in _NUMERIC else value


def _refused(value: Any, path: str, limits: Mapping[str, Sequence[Limit]]) -> Iterator[Failure]:
    if isinstance(value, Secret):
        value = value.value
    if is_object(value):
        yield from _broken(value, path, limits)
        for name, item in value.items():
            if not name.startswith("__"):
                yield from _refused(item, f"{path}.{name}" if path else name, limits)
    elif is_list(value):
        yield from _failures(value, path, limits)
        for at, item in enumerate(value):
            yield from _refused(item, f"{path}[{at}]", limits)
    elif isinstance(value, str | int | float):
        yield from _failures(value, path, limits)


def _broken(value: Mapping[str, Any], path: str, limits: Mapping[str, Sequence[Limit]]) -> Iterator[Failure]:
    for limit in limits.get(general(path), ()):
        for at, reason in limit.broken(value):
            yield Failure(".".join(filter(None, (path, at))), reason)


def _reason(rule: str, value: Any, given: Any) -> str:
    return Limit(rule, value, "").reason(given)


def _failures(value: Any, path: str, limits: Mapping[str, Sequence[Limit]]) -> Iterator[Failure]:
    reasons = (limit.reason(value) for limit in limits.get(general(path), ()))
    yield from (Failure(path, reason) for reason in reasons if reason)


def _not_listed(given: str, values: Sequence[Any]) -> str:
    known = [text(value) for value in values if value != ""]
    near = known if len(known) <= _SHORT else difflib.get_close_matches(given[:80], known, n=3)
    if len(known) <= _SHORT or near:
        return f"expected one of {', '.join(near)}{'' if near is known else ', ..'}, got {_short(given)}"
    return f"{_short(given)} is not one of the {len(known)} known values"


def _out_of_range(rule: str, limit: float, given: Any) -> str:
    try:
        number = float(given)
    except (TypeError, ValueError):
        return ""
    if rule == "minimum":
        return f"expected at least {text(limit)}, got {text(given)}" if number < limit else ""
    return f"expected at most {text(limit)}, got {text(given)}" if number > limit else ""


def _wrong_length(rule: str, limit: float, given: Any, of: str) -> str:
    """of: the counted unit, characters of a text or items of a list."""
    if not (isinstance(given, list | Mapping) if rule in _COUNTS else isinstance(given, str)):
        return ""
    least = rule.startswith("min")
    wrong = len(given) < limit if least else len(given) > limit
    return f"expected at {'least' if least else 'most'} {text(limit)} {of}, got {len(given)}" if wrong else ""


def _short(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:60]}...' ({len(given)} characters)"


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)  # in the vendors' patterns, \w and \d are letters and digits of ASCII

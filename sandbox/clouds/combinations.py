"""Combinations of the inputs of one object: alternatives, exclusions, and limits that depend on another input.

A combination is one of

- `{"oneOf": [["a"], ["b", "c"]]}`: exactly one of the groups of inputs is given;
- `{"anyOf": [..]}`: at least one;
- `{"if": {"a": {"enum": [..]}}, "then": {"b": {"required": true}}}`: under every condition of `if`, the demands of
  `then`. A condition is a listed value, `{"not": [..]}` another one, `{}` any, or `{"none": true}` none; with
  `"absent": true` no value is as good. A demand is `required`, `excluded`, or limits of the value.

Inputs are paths below the object, `a.b`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gpucluster.sandbox.clouds.values import UNKNOWN, Secret
from gpucluster.sandbox.type_guards import mapping

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
                yield from ((path, said + because) for said in _unmet(path, _at(given, path), demands, reason))
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
        elif _is_given(value) and (said := reason(rule, limit, value)):
            yield said


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
    said = [f"without {path}" if _at(given, path) is None else _shown(path, _at(given, path)) for path in tests]
    return f", {' and '.join(said)}" if said else ""


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

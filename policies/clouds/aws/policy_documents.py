"""What an IAM policy document matches, in any notation.

Source: IAM user guide, "IAM JSON policy elements": Action, NotAction, Resource and NotResource with the wildcards `*`
(any text) and `?` (one character), case-insensitive; Principal; and "AWS global condition context keys".
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import at, is_list, is_object, parsed
from gpucluster.policies.clouds.open_ranges import everywhere

_BY_ARN: Final = ("aws:principalarn", "aws:sourcearn")
_BY_OWNER: Final = (
    "aws:principalaccount",
    "aws:principalorgid",
    "aws:principalorgpaths",
    "aws:sourceaccount",
    "aws:sourceorgid",
    "aws:sourceorgpaths",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "aws:userid",
)
_BY_ADDRESS: Final = "aws:sourceip"
_SHOWN: Final = 3


def document(given: Any) -> Any:
    """A policy as an object; empty for an invalid policy, which IAM itself refuses."""
    found = parsed(given)
    return found if found is UNKNOWN or is_object(found) else {}


def wide_rights(policy: object) -> Iterator[str]:
    """Allowed actions that cover all services or one service, on every resource of it; as text.

    Statements count together: many patterns may add up to every action.
    """
    allowing = [one for one in _listed(at(policy, "Statement")) if at(one, "Effect") == "Allow"]
    for statement in allowing:
        if at(statement, "NotAction") is not None and (on := _everything(statement, "")):
            yield f"all actions except those listed, on {on}"
    found: dict[str, str] = {}
    for service in _services(allowing):
        given = [(action, on) for one in allowing if (on := _everything(one, service)) for action in _actions(one)]
        named = {action: rest for action, _ in given if (rest := _within(action, service)) is not None}
        alone = {action: on for action, on in given if action in named and _every_name([named[action]])}
        if not alone and _every_name(list(named.values())):
            yield f"every action of {service}, by {len(named)} patterns, on {given[0][1]}"
        found = {**alone, **found}
    for on in dict.fromkeys(found.values()):
        yield f"{_shown([action for action, of in found.items() if of == on])} on {on}"


def trusts_anyone(policy: object) -> bool:
    """Whether anyone, in any account, may assume a role with this trust policy."""
    return any(
        at(statement, "Effect") == "Allow" and _anyone(statement) and not _bound(at(statement, "Condition"))
        for statement in _listed(at(policy, "Statement"))
    )


def _services(statements: Sequence[object]) -> list[str]:
    """Services named, or, for a name with wildcards, one that it matches."""
    named = [action.partition(":")[0] for one in statements for action in _actions(one)]
    arns = [str(arn).split(":") for one in statements for arn in _listed(at(one, "Resource"))]
    named += [arn[2] for arn in arns if len(arn) > 2 and any(_actions(one) for one in statements)]
    return list(dict.fromkeys(re.sub(r"[*?]", "x", name.lower()) for name in named))


def _actions(statement: object) -> list[str]:
    return [action for action in _listed(at(statement, "Action")) if isinstance(action, str)]


def _within(action: str, service: str) -> str | None:
    """The pattern's part for the names of a service's actions, None if it matches none."""
    of, colon, name = action.lower().partition(":")
    return (name if colon else "*") if fnmatchcase(service, of) else None


def _everything(statement: object, service: str) -> str | None:
    """The resources of a statement as text, if they are every one of a service (or all, without a name)."""
    if at(statement, "NotResource") is not None:
        return "all resources except those listed"
    given = [str(each) for each in _listed(at(statement, "Resource")) if each is not UNKNOWN]
    named = {each: rest for each in given if (rest := _resource(each, service)) is not None}
    if not _every_name([rest.lower() for rest in named.values()]):
        return None
    return _shown([each for each, rest in named.items() if _every_name([rest])][:1] or list(named))


def _shown(patterns: Sequence[str]) -> str:
    more = f" and {len(patterns) - _SHOWN} more" if len(patterns) > _SHOWN else ""
    return ", ".join(f"`{each}`" for each in patterns[:_SHOWN]) + more


def _resource(pattern: str, service: str) -> str | None:
    """The pattern for the name of a service's resource in any region; None if it belongs to another service."""
    if not pattern.startswith("arn:"):
        return pattern
    parts = pattern.split(":", 5)
    if len(parts) < 6:  # `arn:aws:*`
        return "*" if set("".join(parts[2:])) <= {"*", "?"} and parts[-1].endswith("*") else None
    _, _, of, region, _, name = parts
    if not fnmatchcase(service, of.lower()) or not set(region) <= {"*", "?"}:
        return None
    return "*" if set(name) <= {"*", "?", "/", ":"} and "*" in name else name


def _anyone(statement: object) -> bool:
    if at(statement, "NotPrincipal") is not None:
        return True
    principal = at(statement, "Principal")
    kinds = principal if is_object(principal) else {"AWS": principal}
    return any(
        re.fullmatch(r"[*?]+|arn:[^:]*:(iam|sts)::[*?]+:.*", str(one)) for of in kinds.values() for one in _listed(of)
    )


def _bound(condition: object) -> bool:
    """Whether a condition restricts access: by account, organisation, network or name."""
    if not is_object(condition):
        return False
    for operator, keys in condition.items():
        positive = not re.search(r"Not|IfExists|^Null|^Bool", operator)
        for key, given in keys.items() if positive and is_object(keys) else ():
            values = _listed(given)
            if key.lower() == _BY_ADDRESS and not everywhere(values):
                return True
            if key.lower() in _BY_OWNER and not any(set(str(one)) <= {"*", "?"} for one in values):
                return True
            if key.lower() in _BY_ARN and not any("*" in "".join(str(one).split(":")[:5]) for one in values):
                return True
    return False


def _listed(value: Any) -> list[Any]:
    """IAM accepts a single value or a list."""
    if value is None or value is UNKNOWN:
        return []
    return list(value) if is_list(value) else [value]


_LONG: Final = 12
"""Letters of `RunInstances`. Patterns that miss only shorter names, such as `?????*`, match every relevant name."""

_STEPS: Final = 2_000
"""No readable policy needs as many; one that does counts as matching everything."""

_OTHER: Final = "\0"


def _every_name(patterns: Sequence[str]) -> bool:
    """Whether each name of 12 or more lower case letters and digits, a letter first, matches one of the patterns."""
    written = {letter for pattern in patterns for letter in pattern if letter not in "*?"}
    of_names = written | ({_OTHER} if set(string.ascii_lowercase + string.digits) - written else set[str]())
    first_of_names = (
        of_names - set(string.digits) - ({_OTHER} if set(string.ascii_lowercase) <= written else set[str]())
    )
    waiting: list[tuple[frozenset[str], int]] = [(frozenset(_without_stars(pattern) for pattern in patterns), 0)]
    seen = set(waiting)
    while waiting:
        left, length = waiting.pop()
        if "*" in left:
            continue
        if not left or (length == _LONG and not any(rest in ("", "*") for rest in left)):
            return False
        for letter in sorted(of_names if length else first_of_names):
            after = frozenset(rest for pattern in left for rest in _after(pattern, letter))
            if (step := (after, min(length + 1, _LONG))) not in seen:
                seen.add(step)
                waiting.append(step)
        if len(seen) > _STEPS:
            return True
    return True


def _after(pattern: str, letter: str) -> Iterator[str]:
    """The rests of a pattern after a letter, one for each way to match it."""
    if pattern.startswith("*"):
        yield pattern
        yield from _after(pattern[1:], letter)
    elif pattern and pattern[0] in ("?", letter):
        yield pattern[1:]


def _without_stars(pattern: str) -> str:
    """With one star in place of several in a row."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern

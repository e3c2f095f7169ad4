"""Converts property values from the engine's format to plain values."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, urn_name
from gpucluster.core.program.values import is_list, is_object
from gpucluster.errors import InputError

UNKNOWN_TEXT: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's value for an unknown (pulumi/pulumi sdk/go/common/resource/plugin/rpc.go)."""

SIGNATURE: Final = "4dabf18193072939515e22adb298388d"
"""Key that marks an object as a secret, an asset or a reference to a resource (sdk/go/common/resource/sig)."""

_BOOKKEEPING: Final = frozenset({"__defaults", "__internal"})
"""Keys that the engine and bridged providers add to inputs for their own use."""

_MASKED: Final = "[secret]"
"""Replacement of a secret in a plan file."""
_NOT_KNOWN: Final = frozenset({UNKNOWN_TEXT, _MASKED})


def plain_number(value: float) -> int | float:
    """5 for 5.0: the engine has no integers, so a whole number means the same in any notation."""
    return int(value) if value.is_integer() else value


def plain_value(value: Any) -> Any:
    """The value with unknowns, secrets, assets and references as UNKNOWN, and without absent members."""
    if isinstance(value, str):
        return UNKNOWN if value in _NOT_KNOWN else value
    if is_object(value):
        if SIGNATURE in value:
            return UNKNOWN
        return {key: plain_value(item) for key, item in value.items() if item is not None and key not in _BOOKKEEPING}
    if is_list(value):
        return [plain_value(item) for item in value]
    return plain_number(value) if isinstance(value, float) else value


def _one(text: object) -> str:
    """Equal texts as one object: URNs and types recur throughout a file, and are looked up often."""
    return sys.intern(str(text))


def _dependencies(record: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Input property -> URNs it depends on, without properties that have none."""
    found = record.get("propertyDependencies")
    if not found or not is_object(found):
        return {}
    return {key: tuple(map(_one, urns)) for key, urns in found.items() if is_list(urns) and urns}


def _provider_urn(record: Mapping[str, Any]) -> str | None:
    """URN in a provider reference, which the engine writes as `URN::ID`."""
    reference = record.get("provider")
    return reference.rsplit("::", 1)[0] if isinstance(reference, str) and "::" in reference else None


def _position(value: object) -> str | None:
    """`path#line` inside the project; positions outside it, such as in the SDK, do not help the user."""
    if not isinstance(value, str) or not value.startswith("project:///") or value.startswith("project:///.."):
        return None
    return value.removeprefix("project:///")


_COMPONENTS: Final = "gpucluster:"
"""Start of the types of this package's components."""


def call_of(record: Mapping[str, Any]) -> list[dict[str, str]]:
    """Two frames of the stack trace of a component of this package: its public class, without the folder in which the
    package is installed, and the program's call of it. Empty for other resources, and without a call in the project.
    """
    type_, trace = str(record.get("type")), record.get("stackTrace")
    if record.get("custom") is True or not type_.startswith(_COMPONENTS) or not is_list(trace):
        return []
    frames = [str(frame.get("sourcePosition")) for frame in trace if is_object(frame)]
    entry = f"gpucluster/{type_.split(':')[1]}.py#"
    calls = ((own, call) for own, call in pairwise(frames) if entry in own and _position(call) and entry not in call)
    found = next(((own[own.index(entry) :], call) for own, call in calls), ())
    return [{"sourcePosition": frame} for frame in found]


def _declared_at(record: Mapping[str, Any]) -> str | None:
    """Where the program declares the resource. The position of a component of this package is inside of the package."""
    if record.get("custom") is True or not str(record.get("type")).startswith(_COMPONENTS):
        return _position(record.get("sourcePosition"))
    return next((_position(call["sourcePosition"]) for call in call_of(record)[1:]), None)


def _properties(value: object) -> Mapping[str, Any]:
    """The properties of a resource; none if the file hides them, or has another value there."""
    if not value:
        return {}
    found = plain_value(value)
    return found if is_object(found) else {}


def resource_of(record: object, what: str, command: str) -> Resource:
    """One resource from a plan or state file. NotReadable names the file and the command that writes it."""
    urn = record.get("urn") if is_object(record) else None
    if not is_object(record) or not isinstance(urn, str) or urn.count("::") < 3:
        raise NotReadable(f"{what}: a resource has no name (urn); write the file with `{command}`")
    custom = record.get("custom") is True
    parent, kept = record.get("parent"), record.get("ignoreChanges")
    return Resource(
        urn=_one(urn),
        type=_one(record.get("type")),
        name=urn_name(urn),
        inputs=_properties(record.get("inputs")),
        outputs=_properties(record.get("outputs")),
        custom=custom,
        parent=_one(parent) if parent else None,
        provider=_provider_urn(record) if custom else None,
        dependencies=_dependencies(record),
        source_position=_declared_at(record),
        protect=record.get("protect") is True,
        keeps=tuple(map(str, kept)) if is_list(kept) else (),
        # Components of the program itself have the position of their declaration.
        remote=not custom and not record.get("sourcePosition"),
    )


class NotReadable(InputError):
    """The user's file cannot be read; the message describes the problem and the expected input."""

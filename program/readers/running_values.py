"""Values of a running program, read without waiting and without running the user's code.

- A plain value is itself, with the engine's names.
- An output of another resource is the input it echoes if that is plain, else UNKNOWN.
- Any other output (`apply`, `concat`, an invoke) is UNKNOWN unless it is already done.
- Secrets are UNKNOWN.

Every resource that a value depends on is recorded, also through an output that is still pending.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pulumi

from gpucluster.program.readers.pending import done_value, waits_for
from gpucluster.program.readers.private_sdk import children_of, future_of
from gpucluster.program.readers.records import plain_number
from gpucluster.program.readers.sdk_names import Place, members
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import is_list, is_object

Behind = dict[str, None]
"""URNs of the resources that a value depends on, in order of discovery."""


_PLAIN: Final[Collection[type]] = {bool, int, str, type(None)}
"""Types of values that are read unchanged."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One resource as the program declared it."""

    resource: pulumi.Resource
    type: str
    name: str
    props: Mapping[str, Any]
    opts: pulumi.ResourceOptions


class ValueReader:
    """Reads values that may hold outputs of the resources it is given."""

    def __init__(self, declared: Sequence[Declared], urn: Callable[[pulumi.Resource], str]) -> None:
        self._urn = urn
        self._known = {id(item.resource) for item in declared}
        # output, by identity of its future -> its resource and property
        self._origins = {
            id(future_of(item.resource.__dict__[name])): (item, name)
            for item in declared
            # its own properties: other attributes of a component may come from anywhere
            for name in (*item.props, "id", "urn")
            if isinstance(item.resource.__dict__.get(name), pulumi.Output)
        }

    def plain(self, value: Any, place: Place, behind: Behind) -> Any:
        """The value with the engine's names; the resources it depends on are added to `behind`."""
        if type(value) in _PLAIN:
            return value
        if isinstance(value, enum.Enum):
            return self.plain(value.value, place, behind)
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return str(value)
        if isinstance(value, float):
            return plain_number(value)
        if isinstance(value, pulumi.Output):
            return self._output(value, place, behind)
        if isinstance(value, pulumi.Resource):
            self._depend([value], behind)
            return UNKNOWN
        return self._nested(value, place, behind)

    def _nested(self, value: Any, place: Place, behind: Behind) -> Any:
        """An argument object, a dict or a list; None members are omitted, as in the SDK."""
        arguments = members(value)
        if arguments is not None:
            of = value.__class__
            plain = {
                key: item if type(item) in _PLAIN else self.plain(item, place.argument(of, key), behind)
                for key, item in arguments.items()
            }
        elif is_object(value):
            inside = place.inside(value)
            # not .items(): a dict of outputs may override it
            pairs = [(inside.name(key), value[key]) for key in value]
            plain = {
                key: item if type(item) in _PLAIN else self.plain(item, inside.member(key), behind)
                for key, item in pairs
            }
        elif is_list(value):
            element = place.element()
            return [self.plain(item, element, behind) for item in value]
        else:
            return UNKNOWN  # an asset, or a value only the SDK can wait for
        return {key: item for key, item in plain.items() if item is not None}

    def _output(self, output: Any, place: Place, behind: Behind) -> Any:
        future = future_of(output)
        origin = self._origins.get(id(future))
        if origin is not None:
            item, name = origin
            self._depend([item.resource], behind)
            echoed = None if name in ("id", "urn") else item.props.get(name)
            value = UNKNOWN if echoed is None else self.plain(echoed, place, {})
            return UNKNOWN if _has_unknown(value) else value
        data = done_value(future)
        if data is not None:
            self._depend(data.resources, behind)
            return UNKNOWN if data.is_secret or not data.is_known else self.plain(data.value, place, behind)
        self._depend([self._origins[key][0].resource for key in waits_for(future, self._origins)], behind)
        return UNKNOWN

    def _depend(self, resources: Iterable[pulumi.Resource], behind: Behind) -> None:
        """Record custom resources themselves, and for a component its children, as the SDK does."""
        todo = list(resources)
        while todo:
            resource = todo.pop(0)
            if isinstance(resource, pulumi.ComponentResource):
                todo.extend(children_of(resource))
            elif id(resource) in self._known:
                behind[self._urn(resource)] = None


def _has_unknown(value: Any) -> bool:
    if is_object(value):
        return any(map(_has_unknown, value.values()))
    if is_list(value):
        return any(map(_has_unknown, value))
    return value is UNKNOWN

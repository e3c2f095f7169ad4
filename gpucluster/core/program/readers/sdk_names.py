"""How the SDK translates names: Python arguments and plain dicts to the properties of the engine.

The SDK keeps names and types on the argument classes it generates. An argument object knows its own names; the keys of
a plain dict are translated by the type of its position; members of a hand-written resource by that resource's own
function.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import pulumi

from gpucluster.core.program.readers.private_sdk import args_members, args_names, case_of, is_args_type, unwrapped


def members(value: object) -> dict[str, Any] | None:
    """Members of an argument object by the engine's names, None for any other value."""
    return args_members(value) if is_args_type(type(value)) else None


@cache
def args_type(resource: type) -> type | None:
    """The argument class that generated SDKs define with a resource class, None for hand-written resources."""
    for base in resource.__mro__:
        module = sys.modules.get(base.__module__)
        # InitArgs if the cloud has a nested type of the resource's name, whose Args the module imports as well
        for name in (f"{base.__name__}InitArgs", f"{base.__name__}Args"):
            found = getattr(module, name, None)
            if isinstance(found, type) and is_args_type(found):
                return found
    return None


@cache
def _names(args: type) -> Mapping[str, str]:
    return args_names(args)


@cache
def _hint(args: type, key: str) -> Any:
    """The type of one property, by the engine's name: the SDK would compute all of them, most of them unused."""
    name = next((name for name, property in _names(args).items() if property == key), None)
    owner = next((base for base in args.__mro__ if name in vars(base)), None)
    if name is None or owner is None:
        return None
    known = {"Output": pulumi.Output, "T": type(None)}
    return typing.get_type_hints(getattr(args, name).fget, vars(sys.modules[owner.__module__]), known).get("return")


def top(resource: pulumi.Resource) -> Inside:
    """Names and positions of a resource's own properties."""
    args = args_type(type(resource))
    return Inside(args, None, None if args else resource.translate_input_property)


class Place(NamedTuple):
    """The position of a value, which determines how the keys of a plain dict there are translated.

    The type is that of property `key` of argument class `args`, or of the elements of `whole`, else `hint`. It is
    computed only for a dict, since type hints of large argument classes are slow to evaluate.
    translate: names of a hand-written resource, None for generated ones.
    """

    args: type | None = None
    key: str = ""
    hint: Any = None
    translate: Callable[[str], str] | None = None
    whole: Place | None = None

    def argument(self, args: type, key: str) -> Place:
        """The position of property `key` of an argument object."""
        return Place(args, key, None, self.translate)

    def element(self) -> Place:
        """The position of a list's elements."""
        return Place(translate=self.translate, whole=self)

    def inside(self, value: Mapping[str, Any]) -> Inside:
        """Names and positions of the members of a dict."""
        found = self._type()
        if found is None:
            return Inside(None, None, self.translate)
        case = case_of(found, value)
        found = found if case is None else case
        if isinstance(found, type) and is_args_type(found):
            return Inside(found, None, self.translate)
        arguments = typing.get_args(found)
        # the keys of a property of type dict are the user's own
        return Inside(None, arguments[1] if len(arguments) == 2 else None, None)

    def _type(self) -> Any:
        if self.whole is not None:
            arguments = typing.get_args(self.whole._type())
            found = arguments[0] if len(arguments) == 1 else None
        else:
            found = self.hint if self.args is None else _hint(self.args, self.key)
        found = None if found is None else unwrapped(found)
        return None if found is Any else found


class Inside(NamedTuple):
    """Names and positions of members: those of argument class `args`, or dict values of type `values`."""

    args: type | None
    values: Any
    translate: Callable[[str], str] | None

    def name(self, key: str) -> str:
        """The engine's name of a member."""
        if self.args is not None:
            return _names(self.args).get(key) or key
        return self.translate(key) if self.translate is not None else key

    def member(self, name: str) -> Place:
        """The position of a member, by the engine's name."""
        return Place(self.args, name, self.values, self.translate)

"""The judge of azure-native: the enumerations in its SDK. They contain the values of an input that Microsoft lists, but
not numbers, free text and combinations.

Most lists are marked as open: an API may accept a value that is newer than the list. An unlisted value is refused
nevertheless, because most are mistakes, and the message states this. `open.csv` contains the lists that are only
examples, with the source; `newer.csv` values that Microsoft's reference has and the SDK has not yet.
"""

from __future__ import annotations

import enum
import importlib
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.operate.judges.names import table
from gpucluster.operate.judges.verdicts import Reading, Remark, Verdict


class _Enumerations:
    name = "azure"
    title = "enumerations of Microsoft's APIs (azure-native SDK)"
    package = "azure-native"
    needs = ("pulumi_azure_native", "pulumi-azure-native")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        del around
        for resource in asked:
            arguments = _arguments(resource.type)
            if arguments is None:
                yield Verdict(resource=resource, judge=self.name, why="the installed SDK has no such type")
                continue
            reader = _Reader()
            reader.members(arguments, resource.inputs, "")
            yield reader.verdict(resource, self.name)


JUDGE: Final = _Enumerations()


@cache
def _arguments(type_: str) -> type | None:
    """The argument class of a resource, such as that of `azure-native:network:Subnet`."""
    from gpucluster.core.program.readers.sdk_names import args_type

    _, module, name = type_.split(":")
    try:
        found = getattr(importlib.import_module(f"pulumi_azure_native.{module.replace('/', '.')}"), name, None)
    except ModuleNotFoundError:
        return None
    return args_type(found) if isinstance(found, type) else None


@cache
def _types(arguments: type) -> Mapping[str, Any]:
    """Input -> its type."""
    from gpucluster.core.program.readers.private_sdk import args_types

    return args_types(arguments)


class _Reader(Reading):
    def members(self, arguments: type, values: Mapping[str, Any], shown: str) -> None:
        """Checks the members of an object against its argument class. shown: its path in the program."""
        types = _types(arguments)
        for name, value in values.items():
            label = f"{shown}.{name}" if shown else name
            if name.startswith("__") or name == "azureApiVersion":  # the provider's own inputs
                continue
            if name in types:
                self._value(_leaves(types[name]), value, label)
            else:
                self.left.append(label)

    def _value(self, leaves: Sequence[type], value: Any, shown: str) -> None:
        if value is UNKNOWN:
            return
        if is_list(value):
            for number, item in enumerate(value):
                self._value(leaves, item, f"{shown}[{number}]")
        elif is_object(value):
            # Of several possible classes of a value, only the program knows the right one; a value listed by all would
            # pass.
            classes = [leaf for leaf in leaves if leaf.__name__.endswith("Args")]
            if len(classes) == 1:
                self.members(classes[0], value, shown)
        else:
            self._plain(leaves, value, shown)

    def _plain(self, leaves: Sequence[type], value: Any, shown: str) -> None:
        lists = [leaf for leaf in leaves if issubclass(leaf, enum.Enum)]
        listed = [value for one in lists for value in (*(str(member.value) for member in one), *_newer(one))]
        if not listed or str(value) in listed or any(_only_examples(one) for one in lists):
            return
        for one in listed:
            if one.lower() == str(value).lower():
                self.advice.append(Remark(shown, f"{value!r} is listed as {one!r}"))
                return
        end = " (an open list: newer values are possible)" if str in leaves else ""
        self.refusals.append(Remark(shown, f"{value!r} is not one of {listed}{end}"))


_EXAMPLES: Final = frozenset(
    (row["module"], row["enumeration"]) for row in table("gpucluster.operate.judges.azure", "open.csv")
)


_NEWER: Final = [
    (row["module"], row["enumeration"], row["value"]) for row in table("gpucluster.operate.judges.azure", "newer.csv")
]


def _named(enumeration: type) -> tuple[str, str]:
    return enumeration.__module__.split(".")[1], enumeration.__name__


def _only_examples(enumeration: type) -> bool:
    return _named(enumeration) in _EXAMPLES


def _newer(enumeration: type) -> list[str]:
    return [value for *names, value in _NEWER if tuple(names) == _named(enumeration)]


@cache
def _leaves(annotation: Any) -> tuple[type, ...]:
    """The plain classes in the type of an input, including those in lists, maps and unions."""
    if isinstance(annotation, type) and not typing.get_args(annotation):
        return (annotation,)
    inner = typing.get_args(annotation)
    found = dict.fromkeys(leaf for one in inner for leaf in _leaves(one))
    return tuple(found)

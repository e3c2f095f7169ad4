"""The inputs of resources, with a record of those that handlers read, and what the others mean for the price.

`inputs.csv` has the inputs that no handler reads:

========== ============================================================================================================
column     meaning
========== ============================================================================================================
`type`     type token, or a pattern of several; `*` for all types
`inputs`   one or more, or patterns of them: a path without the indices of lists, or a name without a dot, which is that
           input at any depth. Each includes everything below. With `=false` at its end, an option that is on unless it
           is turned off
`effect`   `free`; `more`: it may add to the price, so that amount is not priced; `less`: it may lower the price, so
           the lines of the resource are bounded by 0 and themselves
`why`      the reason
`source`   where that is written
========== ============================================================================================================

Of several rows, the first counts. An input without a row is named under the total.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Final, Literal, cast

from gpucluster.core.catalog.resource_types import free_reason
from gpucluster.core.catalog.tables import Row, read_rows
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources

Effect = Literal["free", "more", "less", ""]

TEMPLATES: Final = frozenset(
    {
        "aws:ec2/launchConfiguration:LaunchConfiguration",
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
        "gcp:compute/instanceTemplate:InstanceTemplate",
        "gcp:compute/regionInstanceTemplate:RegionInstanceTemplate",
    }
)
"""Free types whose inputs describe the machines of others."""

_OFF: Final = (None, False, "", "false")
"""Values of an option that is off."""
_TURNED_OFF: Final = "=false"
"""End of a pattern of options that are on by default."""


_GET: Final = dict[str, Any].get
_ITEMS: Final = dict[str, Any].items
"""Of the dictionary itself: nothing is recorded, and no class is looked up."""


class Inputs(dict[str, Any]):
    """An object that records which of its keys are read. disregarded: whether the others do not matter."""

    __slots__ = ("disregarded", "read")

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.read: set[str] = set()
        self.disregarded = False

    def get(self, key: str, default: Any = None) -> Any:
        """The value, whose own keys are recorded, too; most keys that handlers ask for are absent."""
        value = _GET(self, key, default)
        if value is None:
            return None
        self.read.add(key)
        if type(value) in _PLAIN:
            value = self[key] = _recorded(value)
        return value

    def __getitem__(self, key: str) -> Any:
        if key not in self:
            raise KeyError(key)
        return self.get(key)

    def __iter__(self) -> Iterator[str]:
        self.read.update(super().__iter__())
        return super().__iter__()

    def values(self) -> Any:
        """Every value."""
        return [self.get(key) for key in self]

    def items(self) -> Any:
        """Every key and value."""
        return [(key, self.get(key)) for key in self]


class _Members(list[Any]):
    """A list whose objects record their keys."""


_PLAIN: Final = frozenset({dict, list, tuple})


def _recorded(value: Any) -> Any:
    if type(value) is dict:
        return Inputs(cast("dict[str, Any]", value))
    return _Members(_recorded(one) for one in cast("list[Any]", value)) if type(value) in _PLAIN else value


def recorded(resources: Resources) -> Resources:
    """The same resources, with a record of their inputs. Kept no longer than an estimate: its many small objects slow
    every garbage collection after it.
    """
    return resources.changed(_recorded_resource)


def _recorded_resource(resource: Resource) -> Resource:
    type_ = _plain_type(resource.type)
    if bears(type_):
        return resource.with_inputs(Inputs(resource.inputs), type_)
    return resource if type_ == resource.type else resource.with_inputs(resource.inputs, type_)


@cache
def _plain_type(type_: str) -> str:
    """`azure-native:compute:Disk` of `azure-native:compute/v20230701:Disk`, which has the version of an API."""
    return _API_VERSION.sub("", type_)


_API_VERSION: Final = re.compile(r"(?<=\w)/v\d{8}\w*(?=:)")


@cache
def bears(type_: str) -> bool:
    """Whether inputs of this type may bear on a price: not of free types, and not of Kubernetes objects, which have no
    SDK with their schemas.
    """
    return type_ in TEMPLATES or (free_reason(type_) is None and not type_.startswith(("kubernetes:", "pulumi:")))


def _unread(inputs: Inputs, above: str) -> Iterator[tuple[str, Any]]:
    """(path, value) of each input that is set and that nothing read. Of an object or a list of objects that was read,
    each input inside counts by itself: only the presence or the length was read.
    """
    for key, value in () if inputs.disregarded else _ITEMS(inputs):
        if key not in inputs.read:
            if not key.startswith("__"):  # what the SDKs note about defaults
                yield from _leaves(value, f"{above}{key}")
        elif isinstance(value, Inputs):
            yield from _unread(value, f"{above}{key}.")
        elif isinstance(value, _Members):
            for one in value:
                if isinstance(one, Inputs):
                    yield from _unread(one, f"{above}{key}.")


def disregard(value: Any) -> None:
    """Inputs below a value cost nothing, whatever they are: those of a machine that is stopped."""
    if isinstance(value, Inputs):
        value.disregarded = True


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, one in _ITEMS(cast("dict[str, Any]", value)):
            yield from _leaves(one, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for one in cast("list[Any]", value):
            yield from _leaves(one, path)
    elif value not in _OFF or value is False or value == "false":
        yield path, value


@dataclass(frozen=True)
class Bearing:
    """An unread input that bears on the price, and what it does."""

    path: str
    effect: Effect
    reason: str


def split_unread(resource: Resource) -> tuple[list[Bearing], list[str]]:
    """(unread inputs that bear on the price, paths of those of which nothing is known), each once; none of a template
    that nothing uses.
    """
    bearing: dict[str, Bearing] = {}
    others: dict[str, None] = {}
    inputs = resource.inputs
    if isinstance(inputs, Inputs) and (inputs.read or resource.type not in TEMPLATES):
        for path, value in _unread(inputs, ""):
            off = value is False or value == "false"
            effect, why = effect_of(resource.type, path, off)
            if not effect:
                if not off:
                    others[path] = None
            elif effect != "free":
                bearing[path] = Bearing(path, effect, f"{path} is {_shown(value)}: {why}")
    return [*bearing.values()], [*others]


def _shown(value: Any) -> str:
    """A value in a reason."""
    return UNKNOWN.value if value is UNKNOWN else repr(value)


@cache
def effect_of(type_: str, path: str, off: bool = False) -> tuple[Effect, str]:
    """(effect, why) of an unread input, by the first row that fits; empty if none does. off: an option turned off."""
    names, patterns = _rows_of(type_, off)
    first = none = len(rows())
    for name in path.split("."):
        if name in names and names[name] < first:
            first = names[name]
    for pattern in patterns:
        if (fits := pattern.fullmatch(path)) and (number := int(str(fits.lastgroup).removeprefix("row"))) < first:
            first = number
    return ("", "") if first == none else _effect(first)


_Names = Mapping[str, int]
"""Name of an input at any depth -> number of its first row."""


@cache
def _rows_of(type_: str, off: bool) -> tuple[_Names, Sequence[re.Pattern[str]]]:
    """The names and patterns of a type. off: of options that are turned off."""
    names: dict[str, int] = {}
    patterns: list[re.Pattern[str]] = []
    for types in dict.fromkeys(row["type"] for row in rows()):
        if fnmatchcase(type_, types):
            own, of_types = _rows_for(types, off)
            patterns += of_types
            names |= {name: min(number, names.get(name, number)) for name, number in own.items()}
    return names, patterns


@cache
def _rows_for(types: str, off: bool) -> tuple[_Names, Sequence[re.Pattern[str]]]:
    """The names of the rows with these types, and one expression for their patterns, if any: an object may have
    thousands of keys. Types share most rows; to compile all inputs of rows for each type takes longer than an estimate.
    """
    names: dict[str, int] = {}
    patterns: list[str] = []
    for number, row in enumerate(rows()):
        if row["type"] == types:
            inputs = [one for one in row["inputs"].split() if one.endswith(_TURNED_OFF) is off]
            found = [one.removesuffix(_TURNED_OFF) for one in inputs]
            for name in filter(str.isidentifier, found):
                names.setdefault(name, number)
            if others := "|".join(_expression(one) for one in found if not one.isidentifier()):
                patterns.append(f"(?P<row{number}>{others})")
    return names, [re.compile("|".join(patterns))] if patterns else []


def _expression(pattern: str) -> str:
    """The expression of a path or of a name at any depth, with everything below."""
    text = re.sub(r"\\\[(\w+)\\\]", r"[\1]", re.escape(pattern))
    if "." in pattern:
        return text.replace(r"\*", ".*") + r"(?:\..*)?"
    return r"(?:.*\.)?" + text.replace(r"\*", "[^.]*") + r"(?:\..*)?"


@cache
def _effect(number: int) -> tuple[Effect, str]:
    """(effect, why) of a row."""
    row = rows()[number]
    match row["effect"]:
        case "free" | "more" | "less" as found:
            return found, row["why"]
        case _:
            raise row.bad("effect", "write free, more or less")


@cache
def rows() -> tuple[Row, ...]:
    """The rows of the table."""
    return tuple(read_rows("cost/pricing/inputs.csv"))

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
from collections.abc import Iterable, Iterator, Mapping
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
    row = next((row for row in _rows_of(type_) if _patterns(row["inputs"], off).fit(path)), None)
    return ("", "") if row is None else (_effect(row), row["why"])


@cache
def _rows_of(type_: str) -> tuple[Row, ...]:
    return tuple(row for row in rows() if fnmatchcase(type_, row["type"]))


@dataclass(frozen=True)
class _Patterns:
    """What a row names: names at any depth, expressions of such names, and one for its paths."""

    names: frozenset[str]
    of_names: re.Pattern[str]
    of_paths: re.Pattern[str]

    def fit(self, path: str) -> bool:
        """Whether an input is one of them, or below one."""
        names = path.split(".")
        return (
            not self.names.isdisjoint(names)
            or any(map(self.of_names.fullmatch, names))
            or self.of_paths.fullmatch(path) is not None
        )


@cache
def _patterns(inputs: str, off: bool) -> _Patterns:
    """Those of a row, or its options that are turned off. Most are plain names, which need no expression: an object
    may have thousands of keys, and compiling takes longer than a whole estimate.
    """
    found = [one.removesuffix(_TURNED_OFF) for one in inputs.split() if one.endswith(_TURNED_OFF) is off]
    names = [one for one in found if "." not in one]
    plain = frozenset(one for one in names if re.fullmatch(r"\w+", one))
    paths = [rf"{_expression(one)}(?:\..*)?" for one in found if "." in one]
    return _Patterns(plain, _either(_expression(one) for one in names if one not in plain), _either(paths))


def _expression(pattern: str) -> str:
    return re.sub(r"\\\[(\w+)\\\]", r"[\1]", re.escape(pattern)).replace(r"\*", ".*")


def _either(expressions: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions) or "(?!)")


def _effect(row: Row) -> Effect:
    match row["effect"]:
        case "free" | "more" | "less" as found:
            return found
        case _:
            raise row.bad("effect", "write free, more or less")


@cache
def rows() -> tuple[Row, ...]:
    """The rows of the table."""
    return tuple(read_rows("cost/pricing/inputs.csv"))

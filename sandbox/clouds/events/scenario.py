"""Events in the simulated clouds that no program requests: existing resources, shortages, failures, delays, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

EXISTS = "exists"
"""First part of the URN of resources that no stack owns."""

Fails = Literal["refused", "partial", "throttled", "timeout", "not-yet", "crash"]
"""How a request can fail."""


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """A disturbance of some requests.

    type: of the resources, `*` matches any letters. name: of the resource, in the cloud or in the program; empty for
    all.
    request: create, update, delete or read; any for the first three, empty for the first two.
    at, times: the first matching request of a command, and their number; times 0 for all that follow.
    seconds: from the answer to the end of the operation; None for the default duration.
    fails: one of Fails, empty if they succeed.
    error: the message, as the cloud's; empty for that of the table.
    effective: seconds for which the program has to wait after the creation until other requests can rely on it.
    machines: how many machines a pool has nevertheless; None for those of before, a new one has none.
    """

    type: str
    name: str = ""
    request: str = ""
    at: int = 1
    times: int = 0
    seconds: float | None = None
    fails: str = ""
    error: str = ""
    effective: float = 0
    machines: int | None = None

    def concerns(self, type_: str, names: tuple[str, ...], request: str) -> bool:
        """Whether it matches such a request."""
        requested = {"": ("create", "update"), "any": ("create", "update", "delete")}.get(self.request, (self.request,))
        return request in requested and fnmatchcase(type_, self.type) and self.name in ("", *names)


@dataclass(frozen=True, kw_only=True)
class Quota:
    """A limit of an account. name: in the cloud's terms. usage: by others than the sandbox. stacks: the part of it that
    belongs to stacks, by name: one that the sandbox has too counts once.
    """

    cloud: str
    name: str
    region: str
    limit: int
    usage: int = 0
    stacks: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The machines of a type that a zone has for the account, in addition to reserved ones. region: if zones are
    numbers.
    """

    cloud: str
    zone: str
    machine: str
    available: int
    region: str = ""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A change made outside Pulumi. set: path of a property -> its value, None to remove it. deleted: whether it is
    deleted.

    name: of the resource, in the cloud or in the program; empty for all of the type.
    """

    type: str
    name: str = ""
    set: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deleted: bool = False


@dataclass(frozen=True, kw_only=True)
class Existing:
    """A resource older than any stack.

    provider: the settings of the provider that manages it: region, project, subscription.
    inputs: as in a program, by the names of the provider's schema.
    """

    type: str
    provider: Mapping[str, Any]
    inputs: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Data:
    """The answer of a data source. args: required arguments, others are allowed. result: the relevant outputs."""

    function: str
    result: Mapping[str, Any]
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class Call:
    """The answer to an HTTP request of the program itself. url, body: patterns. result: a text, or an object."""

    url: str
    result: Any
    body: str = "*"


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """By default nothing exists, nothing is limited, and all requests succeed at once."""

    exists: tuple[Existing, ...] = ()
    quotas: tuple[Quota, ...] = ()
    capacity: tuple[Capacity, ...] = ()
    operations: tuple[Disturbance, ...] = ()
    drift: tuple[Drift, ...] = ()
    data: tuple[Data, ...] = ()
    stacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    calls: tuple[Call, ...] = ()

    def result(self, function: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer of a data source in this scenario, later entries override earlier ones; empty if it has none."""
        requested = args.items()
        found = [each for each in self.data if each.function == function and each.args.items() <= requested]
        return {name: value for each in found for name, value in each.result.items()}

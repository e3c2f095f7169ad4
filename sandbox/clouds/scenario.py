"""What happens in the simulated clouds that no program asks for: what was there, lacks, fails, lasts, changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

EXISTS = "exists"
"""First part of the URN of what no stack owns."""

Fails = Literal["refused", "partial", "throttled", "timeout", "not-yet", "crash"]
"""How a request can fail."""


@dataclass(frozen=True, kw_only=True)
class Disturbance:
    """How some requests go.

    type: of the resources, `*` for any letters. name: of the resource, in the cloud or in the program; empty for all.
    request: create, update, delete or read; any for the first three, empty for the first two.
    at, times: from which of these requests of a command on, and for how many; times 0 for all that follow.
    seconds: from the answer to the end of the operation; None as without a scenario.
    fails: one of Fails, empty where they succeed.
    error: why, in the cloud's words; empty for those of the table.
    """

    type: str
    name: str = ""
    request: str = ""
    at: int = 1
    times: int = 0
    seconds: float | None = None
    fails: str = ""
    error: str = ""

    def concerns(self, type_: str, names: tuple[str, ...], request: str) -> bool:
        """Whether it is about such a request."""
        asked = {"": ("create", "update"), "any": ("create", "update", "delete")}.get(self.request, (self.request,))
        return request in asked and fnmatchcase(type_, self.type) and self.name in ("", *names)


@dataclass(frozen=True, kw_only=True)
class Quota:
    """What an account may have of something. name: as its cloud calls it. usage: of others than the sandbox."""

    cloud: str
    name: str
    region: str
    limit: int
    usage: int = 0


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """How many machines of a type a zone has for the account, beside reserved ones. region: where zones are numbers."""

    cloud: str
    zone: str
    machine: str
    available: int
    region: str = ""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """What someone did behind Pulumi's back. set: path of a property -> its value, None for none. deleted: it is gone.

    name: of the resource, in the cloud or in the program; empty for all of the type.
    """

    type: str
    name: str = ""
    set: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deleted: bool = False


@dataclass(frozen=True, kw_only=True)
class Existing:
    """Something that was there before any stack.

    provider: the settings of the provider that would manage it: region, project, subscription.
    inputs: as a program would write them, in the names of the provider's schema.
    """

    type: str
    provider: Mapping[str, Any]
    inputs: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Data:
    """What a data source says. args: those it is asked with, others may be there. result: the outputs that matter."""

    function: str
    result: Mapping[str, Any]
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Empty: nothing was there, there is enough of everything, and all goes well at once."""

    exists: tuple[Existing, ...] = ()
    quotas: tuple[Quota, ...] = ()
    capacity: tuple[Capacity, ...] = ()
    operations: tuple[Disturbance, ...] = ()
    drift: tuple[Drift, ...] = ()
    data: tuple[Data, ...] = ()
    stacks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def result(self, function: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a data source says by this scenario, later entries over earlier ones; empty for nothing."""
        asked = args.items()
        found = [each for each in self.data if each.function == function and each.args.items() <= asked]
        return {name: value for each in found for name, value in each.result.items()}

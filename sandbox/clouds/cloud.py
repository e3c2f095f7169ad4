# ruff: noqa: ARG002 - what a cloud does not override takes arguments it does not use
"""The interface of a simulated cloud; the engine's protocol around it is the same for all (`provider.py`)."""

from __future__ import annotations

import enum
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from gpucluster.core.program.resources import urn_name
from gpucluster.core.text.type_guards import is_list, is_object
from gpucluster.errors import Error
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.types.validate import Failure, validate
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


class Kind(enum.Enum):
    """The kind of change of a property."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


@dataclass(frozen=True)
class Change:
    """One changed property: its path as the engine writes it, e.g. `tags["a.b"]` or `rules[0].port`."""

    path: str
    kind: Kind


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """The deepest changed properties from `old` to `new`; null equals a missing value, `__x` keys are skipped."""
    return list(_object(_visible(old), _visible(new), ""))


def property_names(path: str) -> tuple[str, ...]:
    """The names along a path without list indexes: `rules[0].port` -> ("rules", "port")."""
    quoted = re.findall(r'\["((?:[^"\\]|\\.)*)"\]|\[\d+\]|([^.\[\]]+)', path)
    return tuple(key or name for key, name in quoted if key or name)


def _visible(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if not key.startswith("__")}


def _object(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[Change]:
    for key in sorted({*old, *new}):
        yield from _value(old.get(key), new.get(key), _join(path, key))


def _value(old: Any, new: Any, path: str) -> Iterator[Change]:
    old, new = _open(old), _open(new)
    if old is None and new is None:
        return
    if old is None:
        yield Change(path, Kind.ADD)
    elif new is None:
        yield Change(path, Kind.DELETE)
    elif is_object(old) and is_object(new):
        yield from _object(old, new, path)
    elif is_list(old) and is_list(new):
        for index in range(max(len(old), len(new))):
            yield from _value(
                old[index] if index < len(old) else None, new[index] if index < len(new) else None, f"{path}[{index}]"
            )
    elif new is UNKNOWN or old != new:
        yield Change(path, Kind.UPDATE)


def _open(value: Any) -> Any:
    return value.value if isinstance(value, Secret) else value


def _join(path: str, key: str) -> str:
    if re.fullmatch(r"[A-Za-z_$][\w$]*", key):
        return f"{path}.{key}" if path else key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{escaped}"]'


class Act(Enum):
    """The kind of a request."""

    CREATE = auto()
    UPDATE = auto()
    DELETE = auto()
    READ = auto()


class CloudError(Error):
    """The API's refusal of a request, with its own text."""


class SettingError(CloudError):
    """A provider lacks a setting. key: its name in a stack's configuration, with the package. example: a value."""

    def __init__(self, message: str, key: str, example: str) -> None:
        super().__init__(message)
        self.key = key
        self.example = example


class UnansweredError(CloudError):
    """A data source without a known answer, which requires an account."""


class BusyError(CloudError):
    """A refusal that the provider retries: another operation is in progress, and will end.

    seconds: until its end.
    """

    def __init__(self, message: str, seconds: float) -> None:
        super().__init__(message)
        self.seconds = seconds


class AgainError(CloudError):
    """A refusal that the provider retries for a while. tries: how often."""

    def __init__(self, message: str, tries: int) -> None:
        super().__init__(message)
        self.tries = tries


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource of one operation.

    urn: identity in the stack, ends in the logical name.
    inputs: the program's, after Check.
    old_inputs, outputs, id: of the existing resource; empty for a new one.
    """

    urn: str
    type: ResourceType
    inputs: Mapping[str, Any]
    old_inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    id: str = ""

    @property
    def token(self) -> str:
        """The type token, e.g. `aws:ec2/vpc:Vpc`."""
        return self.type.token

    @property
    def logical_name(self) -> str:
        """The resource's name in the program."""
        return urn_name(self.urn)


@dataclass(frozen=True, kw_only=True)
class CreatedResource:
    """The result of a create or an update.

    name: the name in the cloud, empty if it has none.
    outputs: values that the cloud adds to the inputs, or derives from them.
    """

    id: str
    name: str
    outputs: Mapping[str, Any]


class Account(ABC):
    """One configured provider: an account and region, or a Kubernetes cluster.

    remark: a notice for the user before any resource is created; may be empty.
    invents: whether a resource that a program only reads has a made-up answer if the sandbox does not have it.
    looked_up: what is known only from made-up answers; no request is refused for it.
    """

    remark: str = ""
    invents: bool = True
    looked_up: Collection[str] = ()

    @property
    def place(self) -> Mapping[str, Any]:
        """The default place of data sources: the arguments for it, such as `region`."""
        return {}

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @abstractmethod
    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The region or cluster of a resource with these inputs or outputs."""

    @abstractmethod
    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        """The inputs with the provider's defaults, mainly generated names."""

    def failures(self, resource: Resource) -> list[Failure]:
        """The errors of Check, before planning."""
        return validate(resource.inputs, resource.type)

    @abstractmethod
    def replaces(self, resource: Resource, change: Change) -> bool | None:
        """Whether this change needs a new resource; None if the table has no entry."""

    def check_effective(self, resource: Resource, ineffective: Sequence[Entry]) -> None:
        """Raises CloudError if a request relies on one of these new resources, which the cloud does not apply yet."""
        del resource, ineffective

    def is_modelled(self, resource: Resource) -> bool:
        """Whether ids and computed outputs have the cloud's real form; otherwise they only resemble it, or are
        empty.
        """
        return True

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        """The outputs that depend only on inputs and provider settings, such as default tags."""
        return {}

    @abstractmethod
    def known(self, resource: Resource) -> Mapping[str, Any]:
        """The outputs other than inputs that are known, or known to be unknown, in a preview."""

    def rehearse(self, resource: Resource) -> None:
        """Called for each create and update in a preview; raises CloudError if the API already refuses."""
        return

    def name(self, resource: Resource) -> str:
        """The name of a resource in the cloud, empty if it has none."""
        return ""

    @abstractmethod
    def create(self, resource: Resource) -> CreatedResource:
        """Creates a resource; raises CloudError if the API would refuse."""

    @abstractmethod
    def update(self, resource: Resource) -> CreatedResource:
        """Changes a resource in place; raises CloudError if the API would refuse."""

    def before_update(self, resource: Resource) -> tuple[Mapping[str, Any], str] | None:
        """The inputs after the first request of an update for which the provider makes two, and a notice about it for
        the user, which may be empty; None for a single request.
        """
        return None

    def delete(self, entry: Entry) -> bool:
        """Deletes a resource together with its dependent resources; returns whether it is deleted.

        Raises CloudError if the API would refuse the deletion.
        """
        return True

    def read(self, entry: Entry) -> Entry:
        """The resource as returned by the API, which may contain more than the request."""
        return entry

    def deletes_first(self, resource: Resource) -> bool:
        """Whether a replacement must delete the old resource first, because its name can exist only once."""
        return False

    @abstractmethod
    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer of a data source; raises UnansweredError if it has none."""


class Cloud(ABC):
    """One provider package.

    checked: whether settings are validated against the SDK.
    lasts: seconds that operations continue after the answer, unless a scenario specifies a duration.
    """

    package: str
    checked: bool = True
    lasts: float = 0.0

    def resource_type(self, schema: Schema, token: str) -> ResourceType | None:
        """The type of a token, None if the provider does not have it."""
        return schema.resource_type(token)

    def function(self, schema: Schema, token: str) -> ResourceType | None:
        """The outputs of a data source, None if the provider does not have it."""
        return schema.resource_type(token)

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """The errors in the provider's own configuration."""
        return []

    def config_replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
        """The changed settings that select another account, region or cluster, so that all its resources are
        replaced.
        """
        return []

    @abstractmethod
    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        """A provider with this configuration; raises CloudError if the configuration cannot work."""

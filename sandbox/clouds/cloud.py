# ruff: noqa: ARG002 - what a cloud does not override takes arguments it does not use
"""What one simulated cloud must answer; the engine's protocol around it is the same for all (`provider.py`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from gpucluster.errors import Error
from gpucluster.sandbox.clouds.diff import Change
from gpucluster.sandbox.clouds.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.schema import ResourceType, Schema
from gpucluster.sandbox.clouds.validate import Failure, validate
from gpucluster.sandbox.urns import urn_name


class Act(Enum):
    """What a request asks for."""

    CREATE = auto()
    UPDATE = auto()
    DELETE = auto()
    READ = auto()


class CloudError(Error):
    """What the cloud's API answers to a request it refuses, in its own words."""


class UnansweredError(CloudError):
    """A data source of which nothing is known without an account."""


class BusyError(CloudError):
    """A refusal that the provider answers by asking again: something else goes on, and ends.

    until: when it ends, in seconds since the epoch.
    """

    def __init__(self, message: str, until: float) -> None:
        super().__init__(message)
        self.until = until


class AgainError(CloudError):
    """A refusal that the provider answers by asking again, for a while. tries: how often."""

    def __init__(self, message: str, tries: int) -> None:
        super().__init__(message)
        self.tries = tries


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource of one operation.

    urn: identity in the stack, ends in the logical name.
    inputs: what the program asks for, after Check.
    old_inputs, outputs, id: what is there already; empty for a new resource.
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
        """The name the program gives it."""
        return urn_name(self.urn)


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a create or an update leaves behind.

    name: the name in the cloud, empty where there is none.
    outputs: what the cloud adds to the inputs or makes of them.
    """

    id: str
    name: str
    outputs: Mapping[str, Any]


class Account(ABC):
    """One configured provider: an account and region, or a Kubernetes cluster.

    remark: what its user should know before anything is made, empty where there is nothing to say.
    """

    remark: str = ""

    @property
    def place(self) -> Mapping[str, Any]:
        """Where a data source looks that names no place: the arguments for it, such as `region`."""
        return {}

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    @abstractmethod
    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        """The region or cluster in which a resource with these inputs or outputs lives."""

    @abstractmethod
    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        """The inputs with what the provider fills in, above all generated names."""

    def failures(self, resource: Resource) -> list[Failure]:
        """What Check refuses, before anything is planned."""
        return validate(resource.inputs, resource.type)

    @abstractmethod
    def replaces(self, resource: Resource, change: Change) -> bool | None:
        """Whether this change needs a new resource; None when the table does not say."""

    def is_modelled(self, resource: Resource) -> bool:
        """Whether ids and computed outputs are of the cloud's form; else they only look the part, or are empty."""
        return True

    def derived(self, resource: Resource) -> Mapping[str, Any]:
        """The outputs that follow from inputs and provider settings alone, such as default tags."""
        return {}

    @abstractmethod
    def known(self, resource: Resource) -> Mapping[str, Any]:
        """The outputs beside the inputs that are known, or known to be unknown, while previewing."""

    def rehearse(self, resource: Resource) -> None:
        """Asked of each create and update while previewing; raises CloudError where the API already refuses."""
        return

    def name(self, resource: Resource) -> str:
        """The name that a resource bears in the cloud, empty where it has none."""
        return ""

    @abstractmethod
    def create(self, resource: Resource) -> Made:
        """Makes a resource; raises CloudError where the API would refuse."""

    @abstractmethod
    def update(self, resource: Resource) -> Made:
        """Changes a resource in place; raises CloudError where the API would refuse."""

    def delete(self, entry: Entry) -> bool:
        """Whether the resource is gone afterwards; what else goes with it goes here.

        Raises CloudError where the API would refuse to delete.
        """
        return True

    def read(self, entry: Entry) -> Entry:
        """The resource as the API tells it, which may be more than what was asked of it."""
        return entry

    def deletes_first(self, resource: Resource) -> bool:
        """Whether a replacement must delete the old resource first, because its name can exist only once."""
        return False

    @abstractmethod
    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer of a data source; raises UnansweredError for one it has no answer to."""


class Cloud(ABC):
    """One provider package.

    checked: whether settings are held against the SDK.
    lasts: seconds that operations go on after the answer, where a scenario says nothing of them.
    """

    package: str
    checked: bool = True
    lasts: float = 0.0

    def resource_type(self, schema: Schema, token: str) -> ResourceType | None:
        """The type behind a token, None when the provider does not have it."""
        return schema.resource_type(token)

    def function(self, schema: Schema, token: str) -> ResourceType | None:
        """The outputs of a data source, None when the provider does not have it."""
        return schema.resource_type(token)

    def check_config(self, config: Mapping[str, Any]) -> list[Failure]:
        """What is wrong with the provider's own configuration."""
        return []

    def config_replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
        """The changed settings that mean another account, region or cluster, so that everything in it is replaced."""
        return []

    @abstractmethod
    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        """A provider with this configuration; raises CloudError for one that cannot work."""

"""Asks the account of a stack, of whatever cloud."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, cast

from gpucluster.components.stack.stack_config import StackConfig
from gpucluster.errors import InputError
from gpucluster.operate.account.inventory import ResourceKind
from gpucluster.operate.clients.cannot_ask import CannotAsk

KEYS: Final = ("pulumi-project", "pulumi-stack")
"""Labels that belong to one stack of one project."""


class NotInstalled(InputError):
    """The SDK of a cloud is an extra."""


class Inventory(Protocol):
    """A module of a cloud, `gpucluster.operate.account.inventories.aws` and its like; importing it loads the cloud's
    SDK.
    """

    def labels_of(self, project: str, stack: str, /) -> Mapping[str, str]:
        """Both labels of a stack, in the cloud's form."""
        ...

    def log_in(self, location: Any, /) -> object:
        """Raises CannotAsk if the login is not good for the account of a location."""
        ...

    def found(self, location: Any, labels: Mapping[str, str], name: str, stack: str, /) -> Sequence[ResourceKind]:
        """What still exists. name: of the spec, with which names begin. Raises CannotAsk."""
        ...


def inventory(config: StackConfig, project: str) -> list[ResourceKind]:
    """The resources of a stack that exist. Raises InputError for a missing place, SDK or login, and whatever the cloud
    refuses.
    """
    if config.cloud is None or config.location is None or config.spec is None:
        raise InputError(config.source, [config.named(problem) for problem in config.problems])
    cloud = _cloud(config.cloud)
    try:
        found = cloud.found(
            config.location, cloud.labels_of(project, config.stack), config.spec.read().name, config.stack
        )
    except CannotAsk as error:
        raise InputError(f"account: {_line(error)}") from None
    # Names of buckets contain no region.
    return [replace(thing, place=thing.place or config.location.region) for thing in found]


def cannot_log_in(config: StackConfig) -> str:
    """Why the login is not good for a stack's account; empty if it is, or if the cloud's SDK is not installed."""
    if config.cloud is None or config.location is None:
        return ""
    try:
        _cloud(config.cloud).log_in(config.location)
    except NotInstalled:
        return ""
    except CannotAsk as error:
        return _line(error)
    return ""


def _line(error: CannotAsk) -> str:
    todo = ": ".join(part for part in (error.fix, f"`{error.command}`" if error.command else "") if part)
    return f"{error.reason}{f'; {todo}' if todo else ''}"


def _cloud(name: str) -> Inventory:
    try:
        return cast(Inventory, importlib.import_module(f"gpucluster.operate.account.inventories.{name}"))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("gpucluster"):
            raise
        raise NotInstalled(
            f"leftovers asks {name} by its own SDK, which is not installed ({error.name}): install gpucluster with the "
            f"extra account-{name}"
        ) from None

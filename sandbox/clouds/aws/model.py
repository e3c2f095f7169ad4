"""How a resource type of AWS behaves: its id and the outputs the cloud computes. One small function per type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sandbox.clouds.aws import identity
from sandbox.clouds.ledger import Entry, Ledger

__all__ = ["MODELS", "Model", "Thing", "models"]

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Thing:
    """A resource while it is made or changed, all values in plain sight.

    name: its name in the cloud, empty where the type has none.
    scope: where the ledger keeps it: its region, or "global".
    region: its region, empty for global types.
    previous: its outputs before this update, empty for a new one.
    tags: its own over the provider's default ones.
    changed: the inputs that this update changes.
    """

    token: str
    id: str
    name: str
    scope: str
    region: str
    inputs: Mapping[str, Any]
    previous: Mapping[str, Any]
    tags: Mapping[str, str]
    changed: frozenset[str]
    ledger: Ledger

    def keep(self, output: str, make: Callable[[], _T]) -> _T:
        """An output that stays what it was over updates."""
        return self.previous[output] if self.previous.get(output) is not None else make()

    def arn(self, service: str, path: str) -> str:
        """An ARN in this thing's region."""
        return identity.arn(service, self.region, path)

    def others(self, token: str) -> list[Entry]:
        """The things of a type in the same region, this one left out."""
        found = self.ledger.find("aws", self.scope, token)
        return [entry for entry in found if not (self.previous and token == self.token and entry.id == self.id)]

    def other(self, token: str, id_: Any) -> Entry | None:
        """The thing with this id in the same region."""
        return self.ledger.get("aws", self.scope, token, id_) if isinstance(id_, str) else None


@dataclass(frozen=True, kw_only=True)
class Model:
    """One type.

    id: makes the id of a new thing.
    outputs: what the cloud computes; called after a create and after each update.
    defaults: outputs for inputs that are left out.
    changing: computed outputs that an update changes, so a preview does not know them.
    keeping: inputs whose change leaves those outputs as they are.
    nested: input object -> keys the cloud adds to it.
    """

    id: Callable[[Thing], str]
    outputs: Callable[[Thing], Mapping[str, Any]]
    defaults: Mapping[str, Any]
    changing: tuple[str, ...]
    keeping: frozenset[str]
    nested: Mapping[str, tuple[str, ...]]


MODELS: dict[str, Model] = {}
"""By type token, filled by the modules of `models/`."""


def models(
    token: str,
    *,
    id: str | Callable[[Thing], str],
    defaults: Mapping[str, Any] | None = None,
    changing: tuple[str, ...] = (),
    keeping: frozenset[str] = frozenset({"tags"}),
    nested: Mapping[str, tuple[str, ...]] | None = None,
) -> Callable[[Callable[[Thing], Mapping[str, Any]]], Callable[[Thing], Mapping[str, Any]]]:
    """Registers a function as the computed outputs of a type; a string id is the prefix of an EC2-style id."""

    def register(outputs: Callable[[Thing], Mapping[str, Any]]) -> Callable[[Thing], Mapping[str, Any]]:
        def make_id(thing: Thing) -> str:
            return identity.hex_id(id) if isinstance(id, str) else id(thing)

        MODELS[token] = Model(
            id=make_id,
            outputs=outputs,
            defaults=defaults or {},
            changing=changing,
            keeping=keeping,
            nested=nested or {},
        )
        return outputs

    return register

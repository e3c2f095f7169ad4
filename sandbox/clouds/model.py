"""Random names and ids, reproducible from the engine's seed if it sends one."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

DEFAULTS_KEY: Final = "__defaults"
"""Input in which the bridged providers list the properties with their own defaults."""


def random_hex(length: int) -> str:
    """`length` random hexadecimal digits."""
    return secrets.token_hex((length + 1) // 2)[:length]


def hex_suffix(seed: bytes, length: int) -> str:
    """`length` hexadecimal digits from the engine's random seed; random without a seed.

    The engine sends one seed per resource in each Check of an operation, so that a preview and the following update
    have the same name.
    """
    return hashlib.sha256(seed).hexdigest()[:length] if seed else random_hex(length)


def is_generated(inputs: Mapping[str, Any], prop: str) -> bool:
    """Whether the provider, not the program, chose this input."""
    return prop in items(inputs.get(DEFAULTS_KEY))


_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class ManagedResource:
    """A resource during a create or update, all values in plain text.

    provider: its package, such as `aws`.
    name: its name in the cloud, empty if the type has none.
    scope: its scope in the ledger.
    previous: its outputs before this update, empty for a new one.
    changed: the inputs that this update changes.
    """

    provider: str
    token: str
    id: str
    name: str
    scope: str
    inputs: Mapping[str, Any]
    previous: Mapping[str, Any]
    changed: frozenset[str]
    ledger: Ledger

    def keep(self, output: str, make: Callable[[], _T]) -> _T:
        """An output that keeps its value in updates."""
        return self.previous[output] if self.previous.get(output) is not None else make()

    def others(self, token: str, *mentioning: Any) -> list[Entry]:
        """The other resources of a type in the same scope.

        mentioning: texts of which a resource must have at least one, as found by `Ledger.mentioning`; by default all.
        """
        if mentioning:
            found = self.ledger.mentioning({token}, *(str(text) for text in mentioning))
        else:
            found = self.ledger.find(self.provider, self.scope, token)
        return self.beside(found)

    def beside(self, found: Iterable[Entry]) -> list[Entry]:
        """The other resources in the same scope."""
        own = (self.token, self.id) if self.previous else None
        return [entry for entry in found if entry.scope == self.scope and (entry.type, entry.id) != own]

    def other(self, token: str, id_: Any) -> Entry | None:
        """The resource with this id in the same scope."""
        return self.ledger.get(self.provider, self.scope, token, id_) if isinstance(id_, str) else None


_ManagedResource = TypeVar("_ManagedResource", bound=ManagedResource)
_Outputs = Callable[[_ManagedResource], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Model(Generic[_ManagedResource]):
    """One type.

    id: creates the id of a new resource.
    outputs: the cloud's computed outputs; called after a create and after each update.
    defaults: outputs for omitted inputs.
    changing: computed outputs that an update changes, so they are unknown in a preview.
    keeping: inputs whose change does not affect those outputs.
    nested: path of an input object, or of a list of them -> keys the cloud adds to each.
    """

    id: Callable[[_ManagedResource], str]
    outputs: Callable[[_ManagedResource], Mapping[str, Any]]
    defaults: Mapping[str, Any]
    changing: tuple[str, ...]
    keeping: frozenset[str]
    nested: Mapping[str, tuple[str, ...]]


class Models(dict[str, Model[_ManagedResource]]):
    """The models of a cloud by type token, filled by the modules of its folder `models/`."""

    def __init__(self, keeping: frozenset[str]) -> None:
        super().__init__()
        self._keeping = keeping

    def register(
        self,
        token: str,
        *,
        id: Callable[[_ManagedResource], str],
        defaults: Mapping[str, Any] | None = None,
        changing: tuple[str, ...] = (),
        keeping: frozenset[str] | None = None,
        nested: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Callable[[_Outputs[_ManagedResource]], _Outputs[_ManagedResource]]:
        """Registers a function as the computed outputs of a type."""

        def register(outputs: _Outputs[_ManagedResource]) -> _Outputs[_ManagedResource]:
            self[token] = Model(
                id=id,
                outputs=outputs,
                defaults=defaults or {},
                changing=changing,
                keeping=self._keeping if keeping is None else keeping,
                nested=nested or {},
            )
            return outputs

        return register


def load(path: Iterable[str], package: str) -> None:
    """Imports every module of a package, so that each registers its functions."""
    for module in pkgutil.iter_modules(path, f"{package}."):
        importlib.import_module(module.name)

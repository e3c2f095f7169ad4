"""Modelled clouds: ids, names and computed outputs of each type, and the rules by which the real APIs refuse requests.

Columns: type, properties (paths without indexes, separated by blanks), replace (yes, no or unknown), source.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import pkgutil
import re
import secrets
from abc import abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Generic, TypeVar

from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.text.type_guards import is_list, is_object, items, mapping
from gpucluster.sandbox.clouds.cloud import Account, CloudError, CreatedResource, Resource, changes, property_names
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN

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
        return self.others_of(found)

    def others_of(self, found: Iterable[Entry]) -> list[Entry]:
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


_Subject = TypeVar("_Subject")
_Rule = Callable[[_Subject], None]


class Rules(Generic[_Subject]):
    """Rules by type token; "*" is for all types."""

    def __init__(self) -> None:
        self._rules: dict[str, list[_Rule[_Subject]]] = {}

    def rule(self, *tokens: str) -> Callable[[_Rule[_Subject]], _Rule[_Subject]]:
        """Registers a function as a rule of these types."""

        def register(function: _Rule[_Subject]) -> _Rule[_Subject]:
            for token in tokens:
                self._rules.setdefault(token, []).append(function)
            return function

        return register

    def enforce(self, token: str, subject: _Subject, looked_up: Collection[str] = ()) -> None:
        """Raises the API's error when a request breaks a rule of its type, but none about what is only looked up."""
        for rule in (*self._rules.get("*", ()), *self._rules.get(token, ())):
            try:
                rule(subject)
            except Exception as error:
                if not any(re.search(rf"{re.escape(text)}(?![\w-])", str(error)) for text in [*looked_up]):
                    raise


def texts(value: Any, path: str) -> Iterator[str]:
    """Every text at a path without numbers of list items, such as `vpcConfig.subnetIds[]`."""
    name, _, rest = path.partition(".")
    inner = mapping(value).get(name.removesuffix("[]"))
    for item in items(inner) if name.endswith("[]") else [inner]:
        if rest:
            yield from texts(item, rest)
        elif isinstance(item, str):
            yield item


@cache
def rows_by_type(file: str) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """The rows of a table with a column `type`. file: its path in the repository."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in read_rows(file):
        found.setdefault(row["type"], []).append(row)
    return found


_ANSWERS: Mapping[str, bool | None] = {"yes": True, "no": False, "unknown": None}


def listed(file: str, token: str, path: tuple[str, ...]) -> bool | None:
    """The entry of a property in a cloud's table of replacements; None if it is unknown.

    The longest listed path counts: a row for `launchTemplate.id` overrides one for `launchTemplate`.
    """
    rows = {
        tuple(prop.split(".")): _ANSWERS[row["replace"]]
        for row in rows_by_type(file).get(token, ())
        for prop in row["properties"].split()
    }
    return next((rows[path[:depth]] for depth in range(len(path), 0, -1) if path[:depth] in rows), None)


_log = logging.getLogger(__name__)


class Modelled(Account, Generic[_ManagedResource]):
    """Creates resources by their models and rules; a type without a model has a plain id."""

    def __init__(
        self, ledger: Ledger, models: Mapping[str, Model[_ManagedResource]], rules: Rules[_ManagedResource]
    ) -> None:
        super().__init__(ledger)
        self._models = models
        self._rules = rules

    @abstractmethod
    def managed(self, resource: Resource, id_: str = "") -> _ManagedResource:
        """The resource in the form that models and rules use."""

    @abstractmethod
    def name_property(self, resource: Resource) -> str | None:
        """The input with the name of a resource, None for types without one."""

    def name(self, resource: Resource) -> str:
        with _malformed_is_refused(resource):
            return self.managed(resource, resource.id).name

    def deletes_first(self, resource: Resource) -> bool:
        """As the bridge: a name that the program chose cannot exist twice."""
        prop = self.name_property(resource)
        if prop is None or resource.inputs.get(prop) is None:
            return False
        same = resource.inputs[prop] == resource.old_inputs.get(prop)
        return same and not is_generated(resource.inputs, prop)

    def is_modelled(self, resource: Resource) -> bool:
        return resource.token in self._models

    @abstractmethod
    def plain_id(self, managed: _ManagedResource) -> str:
        """The id of a resource without a model."""

    @abstractmethod
    def plain_outputs(self, resource: Resource, managed: _ManagedResource) -> Mapping[str, Any]:
        """The computed outputs of a resource without a model."""

    def known(self, resource: Resource) -> Mapping[str, Any]:
        found = dict(self.derived(resource))
        model = self._models.get(resource.token)
        if model is None:
            return found
        moved = changed_inputs(resource)
        for path, keys in model.nested.items():
            name, *inner = path.split(".")
            given = found.get(name, resource.inputs.get(name))
            if given is not None and (not resource.outputs or name in moved):
                found[name] = _with_computed(given, resource.outputs.get(name), inner, keys)
        changing = model.changing if moved - model.keeping else ()
        return found | dict.fromkeys(changing, UNKNOWN)

    def create(self, resource: Resource) -> CreatedResource:
        with _malformed_is_refused(resource):
            managed = self.managed(resource)
            model = self._models.get(resource.token)
            id_ = self.plain_id(managed) if model is None else model.id(managed)
            return self._made(resource, model, self.managed(resource, id_))

    def update(self, resource: Resource) -> CreatedResource:
        with _malformed_is_refused(resource):
            return self._made(resource, self._models.get(resource.token), self.managed(resource, resource.id))

    def _made(
        self, resource: Resource, model: Model[_ManagedResource] | None, managed: _ManagedResource
    ) -> CreatedResource:
        self._rules.enforce(managed.token, managed, self.looked_up)
        computed: dict[str, Any] = dict(self.derived(resource))
        if model is None:
            computed |= self.plain_outputs(resource, managed)
        else:
            left_out = {key: value for key, value in model.defaults.items() if resource.inputs.get(key) is None}
            computed |= left_out
            computed |= {
                key: value for key, value in model.outputs(managed).items() if value != managed.inputs.get(key)
            }
        return CreatedResource(id=managed.id, name=managed.name, outputs=computed)


@contextmanager
def _malformed_is_refused(resource: Resource) -> Generator[None]:
    """Refuses inputs that a rule or a model cannot parse, such as a word instead of an address: no API accepts them."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as fault:
        _log.exception("cannot read the inputs of %s", resource.urn)
        reason = f"an input of {resource.logical_name} has a form that no API takes: {fault}"
        raise CloudError(f"creating {resource.token}: {reason}") from fault


def changed_inputs(resource: Resource) -> frozenset[str]:
    """The inputs that an update changes; none for a new resource."""
    found = changes(resource.old_inputs, resource.inputs) if resource.outputs else []
    return frozenset(property_names(change.path)[0] for change in found)


def _with_computed(value: Any, was: Any, path: Sequence[str], keys: Sequence[str]) -> Any:
    """An input with keys that the cloud adds to the object at this path, or to each object of the list there.

    was: the corresponding output before an update, which keeps its values; missing ones are unknown.
    """
    if is_list(value):
        before = [*items(was), *[None] * len(value)]
        return [_with_computed(item, old, path, keys) for item, old in zip(value, before, strict=False)]
    if not is_object(value):
        return value
    old = mapping(was)
    if path:
        inner = value.get(path[0])
        if inner is None:
            return value
        return {**value, path[0]: _with_computed(inner, old.get(path[0]), path[1:], keys)}
    computed = {key: UNKNOWN if old.get(key) is None else old[key] for key in keys}
    return {**computed, **{key: item for key, item in value.items() if item is not None}}

"""GPU nodes that train together, regardless of cloud and of the resource that starts them."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, cast

from gpucluster.core.catalog.clouds import modules_of
from gpucluster.core.catalog.machines import has_gpus, machines, unlisted
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Place, Violation


@dataclass(frozen=True, kw_only=True)
class Machines(ABC):
    """GPU nodes that one resource starts.

    machine: machine type; None if none is given.
    nodes: the maximum number.
    template: their launch template; None without one, UNKNOWN if the stack does not contain it.
    """

    resource: Resource
    machine: str | Unknown | None
    nodes: int | Unknown
    template: Resource | Unknown | None = None

    template_is: ClassVar[str] = "launch template"

    @property
    @abstractmethod
    def surely_on_fabric(self) -> bool:
        """Whether they certainly are several nodes that train together."""

    @property
    @abstractmethod
    def with_gpus(self) -> bool:
        """Whether each of them certainly has GPUs."""

    @property
    def unlisted(self) -> bool:
        """Whether their type belongs to a training family, but is not in our table."""
        return False

    @property
    @abstractmethod
    def sliced(self) -> bool:
        """Whether their GPUs are MIG slices."""

    @property
    @abstractmethod
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """Node labels from the program; UNKNOWN if all are unknown."""

    @property
    def hidden(self) -> str | None:
        """Why it is undecidable whether they are GPU nodes that train together, and which; None if it is decidable."""
        if self.machine is UNKNOWN:
            return "its machine type is not known yet"
        if self.machine is None and self.template is UNKNOWN:
            return f"its {self.template_is}, which has its machine type, is not part of this stack"
        return f"machine type {self.machine} is not in the table of known machine types" if self.unlisted else None

    @property
    def name(self) -> str:
        """Their name in lists with others."""
        return self.resource.name

    @property
    def label(self) -> str:
        """Their description, e.g. `5 nodes of p5.48xlarge`."""
        of = f" of {self.machine}" if isinstance(self.machine, str) else ""
        count = "" if self.nodes is UNKNOWN else f"{self.nodes} "
        return f"{count}{'' if of else 'GPU '}node{'' if self.nodes == 1 else 's'}{of}"

    def template_not_visible(self) -> CannotTell:
        return CannotTell(self.resource, f"its {self.template_is} is not part of this stack")

    def finding(self, what: str, fix: str | None = None) -> Violation | CannotTell:
        """A violation if they certainly are several nodes that train together, else a result with the open question."""
        if self.nodes is UNKNOWN:
            return CannotTell(self.resource, f"{what}; its number of nodes is not known yet")
        if not self.surely_on_fabric:
            return CannotTell(self.resource, f"{what}; {self.hidden or 'whether they train together is unknown'}")
        return Violation(self.resource, what, fix)


@dataclass(frozen=True, kw_only=True)
class DeclaredPool:
    """A node pool as declared, separately or inside its cluster.

    resource: the node pool, or the cluster that contains it.
    inputs: in the form of a separate node pool of the cloud's Kubernetes service.
    prop: the input of the cluster that contains it; None for a separate resource.
    place: path of `inputs` in those of the resource.
    managed: whether it belongs to that service; else it is a group of machines in the form of a node pool.
    origins: for such a group, URNs on which each input of the node pool depends.
    template: the group's instance template; UNKNOWN if the stack does not contain it.
    """

    resource: Resource
    inputs: Mapping[str, Any]
    prop: str | None = None
    place: Place = ()
    managed: bool = True
    origins: Mapping[str, tuple[str, ...]] | None = None
    template: Resource | Unknown | None = None

    node_labels: ClassVar[tuple[str, ...]]
    """Path of the node labels in its inputs."""

    @property
    def name(self) -> str:
        return self.resource.name

    def at(self, *path: str | int) -> Any:
        return at(self.inputs, *path)

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """Node labels from the program; UNKNOWN if all are unknown."""
        return labels_at(self.at(*self.node_labels))

    def dependencies(self, prop: str) -> tuple[str, ...]:
        """URNs on which an input depends."""
        if self.origins is not None:
            return self.origins.get(prop, ())
        return self.resource.dependencies.get(self.prop or prop, ())

    def referred(self, resources: Resources, prop: str, type_: str) -> Resource | None:
        """The resource on which input `prop` depends, if the source of a separate pool contains that."""
        made = resources.present(self.dependencies(prop))
        return next((found for found in made if found.type == type_), None)


@dataclass(frozen=True, kw_only=True)
class PoolMachines(Machines):
    """Nodes of a declared pool.

    cluster: its cluster; None if it is not in this stack.
    """

    declared: DeclaredPool
    cluster: Resource | None

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        return self.declared.own_labels


def label_of(pool: Sequence[Machines]) -> str:
    """Description of a pool, e.g. `4 nodes of p5.48xlarge (a, b)`; those of several resources with their names."""
    if len(pool) == 1:
        return pool[0].label
    counts = [machines.nodes for machines in pool if isinstance(machines.nodes, int)]
    count = f"{sum(counts)} " if len(counts) == len(pool) else ""
    return f"{count}nodes of {pool[0].machine} ({', '.join(f'`{machines.name}`' for machines in pool)})"


_Some = TypeVar("_Some", bound=Machines)


def several(found: Iterable[tuple[Hashable, _Some]]) -> Iterator[tuple[_Some, ...]]:
    """The machines of each key, if they are or may be more than one node, ordered by name."""
    pools: dict[Hashable, list[_Some]] = {}
    for key, one in found:
        pools.setdefault(key, []).append(one)
    for pool in pools.values():
        counts = [one.nodes for one in pool]
        if UNKNOWN in counts or sum(count for count in counts if isinstance(count, int)) > 1:
            yield tuple(sorted(pool, key=lambda one: one.name))


def counting(cloud: str, types: Iterable[str | Unknown | None]) -> str | Unknown | None:
    """The decisive type for rules about training: full GPU nodes, else possible ones, else the first."""
    found = [type_ for type_ in types if type_ is not None]
    known = [type_ for type_ in found if isinstance(type_, str)]
    whole_nodes = [type_ for type_ in known if type_ in machines() and machines()[type_].whole_node]
    not_listed = [type_ for type_ in known if unlisted(cloud, type_)]
    with_gpus = [type_ for type_ in known if has_gpus(cloud, type_)]
    open_ = [UNKNOWN] if UNKNOWN in found else []
    return next(iter((*whole_nodes, *not_listed, *open_, *with_gpus, *known)), None)


class CloudPools(Protocol):
    """The module `pools` of a cloud.

    READS: the resource types that start nodes, and their templates. machines_of: everything that starts
    machines. training_pools: each training pool of a stack, as its machines.
    names_gpus: whether a word is a GPU machine type, or a GPU name, of this cloud.
    """

    @property
    def READS(self) -> str: ...
    @property
    def names_gpus(self) -> Callable[[str], bool]: ...
    @property
    def machines_of(self) -> Callable[[Resources], Sequence[Machines]]: ...
    @property
    def training_pools(self) -> Callable[[Resources], Sequence[tuple[Machines, ...]]]: ...


@functools.cache
def cloud_pools() -> Mapping[str, CloudPools]:
    """Those of every cloud that has any, by its name."""
    found = modules_of("gpucluster.policies.clouds.{cloud}.pools")
    return {cloud.name: cast(CloudPools, module) for cloud, module in found}

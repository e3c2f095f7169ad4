"""GPU nodes that train together, regardless of cloud and of the resource that starts them."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar, cast

from gpucluster.core.catalog.clouds import modules_of
from gpucluster.core.catalog.machines import Machine, has_gpus, machines, unlisted
from gpucluster.core.program.inventory import cluster_of
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.kubernetes.pool_labels import (
    POOL_LABEL,
    flavor_labels,
    for_training,
    single_node_label,
    sliced_by_label,
)
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Finding, Place, Violation


@dataclass(frozen=True, kw_only=True)
class Machines(ABC):
    """GPU nodes that one resource starts.

    machine: machine type; None if none is given.
    nodes: the maximum number.
    template: their launch template; None without one, UNKNOWN if the stack does not contain it. not_visible: why.
    """

    resource: Resource
    machine: str | Unknown | None
    nodes: int | Unknown
    template: Resource | Unknown | None = None
    not_visible: str = "is not part of this stack"

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
    def of_each_counted(self) -> int:
        """Nodes for each that its inputs count: several where they count those of a zone."""
        return 1

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
    def labels(self) -> Mapping[str, Any]:
        """The known node labels; tags replace them where no Kubernetes is."""
        return {} if self.own_labels is UNKNOWN else self.own_labels

    @property
    def known(self) -> Machine | None:
        """Its machine type in the catalog; None if unknown or missing there."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def whole_node(self) -> bool:
        """Whether they certainly have all GPUs of an NVLink domain, as for multi-node training."""
        return self.known is not None and self.known.whole_node

    @property
    def joins(self) -> bool:
        """Whether they are one pool with others of their type."""
        return self.whole_node

    def aside(self, resources: Resources) -> str:
        """The label that excludes multi-node jobs, or how their GPUs are sliced; empty if they are not set aside."""
        return "slices (MIG)" if self.sliced else single_node_label(self.labels, resources)

    @property
    def hidden(self) -> str | None:
        """Why it is undecidable whether they are GPU nodes that train together, and which; None if it is decidable."""
        if self.machine is UNKNOWN:
            return "its machine type is not known yet"
        if self.machine is None and self.template is UNKNOWN:
            return f"its {self.template_is}, which has its machine type, {self.not_visible}"
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
        return CannotTell(self.resource, f"its {self.template_is} {self.not_visible}")

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
    name_labels: ClassVar[tuple[str, ...]]
    """Labels with its name that the cloud sets on every node."""

    @property
    def name(self) -> str:
        return self.resource.name

    def at(self, *path: str | int) -> Any:
        return at(self.inputs, *path)

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        """Node labels from the program; UNKNOWN if all are unknown."""
        return labels_at(self.at(*self.node_labels))

    @property
    def labels(self) -> Mapping[str, Any]:
        """The known node labels."""
        given = self.own_labels
        return {**dict.fromkeys(self.name_labels, self.node_pool), **({} if given is UNKNOWN else given)}

    @property
    def node_pool(self) -> str:
        """Its name in the cluster, as far as it is known."""
        return self.name

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

    @property
    def labels(self) -> Mapping[str, Any]:
        return self.declared.labels


def label_of(pool: Sequence[Machines]) -> str:
    """Description of a pool, e.g. `4 nodes of p5.48xlarge (a, b)`; those of several resources with their names."""
    if len(pool) == 1:
        return pool[0].label
    counts = [machines.nodes for machines in pool if isinstance(machines.nodes, int)]
    count = f"{sum(counts)} " if len(counts) == len(pool) else ""
    return f"{count}nodes of {pool[0].machine} ({', '.join(f'`{machines.name}`' for machines in pool)})"


_Some = TypeVar("_Some", bound=Machines)


def pools_of(found: Sequence[_Some], resources: Resources) -> Iterator[tuple[_Some, ...]]:
    """The machines of each training pool, which are or may be more than one node, ordered by name.

    Full GPU nodes of one type in one cluster are one pool, whichever resources and components start them; without a
    cluster those of one component are if it starts several, else those of the stack. The node label `gpucluster/pool`
    separates pools. So does a label that a Kueue ResourceFlavor selects by, but no single node from the others.
    """
    training = [one for one in found if not one.aside(resources)]
    around = {one.resource.urn: _component(one, resources) for one in training}
    in_component: dict[str, list[_Some]] = {}
    for one in training:
        in_component.setdefault(around[one.resource.urn], []).append(one)
    of_several = {component for component, inside in in_component.items() if component and _several(inside)}
    pools: dict[Hashable, list[_Some]] = {}
    for one in training:
        key: Hashable = (one.resource.urn, one.name)
        if isinstance(one.machine, str) and one.joins:
            component = around[one.resource.urn]
            within = cluster_of(one.resource, resources) or (component if component in of_several else "")
            key = (within, one.machine.lower(), str(one.labels.get(POOL_LABEL)))
        pools.setdefault(key, []).append(one)
    for pool in pools.values():
        for part in _by_flavor(pool, flavor_labels(resources)):
            if _several(part):
                yield tuple(sorted(part, key=lambda one: one.name))


def _component(one: Machines, resources: Resources) -> str:
    component = resources.component_of(one.resource)
    return component.urn if component is not None else ""


def _several(found: Sequence[Machines]) -> bool:
    counts = [one.nodes for one in found]
    return UNKNOWN in counts or sum(count for count in counts if isinstance(count, int)) > 1


def _by_flavor(pool: Sequence[_Some], keys: Sequence[str]) -> Iterator[Sequence[_Some]]:
    """Parts of a pool with different values of these labels; single nodes are one part."""
    parts: dict[Hashable, list[_Some]] = {}
    for one in pool:
        parts.setdefault(tuple(str(one.labels.get(key)) for key in keys), []).append(one)
    yield from (part for part in parts.values() if _several(part))
    if single := [one for part in parts.values() if not _several(part) for one in part]:
        yield single


def without_fabric(machines: Machines) -> Iterator[Finding]:
    """A finding for nodes labelled as training together, with a machine type without a fabric."""
    if (
        not machines.with_gpus
        or not isinstance(machines.machine, str)
        or machines.surely_on_fabric
        or not for_training(machines.labels)
        or machines.sliced
        or sliced_by_label(machines.labels)
    ):
        return
    if machines.nodes is UNKNOWN:
        yield CannotTell(machines.resource, f"{machines.label}, for training: the number of nodes is not known yet")
    elif machines.nodes > 1:
        yield Violation(
            machines.resource,
            f"{machines.label} in the training pool: the machine type has no GPU network",
            "Use an 8-GPU machine type with the cloud's GPU network, or a label other than gpucluster/pool: training.",
        )


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
    """

    @property
    def READS(self) -> str: ...
    @property
    def machines_of(self) -> Callable[[Resources], Sequence[Machines]]: ...
    @property
    def training_pools(self) -> Callable[[Resources], Sequence[tuple[Machines, ...]]]: ...


@functools.cache
def cloud_pools() -> Mapping[str, CloudPools]:
    """Those of every cloud that has any, by its name."""
    found = modules_of("gpucluster.policies.clouds.{cloud}.pools")
    return {cloud.name: cast(CloudPools, module) for cloud, module in found}

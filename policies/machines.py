"""GPU nodes that train together, regardless of cloud and of the resource that starts them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from gpucluster.policies.rule import CannotTell, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.record import record


@record(kw_only=True)
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
    for key, machines in found:
        pools.setdefault(key, []).append(machines)
    for pool in pools.values():
        counts = [machines.nodes for machines in pool]
        if UNKNOWN in counts or sum(count for count in counts if isinstance(count, int)) > 1:
            yield tuple(sorted(pool, key=lambda machines: machines.name))

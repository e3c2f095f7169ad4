"""For each place with GPU machines, whether the rules about such machines checked it: yes; cannot be told, because; or
set aside by a label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gpucluster.core.catalog.machines import machines, unlisted
from gpucluster.core.program.inventory import CLUSTERS, GpuMachines, inventory
from gpucluster.core.program.resources import UNKNOWN, Resources
from gpucluster.policies.clouds.kubernetes.pool_labels import POOL_LABEL, elastic_pools, single_node_label
from gpucluster.policies.clouds.pools import Machines, cloud_pools
from gpucluster.policies.engine.rule import Outcome, Rule

Verdict = Literal["checked", "open", "aside"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """
    checked: names of the rules about such machines that read the place. unread: of those that do not. open: name of a
    rule -> why it cannot be told. aside: what excludes multi-node jobs, mostly a label; empty without any. pool: the
    same for places of one training pool. part: its input, if rules read others of its resource.
    """

    place: GpuMachines
    checked: Sequence[str]
    unread: Sequence[str]
    open: Mapping[str, str]
    aside: str
    pool: str
    part: str

    @property
    def verdict(self) -> Verdict:
        return "aside" if self.aside else "open" if self.open or self.unread else "checked"

    @property
    def why(self) -> str:
        """In one sentence; empty if all rules checked it."""
        if self.aside:
            return f"set aside by {self.aside}"
        if self.unread:
            return f"no rule reads {self.place.resource.type}"
        return next(iter(self.open.values()), "")


def answers(outcomes: Iterable[Outcome], resources: Resources) -> list[Answer]:
    """One for each place of the stack's inventory that starts or may start a machine."""
    given = {outcome.rule.name: outcome for outcome in outcomes}  # resource rules run repeatedly
    rules = [outcome.rule for outcome in given.values()]
    return [_answer(place, rules, given, resources) for place in inventory(resources) if _starts(place)]


def _starts(place: GpuMachines) -> bool:
    return not place.unused and place.numbers.most != 0


def _answer(place: GpuMachines, rules: Sequence[Rule], outcomes: Mapping[str, Outcome], resources: Resources) -> Answer:
    starting = set(_reading(place))
    about = [rule for rule in rules if any(type_ in rule.reads for type_ in starting)]
    read = _read(place, resources)
    # Of a cluster, readers know its node pools alone; of the others, all.
    known = read is not None or (place.resource.type in starting and place.resource.type not in CLUSTERS)
    unread = [rule.name for rule in about if not known and not _reads(rule, place, starting)]
    open_ = {
        rule.name: question.what
        for rule in about
        for question in outcomes[rule.name].unknown
        if question.resource is place.resource
    }
    return Answer(
        place=place,
        checked=[rule.name for rule in about if rule.name not in (*unread, *open_)],
        unread=unread,
        open=open_,
        aside=_aside(place, read, resources),
        pool=_pool(place, resources),
        part=place.path.partition(".")[0] if not known and place.resource.type in starting else "",
    )


def _reading(place: GpuMachines) -> Iterator[str]:
    """The types that start machines on its cloud; on every cloud, if its name is of no single one."""
    for name, cloud in cloud_pools().items():
        if place.cloud in (None, name):
            yield from cloud.READS.split(", ")


def _reads(rule: Rule, place: GpuMachines, starting: set[str]) -> bool:
    """Whether a rule reads the resource on this cloud, as another type than those with a reader of pools."""
    of_cloud = (part for part in rule.reads.split("; ") if any(type_ in part for type_ in starting))
    return place.resource.type not in starting and any(place.resource.type in part for part in of_cloud)


def _read(place: GpuMachines, resources: Resources) -> Machines | None:
    """Its machines as rules about pools read them; None if they do not."""
    named = {name.text.lower() for name in place.names} | {name.machine.lower() for name in place.names}
    for cloud in cloud_pools().values():
        for found in cloud.machines_of(resources):
            if found.resource is place.resource and (found.machine is UNKNOWN or str(found.machine).lower() in named):
                return found
    return None


def _aside(place: GpuMachines, read: Machines | None, resources: Resources) -> str:
    if read is not None:
        return read.aside(resources)
    if place.labels is UNKNOWN or place.resource not in elastic_pools(resources):
        return ""
    label = single_node_label(place.labels, resources)
    pool = place.labels.get(POOL_LABEL)
    # The rule elastic-pools-for-single-nodes reads this label.
    named = f"{POOL_LABEL}: {pool}" if isinstance(pool, str) else ""
    return label or named or ("" if _whole(place) else "its machine type, which is for single nodes")


def _whole(place: GpuMachines) -> bool:
    """Whether the machines may be for multi-node training."""
    for name in place.names:
        known = machines().get(name.machine)
        if (
            known.whole_node
            if known is not None
            else name.gpus >= 8 or not name.machine or (name.cloud is not None and unlisted(name.cloud, name.machine))
        ):
            return True
    return False


def _pool(place: GpuMachines, resources: Resources) -> str:
    for cloud in cloud_pools().values():
        for pool in cloud.training_pools(resources):
            if any(
                one.resource is place.resource and str(one.machine).lower() == place.machine.lower() for one in pool
            ):
                return pool[0].resource.urn
    return f"{place.resource.urn} {place.path}"

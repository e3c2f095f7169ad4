"""For each place with GPU machines, whether the rules about such machines checked it: yes; unknown, because; or
set aside by a label.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from gpucluster.core.catalog.machines import machines, unlisted
from gpucluster.core.program.inventory import CLUSTERS, GpuMachines, inventory
from gpucluster.core.program.resources import UNKNOWN, Resources, once
from gpucluster.policies.clouds.kubernetes.pool_labels import POOL_LABEL, elastic_labels, is_elastic, single_node_label
from gpucluster.policies.clouds.pools import Machines, cloud_pools
from gpucluster.policies.engine.rule import Outcome, Rule

Verdict = Literal["checked", "open", "aside"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """
    checked: names of the rules about such machines that read the place. unread: of those that do not. open: name of a
    rule -> why it is unknown. aside: what excludes multi-node jobs, mostly a label; empty without any. pool: the
    same for places of one training pool. part: its input, if rules read others of its resource. nodes: the largest
    number of machines, as the rules count them; None if unknown.
    """

    place: GpuMachines
    checked: Sequence[str]
    unread: Sequence[str]
    open: Mapping[str, str]
    aside: str
    pool: str
    part: str
    nodes: int | None

    @property
    def gpus(self) -> int | None:
        """Of all its machines; None if unknown."""
        return self.nodes * self.place.gpus if self.nodes and self.place.gpus else None

    @property
    def label(self) -> str:
        """For example `64 p5.48xlarge`."""
        named = ", ".join(name.text for name in self.place.names)
        return f"{self.nodes} {named}" if self.nodes else named

    @property
    def verdict(self) -> Verdict:
        return "aside" if self.aside else "open" if self.open or self.unread or not self.checked else "checked"

    @property
    def why(self) -> str:
        """In one sentence; empty if all rules checked it."""
        if self.aside:
            return f"set aside by {self.aside}"
        if self.unread:
            return f"no rule reads {self.place.resource.type}"
        return next(iter(self.open.values()), "" if self.checked else "no rule about such machines runs")


def summary(found: Sequence[Answer]) -> list[str]:
    """One sentence for each GPU model, e.g. `64 H100 in 3 pools: 2 checked, 1 not`."""
    by_gpu: dict[str, list[Answer]] = {}
    for one in found:
        by_gpu.setdefault(one.place.gpu or "GPUs", []).append(one)
    return [_sentence(gpu, of) for gpu, of in by_gpu.items()]


_VERDICTS: Final[Mapping[Verdict, str]] = {"checked": "checked", "aside": "set aside", "open": "not"}


def _sentence(gpu: str, found: Sequence[Answer]) -> str:
    counts = [one.gpus for one in found]
    total = sum(count for count in counts if count)
    number = f"{'at least ' if None in counts else ''}{total:,} {gpu}" if total else f"{gpu} of unknown number"
    pools: dict[str, Verdict] = {}
    for one in found:
        if pools.get(one.pool) != "open":
            pools[one.pool] = one.verdict
    by_verdict: dict[Verdict, int] = {verdict: [*pools.values()].count(verdict) for verdict in _VERDICTS}
    labels = ", ".join(dict.fromkeys(one.aside for one in found if one.verdict == "aside"))
    parts = [
        f"{count} {_VERDICTS[verdict]}{f' ({labels})' if verdict == 'aside' else ''}"
        for verdict, count in by_verdict.items()
        if count
    ]
    return f"{number} in {len(pools)} pool{'' if len(pools) == 1 else 's'}: {', '.join(parts)}"


def answers(outcomes: Iterable[Outcome], resources: Resources) -> list[Answer]:
    """One for each place of the stack's inventory that starts or may start a machine."""
    rules: dict[str, Rule] = {}
    questions: dict[str, dict[str, str]] = {}
    for outcome in outcomes:  # resource rules run repeatedly
        rules[outcome.rule.name] = outcome.rule
        for question in outcome.unknown:
            if question.resource is not None:
                questions.setdefault(question.resource.urn, {}).setdefault(outcome.rule.name, question.what)
    about = {cloud: [rule for rule in rules.values() if _of_cloud(rule, cloud)] for cloud in (None, *cloud_pools())}

    @functools.cache
    def unread(cloud: str | None, type_: str) -> Sequence[str]:
        return [one.name for one in about[cloud] if type_ not in _of_cloud(one, cloud)]

    return [
        _answer(place, [rule.name for rule in about[place.cloud]], unread, questions, resources)
        for place in inventory(resources)
        if not place.unused and place.numbers.most != 0
    ]


@functools.cache
def _starting(cloud: str | None) -> frozenset[str]:
    """The types that start machines on a cloud; on every cloud, if the name of a machine is of no single one."""
    pools = (of for name, of in cloud_pools().items() if cloud in (None, name))
    return frozenset(type_ for of in pools for type_ in of.READS.split(", "))


def _of_cloud(rule: Rule, cloud: str | None) -> str:
    """What a rule reads on a cloud, of its parts for each one; empty if it reads nothing that starts machines there."""
    parts = (part for part in rule.reads.split("; ") if any(type_ in part for type_ in _starting(cloud)))
    return "; ".join(parts)


def _answer(
    place: GpuMachines,
    about: Sequence[str],
    unread: Callable[[str | None, str], Sequence[str]],
    questions: Mapping[str, Mapping[str, str]],
    resources: Resources,
) -> Answer:
    type_, starting = place.resource.type, _starting(place.cloud)
    read, pool = _read(place, resources)
    # Of a cluster, readers know its node pools alone; of the others, all machines, but not what their user data starts.
    known = read is not None or (
        type_ in starting and type_ not in CLUSTERS and place.resource.urn not in _by_urn(resources)[0]
    )
    not_read: Sequence[str] = [] if known else about if type_ in starting else unread(place.cloud, type_)
    asked = questions.get(place.resource.urn, {})
    most = place.numbers.most if read is None else read.nodes
    return Answer(
        place=place,
        nodes=most if isinstance(most, int) else None,
        checked=[name for name in about if name not in not_read and name not in asked],
        unread=not_read,
        open={name: asked[name] for name in about if name in asked},
        aside=_aside(place, read, resources),
        pool=pool,
        part=place.path.partition(".")[0] if not known and type_ in starting else "",
    )


@once
def _by_urn(resources: Resources) -> Iterator[dict[str, list[tuple[Machines, str]]]]:
    """URN -> (machines that the resource starts, as rules about pools read them; name of their pool)."""
    found: dict[str, list[tuple[Machines, str]]] = {}
    for cloud in cloud_pools().values():
        pools = {id(one): pool[0].resource.urn for pool in cloud.training_pools(resources) for one in pool}
        for one in cloud.machines_of(resources):
            found.setdefault(one.resource.urn, []).append((one, pools.get(id(one), "")))
    yield found


def _read(place: GpuMachines, resources: Resources) -> tuple[Machines | None, str]:
    """(its machines as rules about pools read them, the name of their pool); None if they do not."""
    named = {text.lower() for name in place.names for text in (name.text, name.machine)}
    alone = f"{place.resource.urn} {place.path}"
    for found, pool in _by_urn(resources)[0].get(place.resource.urn, ()):
        if found.machine is UNKNOWN or str(found.machine).lower() in named:
            return found, pool or alone
    return None, alone


def _aside(place: GpuMachines, read: Machines | None, resources: Resources) -> str:
    if read is not None:
        return read.aside(resources)
    # Labels of the object itself are none of its nodes'.
    labels = elastic_labels(place.resource) if is_elastic(place.resource) else UNKNOWN
    if labels is UNKNOWN:
        return ""
    label = single_node_label(labels, resources)
    pool = labels.get(POOL_LABEL)
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
            else name.gpus >= 8 or not name.machine or name.cloud is None or unlisted(name.cloud, name.machine)
        ):
            return True
    return False

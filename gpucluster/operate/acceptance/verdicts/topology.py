"""Whether all training nodes, including spares, are in one network domain, by the labels of their cloud."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.components.planning.names import POOL, TRAINING_POOL
from gpucluster.components.shared.machine_choice import shape_named
from gpucluster.core.catalog.clouds import fact_of
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.text.typed import Source, typed
from gpucluster.operate.acceptance.objects import NodeList, NodeObject
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, PASS, Verdict

SYSTEM: Final = ("osImage", "kernelVersion", "containerRuntimeVersion", "kubeletVersion")
"""Fields of Kubernetes' nodeInfo that affect a measurement."""

_ZONE: Final = "topology.kubernetes.io/zone"
_MACHINE: Final = "node.kubernetes.io/instance-type"

_LAYERS: Final[Mapping[str, tuple[str, ...]]] = {
    "aws": tuple(f"topology.k8s.aws/network-node-layer-{layer}" for layer in (1, 2, 3)),
    "gcp": tuple(f"cloud.google.com/gce-topology-{level}" for level in ("block", "subblock", "host")),
    "azure": (),
}
"""Labels from the widest domain to the narrowest. Sources: Amazon EKS user guide, ml-workload-topology; Google Cloud's
Kueue topology of cluster-toolkit. Azure has none: there the domain is the scale set, named by a node's providerID."""

_SCALE_SET: Final = re.compile(r"/virtualMachineScaleSets/(?P<name>[^/]+)/virtualMachines/", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Node:
    """A Kubernetes node. machine: its row of the table of shapes, None if it has none. system: the kubelet's report of
    kernel, operating system, container runtime and itself, by the names of Kubernetes' nodeInfo.
    """

    name: str
    labels: Mapping[str, str]
    provider_id: str
    machine: Machine | None
    cordoned: bool
    system: Mapping[str, str]


def nodes_of(listed: object, source: Source) -> tuple[Node, ...]:
    """The nodes of `kubectl get nodes -o json`, by name. Raises InputError for other content."""
    found = typed(listed, NodeList, source)
    return tuple(sorted(map(_node, found.items), key=lambda node: node.name))


def _node(found: NodeObject) -> Node:
    labels, info = found.metadata.labels, found.status.info
    return Node(
        name=found.metadata.name,
        labels=labels,
        provider_id=found.spec.provider_id,
        machine=shape_named(labels.get(_MACHINE)),
        cordoned=found.spec.unschedulable,
        system={name: info[name] for name in SYSTEM if name in info},
    )


def judge_topology(nodes: Sequence[Node], *, expected: int | None = None) -> list[Verdict]:
    """Verdicts on the training pool: its size, its zone, its domain. expected: purchased nodes and spares.

    Raises InputError if the cloud's labels are unknown.
    """
    pool = [node for node in nodes if node.labels.get(POOL) == TRAINING_POOL]
    if not pool:
        return [
            Verdict(
                check="training pool",
                outcome=CANNOT_TELL,
                why=f"no node of {len(nodes)} has the label {POOL}={TRAINING_POOL}; check that this is the right "
                "cluster, and that it is up",
            )
        ]
    verdicts = [_size(pool, expected)] if expected is not None else []
    verdicts.append(_same_zone(pool))
    clouds = {node.machine.cloud for node in pool if node.machine}
    if len(clouds) != 1:
        unknown = tuple(node.name for node in pool if node.machine is None)
        why = "their machine types are unknown, and so is the cloud"
        return [*verdicts, Verdict(check="network domain", outcome=CANNOT_TELL, why=why, nodes=unknown)]
    (cloud,) = clouds
    layers = fact_of(_LAYERS, cloud, "labels of network domains (gpucluster/operate/acceptance/verdicts/topology.py)")
    return [*verdicts, _scale_set(pool) if cloud == "azure" else _domain(pool, layers)]


def _size(pool: Sequence[Node], expected: int) -> Verdict:
    return Verdict(
        check="nodes and spares",
        outcome=PASS if len(pool) == expected else FAIL,
        why="all are there" if len(pool) == expected else "the number of nodes differs from the spec",
        measured=str(len(pool)),
        wanted=str(expected),
    )


def _same_zone(pool: Sequence[Node]) -> Verdict:
    by_zone = _grouped(pool, [node.labels.get(_ZONE, "") for node in pool])
    if "" in by_zone:
        return Verdict(
            check="one zone", outcome=CANNOT_TELL, why=f"these nodes have no label {_ZONE}", nodes=by_zone[""]
        )
    return _one("one zone", by_zone, "zone")


def _scale_set(pool: Sequence[Node]) -> Verdict:
    found = [_SCALE_SET.search(node.provider_id) for node in pool]
    by_set = _grouped(pool, [match["name"].lower() if match else "" for match in found])
    if "" in by_set:
        why = "their providerID contains no scale set, so no InfiniBand domain"
        return Verdict(check="network domain", outcome=FAIL, why=why, nodes=by_set[""])
    return _one("network domain", by_set, "scale set")


def _domain(pool: Sequence[Node], layers: Sequence[str]) -> Verdict:
    """Placement promises a common widest domain; the verdict also reports the narrowest common one."""
    unlabelled = tuple(node.name for node in pool if layers[0] not in node.labels)
    if unlabelled:
        why = f"these nodes have no label {layers[0]}: some machine types and purchase options do not get it"
        return Verdict(check="network domain", outcome=CANNOT_TELL, why=why, nodes=unlabelled)
    verdict = _one("network domain", _grouped(pool, [node.labels[layers[0]] for node in pool]), _short(layers[0]))
    if verdict.outcome != PASS:
        return verdict
    common_layers = [layer for layer in layers if all(layer in node.labels for node in pool)]
    groups = {layer: len({node.labels[layer] for node in pool}) for layer in common_layers}
    narrowest = [layer for layer in common_layers if groups[layer] == 1][-1]
    counts = ", ".join(f"{count} x {_short(layer)}" for layer, count in groups.items())
    where = f"{_short(narrowest)} {pool[0].labels[narrowest]}"
    return Verdict(check="network domain", outcome=PASS, why=f"all share {where}", measured=counts)


def _one(check: str, groups: Mapping[str, tuple[str, ...]], kind: str) -> Verdict:
    if len(groups) == 1:
        (name,) = groups
        return Verdict(check=check, outcome=PASS, why=f"all share {kind} {name}", measured=f"1 x {kind}")
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    apart = tuple(node for _, names in ordered[1:] for node in names)
    others = "; ".join(f"{name}: {', '.join(names)}" for name, names in ordered[1:])
    return Verdict(
        check=check,
        outcome=FAIL,
        why=f"most are in {kind} {ordered[0][0]}, but these are not: {others}",
        measured=f"{len(groups)} x {kind}",
        wanted=f"1 x {kind}",
        nodes=apart,
    )


def _grouped(pool: Sequence[Node], keys: Sequence[str]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for node, key in zip(pool, keys, strict=True):
        groups[key] = (*groups.get(key, ()), node.name)
    return groups


def _short(label: str) -> str:
    return label.rsplit("/", 1)[-1]

"""A whole acceptance, and a whole burn-in: which steps run on which nodes, and what becomes of their logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from acceptance.judge import judge
from acceptance.logs.read import Log, UnknownLog, read_log
from acceptance.measured import AllReduce
from acceptance.promises import Promises
from acceptance.runs.all_reduce import all_reduce, busy, node_counts, pair_rounds
from acceptance.runs.burn_in import BurnIn, round_steps
from acceptance.runs.collect import Collector
from acceptance.runs.diagnosis import diagnosis
from acceptance.runs.kubectl import Kubectl
from acceptance.runs.price import cost_line
from acceptance.runs.step import Step
from acceptance.runs.storage import storage
from acceptance.verdicts.fabric import judge_fabric
from acceptance.verdicts.topology import Node, judge_topology, nodes_of
from acceptance.verdicts.verdict import FAIL, Verdict
from components.kubernetes.names import GPU, POOL, TRAINING_POOL
from components.shapes import Shape

__all__ = ["BurnPlan", "NothingToDo", "accept", "burn", "burn_plan", "manifests"]

_PAIR_ROUNDS = 3
"""Partners of each node: one slow partner must not accuse a good node."""

_REGION = "topology.kubernetes.io/region"

Say = Callable[[str], None]
Judged = tuple[tuple[Verdict, ...], list[Log], Shape]


class NothingToDo(Exception):
    """The cluster is not in a state to be measured; the message says what to do."""


def manifests(context: str | None, nodes: int | None, *, level: int) -> str:
    """Everything a run would create, as YAML. nodes: stands for the cluster's; None asks it."""
    if nodes is not None:
        names: Sequence[str] = [f"node-{number}" for number in range(1, nodes + 1)]
    else:
        names = [node.name for node in _pool(nodes_of(Kubectl(context).get("nodes")))]
    steps = [*_steps(names, len(names), level), *(step for turn in _pairs(names) for step in turn)]
    return yaml.safe_dump_all([dict(item) for step in steps for item in step.objects], sort_keys=False)


def accept(
    context: str | None, results: Path, promises: Promises, *, level: int, pairs: str, force: bool, say: Say
) -> Judged:
    """Measures the cluster. pairs: auto, always or never.

    Raises NothingToDo where it has no training nodes or they are busy, and ClusterError where kubectl fails.
    """
    kubectl = Kubectl(context)
    listed = nodes_of(kubectl.get("nodes"))
    pool, machine = _ready(kubectl, listed, force=force)
    names = [node.name for node in pool]
    _folder(results)
    collector = Collector(kubectl, results, machine.machine_type, say)
    paths = [path for step in _steps(names, _queued(kubectl, machine), level) for path in collector.run([step])]
    slow = any(
        judge_fabric(run, machine).outcome == FAIL
        for log in _logs(paths)
        for run in log.measurements
        if isinstance(run, AllReduce)
    )
    if len(names) > 1 and (pairs == "always" or (pairs == "auto" and slow)):
        paths += [path for turn in _pairs(names) for path in collector.run(turn)]
    logs = _logs(paths)
    return (*judge_topology(listed), *judge(logs, machine=machine, promises=promises)), logs, machine


@dataclass(frozen=True)
class BurnPlan:
    """A burn-in that could start. queued: nodes that the queue gives to one job. cost: a line for who decides."""

    kubectl: Kubectl
    state: BurnIn
    machine: Shape
    queued: int
    cost: str


def burn_plan(context: str | None, results: Path, hours: float, *, force: bool) -> BurnPlan:
    """What is left to do, and what it costs.

    Raises NothingToDo where nothing is left or the cluster can't be measured, BadPrices and ClusterError.
    """
    kubectl = Kubectl(context)
    pool, machine = _ready(kubectl, nodes_of(kubectl.get("nodes")), force=force)
    _folder(results)
    try:
        state = BurnIn.resumed(results, Decimal(str(hours)), [node.name for node in pool])
    except ValueError as error:
        raise NothingToDo(str(error)) from None
    if state.done:
        raise NothingToDo(
            f"{results} has {hours:g} h already; raise --hours, name another --results, or judge its logs"
        )
    region = pool[0].labels.get(_REGION, "")
    return BurnPlan(
        kubectl, state, machine, _queued(kubectl, machine), cost_line(machine, region, len(pool), state.left)
    )


def burn(plan: BurnPlan, *, say: Say, clock: Callable[[], float] = time.monotonic) -> Judged:
    """Rounds until the hours are full; a round that has begun is finished."""
    state = plan.state
    collector = Collector(plan.kubectl, state.folder, plan.machine.machine_type, say)
    while not state.done:
        say(f"Round {state.rounds + 1}, {state.left} h left")
        since = clock()
        for step in round_steps(state.nodes, plan.queued, state.rounds + 1):
            collector.run([step])
        state.finished_round(clock() - since)
    logs = _logs(sorted(state.folder.glob("round-*.log")))
    return judge(logs, machine=plan.machine, promises=Promises()), logs, plan.machine


def _steps(names: Sequence[str], queued: int, level: int) -> list[Step]:
    """queued: nodes that the queue gives to one job; spares are beyond, and have their turn in a ring of their own."""
    most = min(len(names), queued)
    rings = [all_reduce(names[:count], name=f"acceptance-ring-{count}") for count in node_counts(most)]
    if 1 < most < len(names):
        rings.append(all_reduce(names[-most:], name=f"acceptance-ring-{most}-with-spares"))
    return [diagnosis(names, level=level), *rings, storage(names)]


def _queued(kubectl: Kubectl, machine: Shape) -> int:
    """Nodes that the training queue holds, by its quota of GPUs."""
    spec = kubectl.get("clusterqueue", TRAINING_POOL)["spec"]
    gpus = [
        int(resource["nominalQuota"])
        for group in spec["resourceGroups"]
        for flavor in group["flavors"]
        for resource in flavor["resources"]
        if resource["name"] == GPU
    ]
    return sum(gpus) // machine.gpus


def _pairs(names: Sequence[str]) -> list[list[Step]]:
    return pair_rounds(names, count=_PAIR_ROUNDS)


def _pool(nodes: Sequence[Node]) -> list[Node]:
    return [node for node in nodes if node.labels.get(POOL) == TRAINING_POOL]


def _ready(kubectl: Kubectl, nodes: Sequence[Node], *, force: bool) -> tuple[list[Node], Shape]:
    pool = _pool(nodes)
    if not pool:
        raise NothingToDo(f"no node has the label {POOL}={TRAINING_POOL}; is --context this cluster, and is it up?")
    unknown = [node.name for node in pool if node.machine is None]
    machines = {node.machine for node in pool if node.machine is not None}
    if unknown or len(machines) != 1:
        told = ", ".join(unknown) if unknown else ", ".join(sorted(machine.machine_type for machine in machines))
        raise NothingToDo(f"the training nodes are not all of one known machine type: {told}")
    held = busy(_pods(kubectl), [node.name for node in pool])
    if held and not force:
        some = ", ".join(held[:3]) + (" ..." if len(held) > 3 else "")
        raise NothingToDo(
            f"{len(held)} pods hold GPUs of the training nodes ({some}); wait for them, or say --force to measure what "
            "is left"
        )
    return pool, machines.pop()


def _pods(kubectl: Kubectl) -> list[dict[str, Any]]:
    return kubectl.get("pods", "--all-namespaces")["items"]


def _folder(results: Path) -> None:
    try:
        results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NothingToDo(f"{results} can't be made: {error.strerror}; name another --results") from None


def _logs(paths: Sequence[Path]) -> list[Log]:
    """A log that no format fits is one that tells nothing: a step that came to nothing must show in the report."""
    logs: list[Log] = []
    for path in paths:
        try:
            logs.append(read_log(path, path.read_text(encoding="utf-8", errors="replace")))
        except UnknownLog as error:
            logs.append(Log.untold(path, str(error)))
    return logs

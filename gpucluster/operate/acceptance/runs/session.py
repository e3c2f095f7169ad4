"""Hours under load, in rounds that can be interrupted: completed rounds are not repeated."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, Field

from gpucluster.components.planning.names import GPU, POOL, TRAINING_POOL
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.text.typed import Source, read_json
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.plan_prices import machine_price
from gpucluster.errors import InputError
from gpucluster.operate.acceptance.judge import judge
from gpucluster.operate.acceptance.logs.read import Log, UnknownLog, read_log
from gpucluster.operate.acceptance.measurements import CollectiveRun
from gpucluster.operate.acceptance.objects import ClusterQueue, PodList
from gpucluster.operate.acceptance.runs.collect import Collector, Kubectl, source, unmeasured
from gpucluster.operate.acceptance.runs.scope import Scope, no_ring
from gpucluster.operate.acceptance.runs.steps import Step, busy, collective, diagnosis, stress
from gpucluster.operate.acceptance.verdicts.commitments import Promises
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric
from gpucluster.operate.acceptance.verdicts.topology import Node, judge_topology, nodes_of
from gpucluster.operate.acceptance.verdicts.verdict import FAIL, Verdict

_STRESS_MINUTES: Final = 60
_STATE: Final = "burn-in.json"


class _State(BaseModel):
    nodes: list[str]
    seconds: float = Field(ge=0, allow_inf_nan=False)
    rounds: int = Field(ge=0)


def round_steps(scope: Scope, turn: int) -> Iterator[Step]:
    """A round: diagnosis of level 3, an hour of stress, all-reduce at full scale with NCCL's buffers in GPU memory.

    With spares, the ring covers different nodes in every round.
    """
    for step in (diagnosis(scope.names, level=3), stress(scope.names, minutes=_STRESS_MINUTES)):
        yield _of_round(step, turn)
    nodes = scope.ringed
    if scope.most > 1:
        around = [*nodes[turn % len(nodes) :], *nodes[: turn % len(nodes)]]
        ring = collective(around[: scope.most], name="acceptance-full", priority=scope.priority)
        yield _of_round(ring, turn)


def _of_round(step: Step, turn: int) -> Step:
    return dataclasses.replace(step, name=f"round-{turn:03}-{step.name}")


@dataclass
class BurnIn:
    """The state of a burn-in, in its folder. seconds: under load, of completed rounds."""

    folder: Path
    hours: Decimal
    nodes: tuple[str, ...]
    seconds: float = 0.0
    rounds: int = 0

    @classmethod
    def resumed(cls, folder: Path, hours: Decimal, nodes: Sequence[str]) -> BurnIn:
        """The state in the folder, or a new one. Raises ValueError for other nodes, InputError if unreadable."""
        path = folder / _STATE
        if not path.exists():
            return cls(folder, hours, tuple(nodes))
        source = Source(name=str(path), fix="remove it to start again, or give another --results")
        state = read_json(path.read_text(encoding="utf-8", errors="replace"), _State, source)
        if set(state.nodes) != set(nodes):
            changed = ", ".join(sorted(set(state.nodes) ^ set(nodes)))
            raise ValueError(
                f"{path} is from other nodes ({changed} differ): a replaced node has not been tested; give another "
                "--results"
            )
        return cls(folder, hours, tuple(nodes), state.seconds, state.rounds)

    @property
    def done(self) -> bool:
        return self.seconds >= float(self.hours) * 3600

    @property
    def left(self) -> Decimal:
        """Hours, at least 0, to a hundredth."""
        return max(Decimal(0), (self.hours - Decimal(str(self.seconds)) / 3600).quantize(Decimal("0.01")))

    def finished_round(self, seconds: float) -> None:
        """Counts a round, and saves it before the next one starts."""
        self.rounds += 1
        self.seconds += seconds
        path = self.folder / _STATE
        unfinished = path.with_suffix(".part")
        state = {"hours": str(self.hours), "nodes": list(self.nodes), "seconds": self.seconds, "rounds": self.rounds}
        unfinished.write_text(json.dumps(state, indent=2), encoding="utf-8")
        unfinished.replace(path)


_REGION = "topology.kubernetes.io/region"

Say = Callable[[str], None]
Judged = tuple[tuple[Verdict, ...], list[Log], Machine]


def _cost_line(machine: Machine, region: str, nodes: int, hours: Decimal) -> str:
    """One line for the decision to start. Raises BadPrices if the user's own prices cannot be used."""
    what = f"{nodes} x {machine.machine_type} for {hours:f} h"
    found = machine_price(machine.cloud, region, machine.machine_type)
    if not isinstance(found, Price):
        return f"{what}: not priced, {found.reason}"
    total = found.usd * nodes * hours
    return (
        f"{what}: ${total:,.2f} on demand ({nodes} x {found.usd:f} x {hours:f}; {found.row.document}, "
        f"{found.row.as_of}). Nodes cost the same tested or idle; reserved capacity is already paid for."
    )


_FLEX_START: Final = (
    "flex-start nodes exist only while their job runs; submit examples/jobs/nccl-all-reduce.yaml and judge its log by "
    "gpucluster acceptance report"
)


class NothingToDo(InputError):
    """The cluster cannot be measured in its current state; the message states the remedy."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A cluster ready for a measurement. listed: all of its nodes. pool: its training nodes. machine: their type."""

    kubectl: Kubectl
    listed: Sequence[Node]
    pool: Sequence[Node]
    machine: Machine
    scope: Scope


def seen(context: str | None, *, only: Sequence[str] = (), force: bool) -> Seen:
    """Queries the cluster. only: names of the nodes to measure; by default all of the training pool.

    Raises NothingToDo if it has no such nodes or they are busy, and ClusterError if kubectl fails.
    """
    kubectl = Kubectl(context)
    listed = nodes_of(kubectl.get("nodes"), source("get", "nodes"))
    pool, machine = _ready(listed)
    queue = kubectl.read(ClusterQueue, "clusterqueue", TRAINING_POOL)
    if queue.spec.checks:
        raise NothingToDo(f"the training nodes can't be measured: {_FLEX_START}")
    measured = _named(pool, only)
    _check_idle(kubectl, [node.name for node in measured], force=force)
    scope = Scope(
        names=[node.name for node in measured],
        cordoned=[node.name for node in measured if node.cordoned],
        queued=_queued(queue, machine),
        # A measurement that --force starts does not preempt jobs with GPUs.
        priority="low" if force else "high",
    )
    return Seen(kubectl=kubectl, listed=listed, pool=pool, machine=machine, scope=scope)


def imagined(nodes: int, spares: int) -> Scope:
    """The scope of a cluster that is not queried. nodes: those of the queue."""
    return Scope(names=[f"node-{number}" for number in range(1, nodes + spares + 1)], queued=nodes)


def manifests(scope: Scope, results: Path, *, level: int, pairs: str, say: Say) -> str:
    """Everything a run would create, as YAML. pairs: auto, always or never."""
    if pairs == "auto" and scope.pairs():
        say("The steps acceptance-pair run only if a ring is slow.")
    steps = [*scope.steps(level=level), *(step for turn in scope.pairs() if pairs != "never" for step in turn)]
    objects = [dict(item) for step in unmeasured(steps, results, say) for item in step.objects]
    return yaml.safe_dump_all(objects, sort_keys=False)


def accept(cluster: Seen, results: Path, promises: Promises, *, level: int, pairs: str, say: Say) -> Judged:
    """Measures the cluster. pairs: auto, always or never. Raises ClusterError if kubectl fails."""
    scope, machine = cluster.scope, cluster.machine
    _folder(results)
    collector = _collector(cluster, results, say)
    paths = [path for step in scope.steps(level=level) for path in collector.run([step])]
    slow = any(
        judge_fabric(run, machine).outcome == FAIL
        for log in _logs(paths)
        for run in log.measurements
        if isinstance(run, CollectiveRun)
    )
    if pairs == "always" or (pairs == "auto" and slow):
        paths += [path for turn in scope.pairs() for path in collector.run(turn)]
    logs = _logs(paths)
    unknown = no_ring(scope, scope.unringed()) if len(cluster.pool) > 1 else []
    verdicts = (*judge_topology(cluster.listed), *unknown, *judge(logs, machine=machine, promises=promises))
    return verdicts, logs, machine


@dataclass(frozen=True)
class BurnPlan:
    """A burn-in before its start. cost: a line for the decision."""

    cluster: Seen
    state: BurnIn
    cost: str


def burn_plan(context: str | None, results: Path, hours: float, *, force: bool) -> BurnPlan:
    """The remaining work, and its cost.

    Raises NothingToDo if nothing remains or the cluster can't be measured, BadPrices and ClusterError.
    """
    cluster = seen(context, force=force)
    _folder(results)
    try:
        state = BurnIn.resumed(results, Decimal(str(hours)), cluster.scope.names)
    except ValueError as error:
        raise NothingToDo(str(error)) from None
    if state.done:
        raise NothingToDo(
            f"{results} already has {hours:g} h; raise --hours, give another --results, or evaluate its logs"
        )
    region = cluster.pool[0].labels.get(_REGION, "")
    return BurnPlan(cluster, state, _cost_line(cluster.machine, region, len(cluster.pool), state.left))


def burn(plan: BurnPlan, *, say: Say, clock: Callable[[], float] = time.monotonic) -> Judged:
    """Runs rounds until the hours are complete; a started round is finished."""
    state, cluster = plan.state, plan.cluster
    collector = _collector(cluster, state.folder, say)
    while not state.done:
        say(f"Round {state.rounds + 1}, {state.left} h left")
        since = clock()
        for step in round_steps(cluster.scope, state.rounds + 1):
            collector.run([step])
        state.finished_round(clock() - since)
    logs = _logs(sorted(state.folder.glob("round-*.log")))
    unknown = no_ring(cluster.scope, cluster.scope.cordoned)
    return (*unknown, *judge(logs, machine=cluster.machine, promises=Promises())), logs, cluster.machine


def _collector(cluster: Seen, results: Path, say: Say) -> Collector:
    systems = {node.name: node.system for node in cluster.pool}
    return Collector(cluster.kubectl, results, cluster.machine.machine_type, say, systems=systems)


def _queued(queue: ClusterQueue, machine: Machine) -> int:
    """Nodes in the queue's quota of GPUs."""
    gpus = [
        resource.nominal
        for group in queue.spec.groups
        for flavor in group.flavors
        for resource in flavor.resources
        if resource.name == GPU
    ]
    return sum(gpus) // machine.gpus


def _ready(nodes: Sequence[Node]) -> tuple[list[Node], Machine]:
    """The ready training nodes, and their machine type."""
    pool = [node for node in nodes if node.labels.get(POOL) == TRAINING_POOL]
    if not pool:
        missing = f"no node has the label {POOL}={TRAINING_POOL}; check --context, and that the cluster is up"
        raise NothingToDo(f"{missing}; {_FLEX_START}")
    unknown = [node.name for node in pool if node.machine is None]
    machines = {node.machine for node in pool if node.machine is not None}
    if unknown or len(machines) != 1:
        names = ", ".join(unknown) if unknown else ", ".join(sorted(machine.machine_type for machine in machines))
        raise NothingToDo(f"the training nodes must have one known machine type: {names}")
    return pool, machines.pop()


def _named(pool: Sequence[Node], only: Sequence[str]) -> list[Node]:
    """The nodes with these names; by default all."""
    names = [node.name for node in pool]
    if unknown := [name for name in only if name not in names]:
        named = ", ".join(map(repr, unknown))
        raise NothingToDo(f"--node is {named}; allowed: the training nodes {', '.join(names)}; give one of these")
    return [node for node in pool if not only or node.name in only]


def _check_idle(kubectl: Kubectl, names: Sequence[str], *, force: bool) -> None:
    held = busy(kubectl.read(PodList, "pods", "--all-namespaces").items, names)
    if held and not force:
        some = ", ".join(held[:3]) + (" ..." if len(held) > 3 else "")
        raise NothingToDo(
            f"{len(held)} pods hold GPUs of the training nodes ({some}); wait for them, or use --force to measure the "
            "remaining GPUs"
        )


def _folder(results: Path) -> None:
    try:
        results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NothingToDo(f"{results} can't be created: {error.strerror}; give another --results") from None


def _logs(paths: Sequence[Path]) -> list[Log]:
    """The logs. An unknown format becomes a log without measurements: the report must show a failed step."""
    logs: list[Log] = []
    for path in paths:
        try:
            logs.append(read_log(path, path.read_text(encoding="utf-8", errors="replace")))
        except UnknownLog as error:
            logs.append(Log.untold(path, str(error)))
    return logs

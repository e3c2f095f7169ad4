"""One measurement: its objects, its end condition, and its log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.planning.names import (
    ACCEPTANCE,
    GPU,
    GPU_TOLERATION,
    MPI_RUNTIME,
    NCCL_TESTS,
    POOL,
    TRAINING_POOL,
)
from gpucluster.operate.acceptance.logs import modules
from gpucluster.operate.acceptance.logs.nccl_tests import COLLECTIVES
from gpucluster.operate.acceptance.measurements import ALL_REDUCE, ALL_TO_ALL, RING, Collective
from gpucluster.operate.acceptance.objects import Pod


@dataclass(frozen=True, kw_only=True)
class Step:
    """name: of its log. title: its description for the user. objects: in the order of creation.

    watched: kind and name of the object whose Complete or Failed condition ends the step. logged: selector of the pods
    whose log is kept; pods: selector of all of its pods. collective: the measured one. algorithm: NCCL's, if one was
    set. minutes: time limit.
    """

    name: str
    title: str
    objects: tuple[Mapping[str, Any], ...]
    watched: tuple[str, str]
    logged: str
    pods: str
    collective: Collective | None = None
    algorithm: str | None = None
    minutes: int = 60


_TTL_SECONDS: Final = 24 * 3600
# A new node is measured while a cordon keeps jobs off it.
# Source: kubernetes v1.34.1, pkg/scheduler/framework/plugins/nodeunschedulable.
_CORDON: Final = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}


def indexed_job(name: str, step: str, *, count: int, pod: Mapping[str, Any]) -> dict[str, Any]:
    """A Job of `count` pods at once, none of them restarted."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {ACCEPTANCE: step}},
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": count,
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": _TTL_SECONDS,
            "template": {"metadata": {"labels": {ACCEPTANCE: step}}, "spec": {"restartPolicy": "Never", **pod}},
        },
    }


def one_a_node(step: str, nodes: Sequence[str]) -> dict[str, Any]:
    """Fields of a pod that schedule one on each of these training nodes, cordoned or not."""
    return {
        "tolerations": [GPU_TOLERATION, _CORDON],
        "automountServiceAccountToken": False,
        "affinity": {
            "nodeAffinity": on_nodes(nodes),
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {ACCEPTANCE: step}}, "topologyKey": "kubernetes.io/hostname"}
                ]
            },
        },
    }


def on_nodes(nodes: Sequence[str]) -> dict[str, Any]:
    """A node affinity for these training nodes."""
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [{"key": POOL, "operator": "In", "values": [TRAINING_POOL]}],
                    "matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}],
                }
                for node in nodes
            ]
        }
    }


_GPUS: Final = 8
_JOBSET: Final = "jobset.sigs.k8s.io/jobset-name"
_LAUNCHER: Final = "jobset.sigs.k8s.io/replicatedjob-name=launcher"

# 4 to 16 GiB: smaller payloads measure latency.
_SIZES: Final = "-b 4G -e 16G -f 2 -g 1 -w 5 -n 20"
_PROGRAMS: Final = {measured: program for program, measured in COLLECTIVES.items()}


def node_counts(nodes: int) -> tuple[int, ...]:
    """2, 4, 8 ... and all of them: if a fabric of several switches gets slower, one of these shows it."""
    counts = [2**power for power in range(1, nodes.bit_length()) if 2**power < nodes]
    return (*counts, nodes) if nodes > 1 else ()


def collective(nodes: Sequence[str], kind: Collective = ALL_REDUCE, *, name: str, priority: str) -> Step:
    """A collective over these nodes: by ring, if it has one, so that every card of each node carries all of the data.

    priority: the job's class in the queue.
    """
    algorithm = None if kind == ALL_TO_ALL else RING
    queued = {"kueue.x-k8s.io/queue-name": TRAINING_POOL, "kueue.x-k8s.io/priority-class": priority}
    job = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, "labels": queued},
        "spec": {
            "runtimeRef": {"name": MPI_RUNTIME},
            "trainer": {"numNodes": len(nodes), "command": _command(len(nodes), kind)},
            "runtimePatches": [
                {
                    "manager": "gpucluster/acceptance",
                    "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": _on(nodes)}}},
                }
            ],
        },
    }
    return Step(
        name=name,
        title=f"NCCL {kind}{f' by {algorithm}' if algorithm else ''}, {len(nodes)} nodes",
        objects=(job,),
        watched=("trainjob", name),
        logged=f"{_JOBSET}={name},{_LAUNCHER}",
        pods=f"{_JOBSET}={name}",
        collective=kind,
        algorithm=algorithm,
        minutes=30,
    )


def _on(nodes: Sequence[str]) -> list[dict[str, Any]]:
    pod = {"spec": {"affinity": {"nodeAffinity": on_nodes(nodes)}}}
    return [{"name": job, "template": {"spec": {"template": pod}}} for job in ("launcher", "node")]


def _command(nodes: int, kind: Collective) -> list[str]:
    ranks = f"-np {nodes * _GPUS} --map-by ppr:{_GPUS}:node --bind-to none"
    # Sets the algorithm here and not in the pod's environment, in which a job may not set NCCL's variables.
    forced = "" if kind == ALL_TO_ALL else " -x NCCL_ALGO=RING"
    test = f"{NCCL_TESTS}/{_PROGRAMS[kind]} {_SIZES}"
    return ["/bin/sh", "-c", f"mpirun {ranks}{forced} -x NCCL_DEBUG=INFO -x NCCL_DEBUG_SUBSYS=INIT {test}"]


def rounds(nodes: Sequence[str], count: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Pairs of a round-robin tournament: in each round every node has one partner, and never the same one twice.

    With an odd number of nodes one rests in each round.
    """
    ring: list[str | None] = [*nodes, *([None] if len(nodes) % 2 else [])]
    for _ in range(min(count, len(ring) - 1)):
        met = [(ring[index], ring[-1 - index]) for index in range(len(ring) // 2)]
        yield tuple((a, b) for a, b in met if a is not None and b is not None)
        ring = [ring[0], ring[-1], *ring[1:-1]]


def pair_rounds(nodes: Sequence[str], *, count: int, priority: str) -> list[list[Step]]:
    """Rounds of pairs; the pairs of a round run concurrently. priority: as for a ring."""
    return [
        [
            collective(pair, name=f"acceptance-pair-{turn}-{index}", priority=priority)
            for index, pair in enumerate(met, start=1)
        ]
        for turn, met in enumerate(rounds(nodes, count), start=1)
    ]


def busy(pods: Sequence[Pod], nodes: Sequence[str]) -> list[str]:
    """Names of running pods that hold GPUs of these nodes: they would distort the measurement."""
    return sorted(
        f"{pod.metadata.namespace}/{pod.metadata.name}"
        for pod in pods
        if pod.spec.node in nodes and pod.status.phase in ("Pending", "Running")
        if any(GPU in container.resources.limits for container in pod.spec.containers)
    )


DCGM_IMAGE: Final = "nvcr.io/nvidia/cloud-native/dcgm:4.6.1-1-ubuntu24.04"
"""Source: the image list of NVIDIA/aicr for GPU Operator."""

_NAME: Final = "acceptance-diagnosis"
_STRESS: Final = "acceptance-stress"


def diagnosis(nodes: Sequence[str], *, level: int) -> Step:
    """`dcgmi diag` at a level: 1 takes seconds, 2 about two minutes, 3 about a quarter of an hour (DCGM 4.6)."""
    return _step(_NAME, f"DCGM diagnosis, level {level}", nodes, f"-r {level}", minutes=90 if level >= 3 else 20)


def stress(nodes: Sequence[str], *, minutes: int) -> Step:
    """GPU and memory under load: power, compute and memory test, a third of the minutes each."""
    each = minutes * 60 // 3
    tests = ("targeted_power", "targeted_stress", "memtest")
    durations = ";".join(f"{test}.test_duration={each}" for test in tests)
    return _step(
        _STRESS,
        f"GPU and memory stress, {minutes} min",
        nodes,
        f"-r {','.join(tests)} -p '{durations}'",
        minutes=minutes + 45,
    )


def _step(name: str, title: str, nodes: Sequence[str], run: str, *, minutes: int) -> Step:
    # A diagnosis with findings exits with its own code; the findings are in its JSON.
    script = (
        f"{modules.SCRIPT}; nv-hostengine && sleep 5 && dcgmi diag {run} -j --expectedNumEntities gpu:{_GPUS}; exit 0"
    )
    container: dict[str, Any] = {
        "name": "dcgm",
        "image": DCGM_IMAGE,
        "command": ["/bin/sh", "-c", script],
        "resources": {"limits": {GPU: str(_GPUS)}},
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    job = indexed_job(name, name, count=len(nodes), pod={**one_a_node(name, nodes), "containers": [container]})
    selector = f"{ACCEPTANCE}={name}"
    return Step(
        name=name,
        title=f"{title}, {len(nodes)} nodes",
        objects=(job,),
        watched=("job", name),
        logged=selector,
        pods=selector,
        minutes=minutes,
    )

"""NCCL's collectives over several nodes, or over a pair, by the cluster's own runtime for MPI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.acceptance.logs.nccl_tests import COLLECTIVES
from gpucluster.acceptance.measured import ALL_REDUCE, ALL_TO_ALL, RING, Collective
from gpucluster.acceptance.objects import Pod
from gpucluster.acceptance.runs.gpu_pod import on_nodes
from gpucluster.acceptance.runs.step import Step
from gpucluster.components.names import GPU, MPI_RUNTIME, NCCL_TESTS, TRAINING_POOL

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

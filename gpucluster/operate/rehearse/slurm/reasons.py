"""Why Slurm refuses a script or lets it wait, in a researcher's words, with the change to make.

Slurm names no quantity that is too large. It is asked again, by `sbatch --test-only` with options that take precedence
over those of the script: what it then accepts shows what was too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.slurm import SlurmCluster, SlurmNode, SlurmPartition
from gpucluster.operate.rehearse.slurm.controller import Answer, Controller

_PARTITION: Final = re.compile(r"in partition (\S+)")
_EXCLUSIVE_OPTIONS: Final = "mutually exclusive"

_NO_GPUS: Final = ("--gres=none", "--gpus-per-node=0", "--gpus=0", "--gpus-per-task=0")
_LITTLE_MEMORY: Final = ("--mem=1", "--mem-per-cpu=1", "--mem-per-gpu=1")
"""At most one of them may be given; the one that the script has is the one that is accepted."""
_FEW_CPUS: Final = ("--cpus-per-task=1", "--ntasks-per-node=1")


@dataclass(frozen=True, kw_only=True)
class _Less:
    """Less of one quantity. options: of sbatch, which ask for less. remedy: for the reader, if that helps."""

    options: Sequence[str]
    remedy: str


def too_much(controller: Controller, cluster: SlurmCluster, script: Path) -> list[str]:
    """What a script asks too much of, with the most there is; empty if that is not what keeps it from running.

    A quantity is named if the script is refused even with less of all others.
    """

    def accepted(*options: str) -> Answer | None:
        answer = controller.run("sbatch", "--test-only", *options, script)
        return answer if answer.code == 0 else None

    if accepted():
        return []
    memory = next((option for option in _LITTLE_MEMORY if _fits(controller, option, script)), None)
    for no_gpus in (_NO_GPUS, ()):  # without GPUs, --mem-per-gpu is refused
        small = [*no_gpus, *_FEW_CPUS, "--nodes=1", "--ntasks=1", *([] if memory is None else [memory])]
        answer = accepted(*small)
        found = None if answer is None else _PARTITION.search(answer.err)
        partition = next((one for one in cluster.partitions if found is not None and one.name == found[1]), None)
        if partition is not None:
            lesses = _lesses(cluster, partition, memory, no_gpus)
            return [less.remedy for less in lesses if not accepted(*_options(one for one in lesses if one is not less))]
    return []


def _fits(controller: Controller, option: str, script: Path) -> bool:
    return _EXCLUSIVE_OPTIONS not in controller.run("sbatch", "--test-only", option, script).err


def _options(lesses: Iterable[_Less]) -> list[str]:
    return [option for less in lesses for option in less.options]


def _lesses(
    cluster: SlurmCluster, partition: SlurmPartition, memory: str | None, no_gpus: Sequence[str]
) -> list[_Less]:
    nodes = nodes_of(cluster, partition.name)
    most = min(len(nodes), partition.max_nodes or len(nodes))
    name = partition.name
    mib, cpus = max(node.memory_mib for node in nodes), max(node.cpus for node in nodes)
    leaves = _under_switches(nodes)
    found = [
        _Less(
            options=[f"--nodes={most}", f"--ntasks={most}"],
            remedy=f"a job in partition {name} gets at most {_count(most, 'node')}: write --nodes={most} or less, and "
            "no more tasks than these hold",
        ),
        _Less(
            options=_FEW_CPUS,
            remedy=f"a node of partition {name} has {cpus} CPUs: tasks of a node times --cpus-per-task may be {cpus}",
        ),
        *([_Less(options=no_gpus, remedy=_gpus_remedy(name, nodes))] if no_gpus else []),
    ]
    if memory is not None:
        remedy = (
            f"a node of partition {name} has {mib} MiB of memory: write --mem={mib} or less, or --mem=0 for all of it"
        )
        found.append(_Less(options=[memory], remedy=remedy))
    if leaves:
        largest = max(leaves.values())
        remedy = (
            f"the nodes of partition {name} are below {_count(len(leaves), 'switch')}, at most {largest} below one: "
            f"write --nodes={largest} or less, or a larger --switches; Slurm waits for the switches for as long as "
            "--switches=COUNT@TIME says, or max_switch_wait (300 s), and then starts the job on more"
        )
        found.append(_Less(options=[f"--switches={len(leaves)}"], remedy=remedy))
    return found


def _gpus_remedy(name: str, nodes: Sequence[SlurmNode]) -> str:
    offers = dict.fromkeys(_offer(node) for node in nodes if node.gpus)
    if not offers:
        return f"the nodes of partition {name} have no GPUs: write another --partition, or remove --gres"
    kind, count = next(iter(max(nodes, key=lambda node: sum(node.gpus.values())).gpus.items()))
    return f"a node of partition {name} has {' or '.join(offers)}: write --gres=gpu:{kind}:{count} or less"


def _offer(node: SlurmNode) -> str:
    return " and ".join(f"{_count(count, 'GPU')} of type {kind}" for kind, count in node.gpus.items())


def _count(number: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("ch") else f"{what}s"
    return f"{number} {what if number == 1 else plural}"


def nodes_of(cluster: SlurmCluster, partition: str) -> list[SlurmNode]:
    """The nodes of a partition."""
    names = {name for one in cluster.partitions if one.name == partition for name in one.nodes}
    return [node for node in cluster.nodes if node.name in names]


def _under_switches(nodes: Sequence[SlurmNode]) -> Mapping[str, int]:
    """Lowest switch -> nodes below it; empty if one is unknown."""
    found: dict[str, int] = {}
    for node in nodes:
        if not node.switches:
            return {}
        found[node.switches[-1]] = found.get(node.switches[-1], 0) + 1
    return found


def hint(cluster: SlurmCluster, words: str) -> list[str]:
    """What to do about a message of sbatch that names the wrong option; empty for another message."""
    partitions = ", ".join(partition.name for partition in cluster.partitions)
    features = ", ".join(sorted({feature for node in cluster.nodes for feature in node.features})) or "none"
    gpus = ", ".join(sorted({kind for node in cluster.nodes for kind in node.gpus})) or "none"
    known = {
        "nvalid partition": f"partitions here: {partitions}; write one of them as --partition",
        "nvalid feature": f"features of nodes here: {features}; write one of them as --constraint, or remove it",
        "nvalid generic resource": f"write --gres=gpu:COUNT or --gres=gpu:TYPE:COUNT; types here: {gpus}",
        "does not look like a batch script": "write a shell as the first line: #!/bin/bash",
        "Requested time limit is invalid": "write a shorter --time, or remove it",
        "nvalid --": "correct the option that sbatch names",
        "nrecognized option": "correct the option that sbatch names",
    }
    return [remedy for part, remedy in known.items() if part in words][:1]


_WAITING: Final = {
    "JobHeldUser": "--hold keeps it until `scontrol release`: remove it",
    "BeginTime": "it starts at the time of --begin",
    "Dependency": "the jobs of --dependency are not part of this rehearsal: remove it for the rehearsal",
    "DependencyNeverSatisfied": "the jobs of --dependency are not part of this rehearsal: remove it for the rehearsal",
    "PartitionTimeLimit": "it asks for more time than its partition gives: write a shorter --time",
}


def of_waiting(reason: str, *, alone: bool) -> list[str]:
    """What a reason of Slurm means."""
    if not alone and reason in ("Resources", "Priority", "None"):
        return ["it waits until jobs before it end"]
    return [_WAITING[reason]] if reason in _WAITING else []


def advice(cluster: SlurmCluster, partition: str, gpus: Mapping[str, int]) -> list[str]:
    """What Slurm allows, but hardly is meant. gpus: node of the job -> GPUs that it gets there."""
    nodes = [node for node in cluster.nodes if node.name in gpus]
    found: list[str] = []
    most = max((sum(node.gpus.values()) for node in nodes), default=0)
    if most and not any(gpus.values()):  # a partition of whole nodes gives their GPUs to jobs that ask for none, too
        found.append(f"it gets no GPU, because it asks for none: write #SBATCH --gres=gpu:COUNT, at most {most}")
    below, all_below = _under_switches(nodes), _under_switches(nodes_of(cluster, partition))
    if len(below) > 1 and max(all_below.values(), default=0) >= len(nodes):
        found.append(
            f"its nodes are below {len(below)} switches, though {len(nodes)} fit below one: write #SBATCH --switches=1"
        )
    return found

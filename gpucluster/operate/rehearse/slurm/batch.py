"""Where Slurm would run a batch script on emulated nodes, or why not. Slurm alone reads the script."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from gpucluster.core.slurm import SlurmCluster
from gpucluster.core.text.typed import Source, read_json
from gpucluster.operate.rehearse.outcome import Verdict
from gpucluster.operate.rehearse.slurm.controller import Answer, Controller
from gpucluster.operate.rehearse.slurm.packages import NoSlurm
from gpucluster.operate.rehearse.slurm.reasons import advice, hint, of_waiting, too_much

Say = Callable[[str], None]

_TICK: Final = 0.1
_SETTLE_LOOKS: Final = 20
"""Looks, in 2 s, for which the reason of a waiting job must be unchanged: the first may be that it is not considered
yet. Counted in looks: on a busy machine a look takes longer, as the scheduler does."""
_GONE_SECONDS: Final = 20.0


@dataclass(frozen=True, kw_only=True)
class Script:
    """A batch script. source: as the user wrote it. path: of the file that sbatch reads."""

    source: str
    path: Path


@dataclass(frozen=True, kw_only=True)
class NodePlace:
    """A node of a job. task: of its array; None without one. switch: the lowest above the node; None if unknown."""

    node: str
    gpus: int
    switch: str | None
    task: int | None


@dataclass(frozen=True, kw_only=True)
class BatchOutcome:
    """name, partition: of the job; empty if it is refused. places: of all its parts. cpus: of all nodes together.
    waiting: whether further tasks of its array start when these end. why: the reasons, Slurm's own words first.
    advice: what is allowed, but hardly meant.
    """

    script: Script
    verdict: Verdict
    name: str = ""
    partition: str = ""
    places: tuple[NodePlace, ...] = ()
    cpus: int = 0
    waiting: bool = False
    why: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def switches(self) -> int | None:
        """Number of the lowest switches above its nodes; None if one is unknown."""
        found = {place.switch for place in self.places}
        return None if None in found or not found else len(found)


class _Allocated(BaseModel):
    nodename: str


class _Resources(BaseModel):
    allocated_nodes: list[_Allocated] = []


class _Job(BaseModel):
    """A job of `squeue --json`, or a part of one, as Slurm 22.05 writes it."""

    job_id: int
    array_job_id: int | None = None
    array_task_id: int | None = None
    het_job_id: int | None = None
    name: str = ""
    partition: str = ""
    job_state: str
    state_reason: str = ""
    cpus: int | None = None
    gres_detail: list[str] = []
    job_resources: _Resources = _Resources()

    def belongs_to(self, job: int) -> bool:
        return job in (self.job_id, self.array_job_id, self.het_job_id)

    @property
    def is_there(self) -> bool:
        return self.job_state in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")

    @property
    def placed(self) -> bool:
        return bool(self.job_resources.allocated_nodes)


class _Queue(BaseModel):
    jobs: list[_Job]


def rehearse_scripts(
    controller: Controller,
    cluster: SlurmCluster,
    scripts: Sequence[Script],
    *,
    seconds: float,
    together: bool = False,
    say: Say,
) -> list[BatchOutcome]:
    """The outcome of each script, alone on the idle cluster or, `together`, in a queue with the others.

    seconds: after which a job without nodes counts as waiting. Raises NoSlurm if the controller does not answer.
    """
    outcomes: list[BatchOutcome] = []
    for some in [scripts] if together else [[script] for script in scripts]:
        with _submitted(controller, some) as answers:
            for script, (job, answer) in zip(some, answers, strict=True):
                if job is None:
                    found = _refused(controller, cluster, script, answer)
                else:
                    found = _outcome(
                        controller, cluster, script, _watched(controller, job, seconds), alone=not together
                    )
                say(f"{script.source} {found.verdict}")
                outcomes.append(found)
    return outcomes


@contextmanager
def _submitted(controller: Controller, scripts: Sequence[Script]) -> Generator[list[tuple[int | None, Answer]]]:
    """The number of each job, None if sbatch refuses it, with sbatch's answer; all are cancelled afterwards."""
    try:
        yield [_submit(controller, script) for script in scripts]
    finally:
        for job in {job.job_id for job in _jobs(controller) if job.is_there}:
            controller.run("scancel", str(job))
        end = time.monotonic() + _GONE_SECONDS
        while any(job.is_there for job in _jobs(controller)):
            if time.monotonic() > end:
                raise NoSlurm(f"a cancelled job is still in Slurm's queue after {_GONE_SECONDS:.0f} s")
            time.sleep(_TICK)


def _submit(controller: Controller, script: Script) -> tuple[int | None, Answer]:
    """A script with `--wait` keeps sbatch until its job ends: its number is printed before."""
    with subprocess.Popen(
        [controller.programs.path("sbatch"), "--parsable", script.path],
        env=controller.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as sbatch:
        assert sbatch.stdout is not None and sbatch.stderr is not None
        number = re.match(r"\d+", sbatch.stdout.readline())
        if number is not None:
            sbatch.kill()
            return int(number[0]), Answer(code=0, out=number[0], err="")
        err = sbatch.stderr.read()
    return None, Answer(code=sbatch.returncode, out="", err=err)


def _jobs(controller: Controller) -> list[_Job]:
    source = Source(name="`squeue --json`", program=True)
    return read_json(controller.run("squeue", "--json").out, _Queue, source).jobs


def _watched(controller: Controller, job: int, seconds: float) -> list[_Job]:
    """The parts of a job once each has nodes, or waits for an unchanged reason."""
    end, before, same = time.monotonic() + seconds, None, 0
    while True:
        parts = [part for part in _jobs(controller) if part.belongs_to(job)]
        now: Any = [(part.job_id, part.job_state, part.state_reason) for part in parts]
        considered = all(part.placed or part.state_reason != "None" for part in parts)
        same = same + 1 if considered and now == before else 0
        before = now
        if all(part.placed for part in parts) or same > _SETTLE_LOOKS or time.monotonic() > end:
            return parts
        time.sleep(_TICK)


def _outcome(
    controller: Controller, cluster: SlurmCluster, script: Script, parts: Sequence[_Job], *, alone: bool
) -> BatchOutcome:
    placed = [part for part in parts if part.placed]
    rest = [part for part in parts if not part.placed]
    found = BatchOutcome(
        script=script,
        verdict=Verdict.RUNS if placed else Verdict.WAITS,
        name=parts[0].name if parts else "",
        partition=parts[0].partition if parts else "",
        places=tuple(place for part in placed for place in _places(part, cluster)),
        cpus=sum(part.cpus or 0 for part in placed),
        waiting=bool(placed and rest),
    )
    if placed:
        gpus = {place.node: place.gpus for place in found.places}
        return replace(found, advice=tuple(advice(cluster, found.partition, gpus)))
    reason = rest[0].state_reason if rest else "it left the queue"
    causes = of_waiting(reason, alone=alone) or too_much(controller, cluster, script.path)
    return replace(found, why=(f"Slurm: {reason}", *causes))


def _refused(controller: Controller, cluster: SlurmCluster, script: Script, answer: Answer) -> BatchOutcome:
    causes = hint(cluster, answer.words) or too_much(controller, cluster, script.path)
    return BatchOutcome(script=script, verdict=Verdict.REFUSED, why=(f"sbatch: {answer.words}", *causes))


def _places(part: _Job, cluster: SlurmCluster) -> list[NodePlace]:
    switches = {node.name: node.switches[-1] if node.switches else None for node in cluster.nodes}
    names = [one.nodename for one in part.job_resources.allocated_nodes]
    details = [*part.gres_detail, *[""] * (len(names) - len(part.gres_detail))]
    return [
        NodePlace(node=name, gpus=_gpus(detail), switch=switches.get(name), task=part.array_task_id)
        for name, detail in zip(names, details, strict=False)
    ]


def _gpus(detail: str) -> int:
    """Of one node: `gpu:h100:8(IDX:0-7)`."""
    return sum(int(count) for count in re.findall(r"gpu(?::[^:(,]+)?:(\d+)", detail))

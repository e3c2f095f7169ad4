"""All verdicts over a set of logs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from gpucluster.core.catalog.machines import Machine, machines
from gpucluster.operate.acceptance.inventory import inventory_of
from gpucluster.operate.acceptance.logs.read import Log
from gpucluster.operate.acceptance.measurements import (
    Collective,
    CollectiveRun,
    Diagnosis,
    Measurement,
    Modules,
    Storage,
)
from gpucluster.operate.acceptance.verdicts.commitments import Promises, judge_promises, judge_storage
from gpucluster.operate.acceptance.verdicts.fabric import judge_fabric
from gpucluster.operate.acceptance.verdicts.nodes import judge_diagnosis, judge_modules, judge_versions
from gpucluster.operate.acceptance.verdicts.pairs import is_pair, judge_pairs
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, PASS, Verdict


def judge(logs: Sequence[Log], *, machine: Machine | None, promises: Promises) -> tuple[Verdict, ...]:
    """The verdicts, those over several logs first. machine: of all nodes, if a log's own header does not contain it."""
    measurements = [measurement for log in logs for measurement in log.measurements]
    runs = [(run, machine_of(run, machine)) for run in measurements if isinstance(run, CollectiveRun)]
    nodes = inventory_of(logs).nodes
    pairs = judge_pairs(runs, [node.name for node in nodes])
    drivers = {node.name: node.software.get("driver") for node in nodes}
    return (
        *([pairs] if pairs else []),
        *judge_promises(promises, measurements),
        *judge_versions(nodes),
        *(
            verdict
            for log in logs
            for verdict in _each(log, machine, promises, drivers, folded=pairs is not None and pairs.check == "pairs")
        ),
    )


def machine_of(measurement: CollectiveRun | Modules, machine: Machine | None) -> Machine | None:
    """The machine of a measurement's nodes, also one that no cluster uses. machine: if the log does not contain it."""
    return machines().get(measurement.machine_type or "", machine)


def completed(
    measurements: Sequence[Measurement], *, algorithm: str | None, collective: Collective | None
) -> tuple[Measurement, ...]:
    """The measurements, with what their caller knows, where the log does not contain it."""
    return tuple(
        dataclasses.replace(run, algorithm=run.algorithm or algorithm, collective=run.collective or collective)
        if isinstance(run, CollectiveRun)
        else run
        for run in measurements
    )


def _each(
    log: Log, machine: Machine | None, promises: Promises, drivers: Mapping[str, str | None], *, folded: bool
) -> Iterator[Verdict]:
    """drivers: by node. folded: fast pairs are counted in the verdict on all pairs, not listed one by one."""
    for measurement in log.measurements:
        if isinstance(measurement, CollectiveRun):
            verdict = judge_fabric(measurement, machine_of(measurement, machine))
            if not (folded and is_pair(measurement) and verdict.outcome == PASS):
                yield verdict
        elif isinstance(measurement, Diagnosis):
            yield judge_diagnosis(measurement)
        elif isinstance(measurement, Modules):
            shape = machine_of(measurement, machine)
            yield judge_modules(measurement, shape, drivers.get(measurement.node or ""))
        elif isinstance(measurement, Storage):
            yield from judge_storage(measurement, promises)
    for damage in log.damages:
        yield Verdict(check="log", outcome=CANNOT_TELL, why=damage.why, log=log.name, line=damage.line)

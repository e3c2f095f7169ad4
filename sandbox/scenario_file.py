"""Reads a scenario file, `gpucluster sandbox --scenario FILE pulumi ...`, into events of the simulated clouds.

docs/scenarios.md describes its fields.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from gpucluster.errors import InputError
from gpucluster.sandbox.clouds.lasting import lasting
from gpucluster.sandbox.clouds.scenario import Capacity, Data, Disturbance, Drift, Existing, Quota, Scenario
from gpucluster.sandbox.scenario_rows import File, Operation
from gpucluster.sandbox.type_guards import is_object
from gpucluster.textio.typed import Source, typed, yaml_document
from gpucluster.textio.values import shown_value


def read_scenario(file: Path) -> Scenario:
    """The scenario of a file; raises InputError with every mistake."""
    source = Source(name=f"the scenario {file}")
    found = yaml_document(file, source)
    content = found.data
    if not is_object(content):
        seen = "is empty" if content is None else f"holds {shown_value(content)}"
        fields = ", ".join(f"{name}:" for name in File.model_fields)
        raise InputError(f"the scenario {file} {seen}; write one or more of {fields}")
    given = typed(content, File, source, [str(fault) for fault in found.faults])
    return Scenario(
        exists=tuple(
            Existing(type=it.type, provider=group.provider, inputs=it.inputs)
            for group in given.exists
            for it in group.resources
        ),
        quotas=tuple(Quota(**it.model_dump()) for it in given.quotas),
        capacity=tuple(Capacity(**it.model_dump()) for it in given.capacity),
        operations=tuple(_disturbance(it) for it in given.operations),
        drift=tuple(Drift(**it.model_dump()) for it in given.drift),
        data=tuple(Data(**it.model_dump()) for it in given.data),
        stacks=given.stacks,
    )


def _disturbance(it: Operation) -> Disturbance:
    """An error without `fails` occurs at the end of a lasting operation, otherwise at once."""
    alone = "partial" if any(fnmatchcase(type_, it.type) for type_ in lasting()) else "refused"
    wish = Disturbance(**it.model_dump())
    return wish if wish.fails or not wish.error else replace(wish, fails=alone)

"""What the specs of each cloud register, against the recordings and the vendors' own schemas."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.shared.machine_choice import elastic_shape, shapes
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.judges.verdicts import Outcome, judged
from tests.components.recorded import PLANS, SPECS, plan_of, recording, spec_names

CLOUDS = [*clouds()]


@pytest.mark.parametrize(("cloud", "name"), SPECS)
def test_a_spec_registers_what_is_recorded(cloud: str, name: str) -> None:
    """UPDATE_GOLDEN=1 writes it anew."""
    file, text = PLANS / cloud / f"{name}.yaml", recording(cloud, name)
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_recording_is_of_a_spec_and_every_machine_is_in_one(cloud: str) -> None:
    assert {path.stem for path in (PLANS / cloud).glob("*.yaml")} == {*spec_names(cloud), "specs"}
    recorded = "".join((PLANS / cloud / f"{name}.yaml").read_text(encoding="utf-8") for name in spec_names(cloud))
    of_cloud = [shape for shape in shapes() if shape.cloud == cloud]
    trained = {shape.machine_type for shape in of_cloud if shape.gpus == NODE_GPUS}
    single = {elastic_shape(cloud, shape.accelerator).machine_type for shape in of_cloud}
    assert {machine for machine in trained | single if machine not in recorded} == set()


@pytest.mark.parametrize("cloud", CLOUDS)
def test_no_vendors_schema_refuses_a_recorded_resource(cloud: str) -> None:
    """What depends on another resource is unknown to the judges, as in a first preview. AWS's schemas have machines by
    region; where one is sold is in `gpucluster/core/catalog/zones.csv`.
    """
    different: dict[str, Resource] = {}
    for name in spec_names(cloud):
        for resource in plan_of(cloud, name).judged:
            key = f"{resource.type} {json.dumps(resource.inputs, default=str, sort_keys=True)}"
            different.setdefault(key, replace(resource, urn=f"{name} {resource.name}"))
    verdicts = judged(Resources(different.values()))
    refusals = [(verdict.resource.urn, remark) for verdict in verdicts for remark in verdict.refusals]
    assert [(urn, remark) for urn, remark in refusals if remark.path != "instanceType"] == []
    assert sum(verdict.outcome is Outcome.ACCEPTED for verdict in verdicts) > 50

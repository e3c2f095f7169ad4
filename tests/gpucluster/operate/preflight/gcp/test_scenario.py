"""Answers as a scenario, which the sandbox reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gpucluster.sandbox.run.scenario_file import read_scenario
from tests.components.gcp.planning.test_plan import plan
from tests.gpucluster.operate.preflight.gcp.asked import answers_of
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused


def test_the_sandbox_reads_quotas_and_a_zone_without_the_machine(google: Google, tmp_path: Path) -> None:
    def absent(_: Call) -> Any:
        raise Refused(404, "The resource was not found")

    google.answers |= {"compute.machineTypes.get": absent, "compute.machineTypes.aggregatedList": lambda _: {}}
    found: dict[str, list[Any]] = {}
    for answer in answers_of(*plan().facts.questions):
        for part, rows in answer.scenario.items():
            found.setdefault(part, []).extend(rows)
    file = tmp_path / "account.yaml"
    file.write_text(yaml.safe_dump(found))
    scenario = read_scenario(file)
    assert {(quota.name, quota.region) for quota in scenario.quotas} == {
        ("NVIDIA_H100_MEGA_GPUS", "us-central1"),
        ("PREEMPTIBLE_NVIDIA_H100_GPUS", "us-central1"),
        ("NETWORKS", "global"),
        ("GPUS_ALL_REGIONS", "global"),
    }
    assert {(one.zone, one.machine, one.available) for one in scenario.capacity} == {
        ("us-central1-b", "a3-megagpu-8g", 0),
        ("us-central1-b", "a3-highgpu-1g", 0),
    }

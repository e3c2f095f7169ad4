"""The fabric table agrees with itself, with GKE's slices and with the machines the components declare."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import gpucluster.components
from gpucluster.policies.clouds.gcp.fabric import FABRIC, Kind
from gpucluster.policies.clouds.gcp.mig import SLICES

SHAPES = Path(gpucluster.components.__file__).with_name("shapes.csv")


@pytest.mark.parametrize("machine", FABRIC)
def test_a_machine_has_the_gpus_of_its_name(machine):
    assert FABRIC[machine].gpus == int(re.search(r"-(\d+)g", machine)[1])
    assert FABRIC[machine].accelerator in SLICES or FABRIC[machine].accelerator == "nvidia-b200"


@pytest.mark.parametrize(
    ("machine", "networks", "mtu"),
    [
        ("a3-highgpu-8g", 4, 8244),
        ("a3-edgegpu-8g", 4, 8244),
        ("a3-megagpu-8g", 8, 8244),
        ("a3-ultragpu-8g", 9, 8896),
        ("a4-highgpu-8g", 9, 8896),
    ],
)
def test_a_machine_has_the_networks_of_its_blueprint(machine, networks, mtu):
    assert (FABRIC[machine].networks, FABRIC[machine].mtu) == (networks, mtu)


def test_only_whole_nodes_have_a_fabric():
    assert all(fabric.whole_node for fabric in FABRIC.values() if fabric.kind is not Kind.NONE)


def test_the_components_know_the_same_machines():
    with SHAPES.open(encoding="utf-8", newline="") as file:
        shapes = {row["machine_type"]: row for row in csv.DictReader(file) if row["cloud"] == "gcp"}
    assert shapes
    assert {name: int(row["gpus"]) for name, row in shapes.items()} == {name: FABRIC[name].gpus for name in shapes}

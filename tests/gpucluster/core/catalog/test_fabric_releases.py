"""What belongs together for a fabric to carry a job: releases, their images, and what NCCL they bring."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from gpucluster.components.azure.pools.job_pools import nd_v5_topology
from gpucluster.components.cluster.versions import KUBERNETES
from gpucluster.core.catalog import tables as table
from gpucluster.core.catalog.fabrics import none_release, release_of, releases_of
from gpucluster.core.catalog.machines import machines
from tests.cases import cases
from tests.gpucluster.core.catalog.misfit import misfit

SYMBOLS: dict[str, Any] = json.loads((Path(__file__).parent / "nccl/symbols.json").read_text())
OURS = [machine for machine in machines().values() if machine.clusters]
EVERY = [(machine, release) for machine in OURS for release in releases_of(machine)]


def of(name: str) -> Any:
    return release_of(machines()[name])


def test_a_cluster_gets_the_release_that_was_measured_with_its_driver_and_the_others_can_be_chosen() -> None:
    found = {
        machine.machine_type: [
            (release.plugin_version, release.daemon.rpartition(":")[2] or None) for release in releases_of(machine)
        ]
        for machine in OURS
        if machine.cloud == "gcp" and machine.fabric != "none"
    }
    assert found == {
        "a3-highgpu-8g": [("v3.1.12", "v2.0.15"), ("v3.1.9", "v2.0.12")],
        "a3-megagpu-8g": [
            ("v1.0.16", "v1.0.22"),
            ("v1.0.17", "v1.0.23"),
            ("v1.0.15", "v1.0.21"),
            ("v1.0.14", "v1.0.20"),
        ],
        "a3-ultragpu-8g": [("v1.1.1", None), ("v1.1.2", None), ("v1.1.0", None)],
        "a4-highgpu-8g": [("v1.1.1", None), ("v1.1.2", None), ("v1.1.0", None)],
    }


def test_nccl_is_told_the_network_of_every_fabric() -> None:
    """Names that the plugins give themselves; without one NCCL goes on over TCP."""
    found = {machine.fabric: release.nccl_net for machine, release in EVERY}
    assert found == {
        "EFA": "Libfabric",
        "TCPX": "GPUDirectTCPX_v7",
        "TCPXO": "FasTrak",
        "RoCE": "gIB",
        "InfiniBand": "IB",
        "none": "",
    }


def test_the_images_of_a_release_load_its_fabric() -> None:
    assert [(release.plugin, image) for _, release in EVERY for image in (release.pytorch, release.mpi)
            if misfit(release, image)] == []  # fmt: skip


@cases
def test_an_image_that_cannot_load_a_fabric_is_known_by_its_tag(machine: str, image: str, why: str | None) -> None:
    assert misfit(of(machine), image) == why


def recorded(package: str, wanted: str) -> dict[str, Any]:
    """The wheel of a package nearest to a version: of the same minor release."""
    minor = ".".join(wanted.split(".")[:2]) + "."
    [found] = [wheel for name, wheel in SYMBOLS.items() if name.startswith(f"{package}=={minor}")]
    return found


@cases
def test_pytorch_finds_its_functions_in_the_nccl_of_a_release_up_to_the_version_that_it_says(
    machine: str, torch: str, missing: list[str]
) -> None:
    """By the symbols of the wheels that tests/gpucluster/core/catalog/nccl/record.py has recorded."""
    release = of(machine)
    needs, has = recorded("torch", torch)["needs"], recorded("nvidia-nccl-cu12", release.nccl)["has"]
    assert sorted(set(needs) - set(has)) == missing
    fits = not release.torch_below or Version(torch) < Version(release.torch_below)
    assert fits == (not missing)


def test_every_recorded_wheel_has_its_checksum_and_functions() -> None:
    for package, wheel in SYMBOLS.items():
        assert len(wheel["sha256"]) == 64
        assert wheel["has" if package.startswith("nvidia") else "needs"]


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure"])
def test_clusters_have_the_kubernetes_that_every_release_of_theirs_takes(cloud: str) -> None:
    wanted = {release.kubernetes_from for machine, release in EVERY if machine.cloud == cloud} - {""}
    assert [one for one in wanted if Version(KUBERNETES) < Version(one)] == []


def test_the_topology_of_nd_v5_is_the_file_that_the_release_names_and_no_other_machine_of_azure_has_one() -> None:
    made = hashlib.sha256(nd_v5_topology().encode()).hexdigest()
    found = {machine.machine_type: of(machine.machine_type) for machine in OURS if machine.cloud == "azure"}
    assert {name: (one.topology, one.topology_sha256) for name, one in found.items() if one.topology} == {
        "Standard_ND96isr_H100_v5": ("nd-v5.xml", made),
        "Standard_ND96isr_H200_v5": ("nd-v5.xml", made),
    }


def test_a100_machines_of_aws_have_a_topology_and_those_whose_tree_the_plugin_reads_have_none() -> None:
    found = {machine.machine_type: of(machine.machine_type).topology for machine in OURS if machine.cloud == "aws"}
    assert {name: file for name, file in found.items() if file} == {
        "p4d.24xlarge": "p4d-24xl-topo.xml",
        "p4de.24xlarge": "p4de-24xl-topo.xml",
    }


def test_machines_without_a_fabric_have_images_and_nothing_to_wait_for() -> None:
    release = none_release()
    assert (release.plugin, release.nccl_net, release.waits_for) == ("", "", "")
    assert release.pytorch.startswith("nvcr.io/nvidia/pytorch:")
    assert release == of("a3-highgpu-1g")


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        (
            "machines",
            "p4d.24large",
            "machines is 'p4d.24large'; p4d.24large has no row in gpucluster/core/catalog/machines.csv",
        ),
        ("topology_sha256", "", "topology_sha256 is ''; write the SHA-256 of the file in topology"),
        ("cuda", "twelve", "cuda is 'twelve'; write a whole number, or leave it empty"),
        ("driver", "newest", "driver is 'newest'; write default or latest, or leave it empty"),
        ("torch_below", "2.12", "torch_below is '2.12'; write two numbers of one digit, as in 2.7"),
    ],
)
def test_a_wrong_value_is_named_with_what_to_write(
    monkeypatch: pytest.MonkeyPatch, column: str, value: str, problem: str
) -> None:
    from gpucluster.core.catalog import fabrics

    row = next(row for row in table.rows("fabric_releases") if row["machines"] == "p4d.24xlarge")
    row[column] = value
    monkeypatch.setattr(fabrics, "rows", lambda _: [row])
    with pytest.raises(table.DamagedTable, match=r"gpucluster/core/catalog/fabric_releases.csv line \d+: ") as refused:
        fabrics._releases.__wrapped__()  # pyright: ignore[reportPrivateUsage]
    assert problem in str(refused.value)

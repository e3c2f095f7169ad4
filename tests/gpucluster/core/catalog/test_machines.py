"""The table of machines agrees with itself and with what others know of the same types."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from gpucluster.core.catalog.machines import (
    flexible_only,
    gke_machine,
    gpus,
    hard_to_get,
    has_gpus,
    machines,
    not_sold,
    sold,
    zones_of,
)
from gpucluster.sandbox.clouds.azure.machines import temp_disk
from gpucluster.sandbox.clouds.gcp.machines import machine as in_the_sandbox
from tests.cases import cases
from tests.says import Says


@pytest.mark.parametrize("name", machines())
def test_a_row_says_what_a_machine_of_its_cloud_has(name):
    machine = machines()[name]
    assert machine.gpu in gpus()
    assert min(machine.gpus, machine.vcpus) > 0
    assert (machine.nvme_gb > 0) is (machine.nvme_disks > 0)
    assert (machine.fabric != "none") is (machine.network_cards > 0)
    assert (machine.interfaces_per_card > 0) is (machine.cloud == "aws")
    assert (machine.gke_gpu != "") is (machine.cloud == "gcp")
    assert (machine.temp_disk_gib > 0) is (machine.cloud == "azure")
    if machine.clusters:
        assert min(machine.memory_gib, machine.host_gbps, machine.gpu_memory_mib) > 0
        assert (machine.fabric_gbps > 0) is (machine.network_cards > 0)
        assert machine.quota or machine.cloud == "aws"
        assert machine.boot_disk or machine.cloud != "gcp"


def test_cards_with_efa_hold_one_interface_for_it_and_card_0_the_ip_interface_beside_it():
    cards = {name: machine for name, machine in machines().items() if machine.cloud == "aws"}
    assert all(machine.interfaces_per_card >= 2 for machine in cards.values())
    assert [name for name, machine in cards.items() if machine.fabric_cards[0] != 0] == ["p6-b300.48xlarge"]
    assert cards["p6-b300.48xlarge"].fabric_cards == tuple(range(1, 17))


def test_a_machine_of_google_cloud_has_the_gpus_of_its_name():
    named = {
        name: int(re.search(r"-(\d+)g", name)[1]) for name, machine in machines().items() if machine.cloud == "gcp"
    }
    assert named == {name: machines()[name].gpus for name in named}


def test_the_sandbox_which_judges_by_itself_knows_the_same_of_machines_that_it_knows():
    seen = 0
    for name, machine in machines().items():
        if machine.cloud == "gcp" and (other := in_the_sandbox(name)) is not None:
            ssds = None if machine.nvme == "optional" else machine.nvme_disks
            assert (other.accelerator, other.gpus, other.local_ssds) == (machine.gke_gpu, machine.gpus, ssds)
            seen += 1
        if machine.cloud == "azure" and (disk := temp_disk(name.lower())) is not None:
            assert disk == machine.temp_disk_gib
            seen += 1
    assert seen >= 23


@pytest.mark.parametrize("name", machines())
def test_its_name_says_that_it_has_gpus(name):
    if machines()[name].cloud != "azure":
        assert has_gpus(machines()[name].cloud, name)


@pytest.mark.parametrize(
    ("cloud", "name", "gpu"),
    [
        ("aws", "g6.xlarge", True),
        ("aws", "gr6.4xlarge", True),
        ("aws", "m7i.large", False),
        ("gcp", "a4x-highgpu-4g", True),
        ("gcp", "g2-standard-4", True),
        ("gcp", "n2-standard-4", False),
        ("gcp", "a2b", False),
    ],
)
def test_families_with_gpus_are_known_by_their_names(cloud, name, gpu):
    assert has_gpus(cloud, name) is gpu


def test_gke_makes_the_machine_that_has_as_many_gpus():
    assert gke_machine("nvidia-h100-80gb", Decimal(8)) == "a3-highgpu-8g"
    assert gke_machine("nvidia-h100-80gb", Decimal(2)) == "a3-highgpu-2g"
    assert gke_machine("nvidia-tesla-t4", Decimal(1)) is None


def test_every_machine_that_zones_are_known_of_is_in_the_table():
    assert {name for name in machines() if zones_of(name)} == {
        name for name, machine in machines().items() if machine.cloud in ("aws", "gcp") and machine.clusters
    } - {"a4-highgpu-8g"}  # no list of its zones was found


SMALL = "created as Spot or Flex-start VMs only (Compute Engine documentation, GPU machine types)"


@cases
def test_a_row_holds_for_the_machines_it_names(machine, purchase, how):
    assert sold(machine, purchase) == how


def test_what_is_not_sold_and_what_is_hard_to_get_says_why_with_its_source():
    assert not_sold("a3-highgpu-2g", "on_demand") == f"a3-highgpu-2g is not sold on demand: {SMALL}"
    assert not_sold("a3-highgpu-8g", "on_demand") is None
    assert hard_to_get("a3-ultragpu-8g", "on_demand") == Says(
        "flex-start", "Spot", "not", "Cluster", "Director", "Choose"
    )
    assert hard_to_get("a3-edgegpu-8g", "on_demand") == hard_to_get("p5.48xlarge", "on_demand") == ""


def test_machines_that_no_reservation_holds_either_are_flexible_only():
    names = ("a3-highgpu-1g", "a3-highgpu-4g", "a3-highgpu-8g", "a4-highgpu-8g", "p5.48xlarge")
    assert [name for name in names if flexible_only(name)] == ["a3-highgpu-1g", "a3-highgpu-4g"]

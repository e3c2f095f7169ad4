"""Racks are sold whole, on every cloud alike."""

from __future__ import annotations

from gpucluster.core.catalog.gpu_names import About, names_in
from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.racks import rack_accelerators, rack_in_words, racks, racks_by_machine, racks_of


def test_a_rack_is_one_nvlink_domain_of_72_gpus_with_arm_cpus() -> None:
    assert rack_accelerators() == ("gb200", "gb300")
    whole = [rack for rack in racks() if not rack.is_half]
    assert {(rack.nodes, rack.gpus, rack.rack_gpus, rack.architecture) for rack in whole} == {(18, 4, 72, "arm64")}


def test_only_aws_sells_half_racks_after_whole_ones() -> None:
    assert [(rack.cloud, rack.sku, rack.nodes, rack.rack_gpus) for rack in racks() if rack.is_half] == [
        ("aws", "u-p6e-gb200x36", 9, 36)
    ]
    assert [rack.nodes for rack in racks_by_machine()["p6e-gb200.36xlarge"]] == [18, 9]


def test_no_cluster_is_built_of_racks() -> None:
    assert not {rack.machine_type for rack in racks()} & {*machines()}


def test_a_rack_is_told_in_the_words_of_its_buyer() -> None:
    assert rack_in_words("gb300") == (
        "GB300 is sold in whole racks of 18 nodes x 4 GPUs, one NVLink domain of 72; the nodes have ARM CPUs, so "
        "images of jobs must be for arm64; a job reaches GPUs of other nodes over NVLink through a ComputeDomain of "
        "NVIDIA's DRA driver; sold by: gcp reservation of whole racks, azure on demand, or reserved"
    )
    assert rack_in_words("gb200").partition("sold by: ")[2] == (
        "aws capacity block only (u-p6e-gb200x72), aws also 9 nodes, half a rack: capacity block only "
        "(u-p6e-gb200x36), gcp reservation of whole racks, azure on demand, or reserved"
    )
    assert racks_of("h100") == ()


def test_a_program_that_names_a_machine_of_a_rack_names_its_gpus() -> None:
    found = [names_in(rack.machine_type, About.MACHINES) for rack in racks()]
    assert [[(name.machine, name.gpu, name.gpus) for name in names] for names in found] == [
        [(rack.machine_type, rack.accelerator.upper(), 4)] for rack in racks()
    ]

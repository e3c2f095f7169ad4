"""What a VM size's name says, and that the table of machines says the same."""

from __future__ import annotations

import pytest

from gpucluster.catalog.azure_sizes import Size, has_infiniband, infiniband_sizes, size_of
from gpucluster.catalog.machines import machines


@pytest.mark.parametrize(
    ("name", "series", "vcpus", "infiniband", "gpu", "version"),
    [
        ("Standard_ND96isr_H100_v5", "ND", 96, True, "H100", 5),
        ("standard_nd96isr_h100_v5", "ND", 96, True, "H100", 5),
        ("Standard_ND96isr_H200_v5", "ND", 96, True, "H200", 5),
        ("Standard_ND96is_H100_v5", "ND", 96, False, "H100", 5),
        ("Standard_ND96is_noIB_H100_v5", "ND", 96, False, "H100", 5),
        ("Standard_ND96amsr_A100_v4", "ND", 96, True, "A100", 4),
        ("Standard_ND96asr_v4", "ND", 96, True, "A100", 4),
        ("Standard_ND40rs_v2", "ND", 40, True, None, 2),
        ("Standard_ND128isr_NDR_GB200_v6", "ND", 128, True, "GB200", 6),
        ("Standard_NC40ads_H100_v5", "NC", 40, False, "H100", 5),
        ("Standard_NC80adis_H100_v5", "NC", 80, False, "H100", 5),
        ("Standard_NCC40ads_H100_v5", "NCC", 40, False, "H100", 5),
        ("Standard_NC24rs_v3", "NC", 24, True, None, 3),
        ("Standard_NC6", "NC", 6, False, None, 1),
        ("Standard_NV36ads_A10_v5", "NV", 36, False, "A10", 5),
    ],
)
def test_a_name_says_series_cpus_infiniband_and_gpu(name, series, vcpus, infiniband, gpu, version):
    size = Size(series=series, vcpus=vcpus, infiniband=infiniband, gpu=gpu, version=version, large_memory="ams" in name)
    assert size_of(name) == size


@pytest.mark.parametrize(
    ("name", "gpu"),
    [
        ("Standard_ND96isr_H100_v5", "h100"),
        ("Standard_ND96isr_H200_v5", "h200"),
        ("Standard_ND96asr_v4", "a100-40gb"),
        ("Standard_ND96amsr_A100_v4", "a100-80gb"),
        ("Standard_NC24ads_A100_v4", "a100-80gb"),
        ("Standard_NC40ads_H100_v5", "h100-nvl"),
        ("Standard_NCC40ads_H100_v5", "h100-nvl"),
        ("Standard_NV36ads_A10_v5", None),
    ],
)
def test_the_memory_of_its_gpu_tells_its_slices(name, gpu):
    assert size_of(name).model == gpu


@pytest.mark.parametrize("name", ["Standard_D8ds_v5", "Standard_HB120rs_v3", "Standard_E4s_v3", "p5.48xlarge", ""])
def test_a_size_without_gpu_is_none(name):
    assert size_of(name) is None


def test_every_size_of_the_table_is_what_its_name_says():
    sizes = {name: machine for name, machine in machines().items() if machine.cloud == "azure"}
    assert len(sizes) == 7
    assert {name: (machine.vcpus, machine.gpu, machine.fabric == "InfiniBand") for name, machine in sizes.items()} == {
        name: (size_of(name).vcpus, size_of(name).model, size_of(name).infiniband) for name in sizes
    }
    assert infiniband_sizes() == tuple(name for name in sizes if has_infiniband(name))

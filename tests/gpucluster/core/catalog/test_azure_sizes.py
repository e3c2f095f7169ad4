"""What a VM size's name says, and that the table of machines says the same."""

from __future__ import annotations

import pytest

from gpucluster.core.catalog.azure_regions import Size, has_infiniband, infiniband_sizes, size_of
from gpucluster.core.catalog.machines import machines
from tests.cases import cases


@cases
def test_a_name_says_series_cpus_infiniband_and_gpu(name, series, vcpus, infiniband, gpu, version):
    size = Size(series=series, vcpus=vcpus, infiniband=infiniband, gpu=gpu, version=version, large_memory="ams" in name)
    assert size_of(name) == size


@cases
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

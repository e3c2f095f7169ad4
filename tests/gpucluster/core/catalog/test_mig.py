"""MIG slices, as NVIDIA's MIG manager, GKE and AKS name them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpucluster.core.catalog.machines import gpus, machines
from gpucluster.core.catalog.mig import aks_profiles, gke_sizes, layouts, slices, slices_of


@pytest.mark.parametrize("gpu", sorted({found.gpu for found in slices()}))
def test_a_slice_has_the_shares_and_about_the_memory_of_its_name(gpu):
    assert len(slices_of(gpu)) == 7
    for found in slices_of(gpu):
        compute, memory = found.size.removesuffix(".me").removesuffix("gb").split("g.")
        assert found.compute == int(compute)
        assert abs(int(memory) - gpus()[gpu].memory_mib / 1024 * found.memory / 8) <= 1
        assert found.media is found.size.endswith(".me")


@pytest.mark.parametrize(
    ("gke_gpu", "sizes"),
    [
        ("nvidia-h100-80gb", ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb")),
        ("nvidia-h100-mega-80gb", ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb")),
        ("nvidia-h200-141gb", ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb")),
        ("nvidia-tesla-a100", ("1g.5gb", "2g.10gb", "3g.20gb", "7g.40gb")),
        ("nvidia-a100-80gb", ("1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb")),
        ("nvidia-b200", ("1g.23gb", "1g.45gb", "2g.45gb", "3g.90gb", "4g.90gb", "7g.180gb")),
        ("", ()),
    ],
)
def test_gke_makes_the_slices_that_its_device_plugin_accepts(gke_gpu, sizes):
    assert gke_sizes(gke_gpu) == sizes


def test_the_mig_manager_has_a_layout_for_each_slice_and_three_for_every_gpu():
    assert layouts("a100-40gb") == (
        *("all-disabled", "all-enabled", "all-balanced", "all-1g.5gb", "all-1g.5gb.me", "all-1g.10gb", "all-2g.10gb"),
        *("all-3g.20gb", "all-4g.20gb", "all-7g.40gb"),
    )
    assert layouts("b300") == (
        *("all-disabled", "all-enabled", "all-balanced", "all-1g.34gb", "all-1g.34gb.me", "all-1g.67gb", "all-2g.67gb"),
        *("all-3g.135gb", "all-4g.135gb", "all-7g.269gb"),
    )


def test_every_gpu_that_clusters_are_built_of_has_slices():
    assert all(layouts(machine.gpu) for machine in machines().values() if machine.clusters)
    assert aks_profiles() == ("MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g")


_PROFILE = re.compile(
    r"^\|\s+0\s+MIG (?P<name>\S+)\s+\d+\s+(?P<free>\d+)/(?P<most>\d+)\s+(?P<memory>[\d.]+)", re.MULTILINE
)


@pytest.mark.parametrize("gpu", ["h100", "h200"])
def test_the_slices_are_those_that_a_real_gpu_lists(gpu):
    """`nvidia-smi mig -lgip` of an H100 80GB HBM3 and an H200, driver 580.159.04, recorded on 2026-11-23."""
    listed = (Path(__file__).parent / "mig_profiles" / f"{gpu}.txt").read_text()
    found = [(match["name"].replace("+", "."), int(match["most"])) for match in _PROFILE.finditer(listed)]

    assert found == [(row.size, 1 if row.media else min(7 // row.compute, 8 // row.memory)) for row in slices_of(gpu)]

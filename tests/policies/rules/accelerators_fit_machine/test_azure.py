"""accelerators-fit-machine on Azure: MIG slices against size, driver and purpose."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.accelerators_fit_machine import RULE


def _sliced(program, profile: str | None = "MIG1g", machine="Standard_NC40ads_H100_v5", driver="Install", pool="mig"):
    program["train"].update(vmSize=machine, gpuInstanceProfile=profile, gpuProfile={"driver": driver})
    program["train"]["nodeLabels"]["gpucluster/pool"] = pool


@pytest.mark.parametrize("profile", ["MIG1g", "MIG2g", "MIG3g", "MIG4g", "MIG7g"])
@pytest.mark.parametrize(
    "machine",
    ["Standard_NC40ads_H100_v5", "Standard_ND96isr_H100_v5", "Standard_ND96asr_v4", "Standard_NC24ads_A100_v4"],
)
def test_slices_of_a_pool_of_their_own_pass(nd, found, unknown, profile, machine):
    _sliced(nd, profile, machine)
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("machine", ["Standard_NC4as_T4_v3", "Standard_ND40rs_v2", "Standard_D4s_v5"])
def test_other_gpus_have_no_slices(nd, found, machine):
    _sliced(nd, machine=machine)
    assert found(RULE, nd) == [
        ("train", f"gpuInstanceProfile MIG1g on {machine}; only A100, H100 and H200 have slices")
    ]

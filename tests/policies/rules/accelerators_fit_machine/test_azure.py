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


def test_aks_slices_with_its_own_driver_only(nd, found):
    _sliced(nd, driver="None")
    what = "gpuInstanceProfile MIG1g together with gpuProfile driver None; AKS slices GPUs only with its own driver"
    assert found(RULE, nd) == [("train", what)]


def test_without_a_profile_any_driver_will_do(nd, found, unknown):
    _sliced(nd, profile=None, driver="None")
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("machine", ["Standard_NC4as_T4_v3", "Standard_ND40rs_v2", "Standard_D4s_v5"])
def test_other_gpus_have_no_slices(nd, found, machine):
    _sliced(nd, machine=machine)
    assert found(RULE, nd) == [
        ("train", f"gpuInstanceProfile MIG1g on {machine}; only A100, H100 and H200 have slices")
    ]


def test_a_profile_that_aks_does_not_know_is_found(nd, found):
    _sliced(nd, "1g.10gb")
    assert found(RULE, nd) == [("train", "gpuInstanceProfile 1g.10gb; allowed: MIG1g, MIG2g, MIG3g, MIG4g, MIG7g")]


@pytest.mark.parametrize("what", ["gpuInstanceProfile", "gpuProfile", "vmSize"])
def test_what_is_not_known_yet_is_said(nd, found, unknown, what):
    _sliced(nd)
    nd["train"][what] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "whether its GPUs support its MIG profile is not known yet")]

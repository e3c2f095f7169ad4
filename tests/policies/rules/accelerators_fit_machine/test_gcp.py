"""accelerators-fit-machine on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.accelerators_fit_machine import RULE


def _gpu(program):
    return program["train"]["nodeConfig"]["guestAccelerators"][0]


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"type": "nvidia-h100-80gb"}, "8 of nvidia-h100-80gb"),
        ({"count": 4.0}, "4 of nvidia-h100-mega-80gb"),
        ({"type": "nvidia-b200", "count": 1.0}, "1 of nvidia-b200"),
    ],
)
def test_type_and_count_are_those_of_the_machine(mega, found, changed, asked):
    _gpu(mega).update(changed)
    assert found(RULE, mega) == [("train", f"{asked}; a3-megagpu-8g has 8 of nvidia-h100-mega-80gb")]


@pytest.mark.parametrize("machine", ["high", "mega", "ultra"])
def test_what_the_machines_have_passes(request, found, unknown, machine):
    program = request.getfixturevalue(machine)
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize("size", ["4g.40gb", "3g.20gb", "half"])
def test_a_slice_gke_does_not_make_is_refused(high, found, size):
    _gpu(high)["gpuPartitionSize"] = size
    assert found(RULE, high) == [
        (
            "train",
            f"gpuPartitionSize `{size}`; allowed for nvidia-h100-80gb: 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 7g.80gb",
        )
    ]


@pytest.mark.parametrize(("machine", "size"), [("high", "1g.20gb"), ("ultra", "4g.71gb"), ("mega", "7g.80gb")])
def test_a_slice_gke_makes_passes(request, found, machine, size):
    program = request.getfixturevalue(machine)
    _gpu(program)["gpuPartitionSize"] = size
    assert found(RULE, program) == []


def test_local_ssds_are_those_of_the_machine(mega, found):
    mega["train"]["nodeConfig"]["ephemeralStorageLocalSsdConfig"]["localSsdCount"] = 32.0
    assert found(RULE, mega) == [("train", "32 local SSDs; a3-megagpu-8g has 16")]


def test_local_ssds_are_one_array_or_raw_disks(mega, found):
    mega["train"]["nodeConfig"]["localNvmeSsdBlockConfig"] = {"localSsdCount": 16.0}
    assert found(RULE, mega) == [
        (
            "train",
            "ephemeralStorageLocalSsdConfig and localNvmeSsdBlockConfig together; set only one of them",
        )
    ]
    mega["train"]["nodeConfig"]["ephemeralStorageLocalSsdConfig"]["localSsdCount"] = 0.0
    assert found(RULE, mega) == []


def test_everything_wrong_is_told_at_once(mega, found):
    _gpu(mega).update(count=4.0, gpuPartitionSize="4g.40gb")
    [(_, what)] = found(RULE, mega)
    assert what.count("; ") == 3


def test_what_is_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["guestAccelerators"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "its accelerators are not known yet")])


def test_a_machine_type_not_known_yet_is_said(mega, found, unknown):
    mega["train"]["nodeConfig"]["machineType"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("train", "its machine type is not known yet")])


def test_a_count_not_known_yet_decides_nothing(mega, found):
    _gpu(mega)["count"] = mega.unknown
    assert found(RULE, mega) == []


def test_machines_of_no_accelerator_family_are_not_looked_at(mega, found, unknown):
    mega["train"]["nodeConfig"].update(machineType="n1-standard-8", guestAccelerators=[{"type": "nvidia-tesla-t4"}])
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])

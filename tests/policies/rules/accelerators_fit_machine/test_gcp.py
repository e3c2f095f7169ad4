"""accelerators-fit-machine on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.accelerators_fit_machine import RULE


def _gpu(program):
    return program["train"]["nodeConfig"]["guestAccelerators"][0]


@pytest.mark.parametrize("machine", ["high", "mega", "ultra"])
def test_what_the_machines_have_passes(request, found, unknown, machine):
    program = request.getfixturevalue(machine)
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize(("machine", "size"), [("high", "1g.20gb"), ("ultra", "4g.71gb"), ("mega", "7g.80gb")])
def test_a_slice_gke_makes_passes(request, found, machine, size):
    program = request.getfixturevalue(machine)
    _gpu(program)["gpuPartitionSize"] = size
    assert found(RULE, program) == []

"""fabric-interfaces-valid on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_interfaces_valid import RULE
from tests.says import Says


@pytest.mark.parametrize(
    ("machine", "strategy", "what"),
    [
        ("mega", "TCPXO", Says("gpudirectStrategy", "TCPXO", "a3-megagpu-8g", "none")),
        ("mega", "RDMA", Says("gpudirectStrategy", "RDMA", "a3-megagpu-8g", "none")),
        ("ultra", "TCPX", Says("gpudirectStrategy", "TCPX", "a3-ultragpu-8g", "RDMA", "none")),
    ],
)
def test_the_api_knows_one_strategy(request, found, machine, strategy, what):
    program = request.getfixturevalue(machine)
    program["train"]["nodeConfig"]["gpudirectStrategy"] = strategy
    assert found(RULE, program) == [("train", what)]

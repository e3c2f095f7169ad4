"""fabric-interfaces-valid on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.fabric_interfaces_valid import RULE


@pytest.mark.parametrize(
    ("machine", "strategy", "what"),
    [
        ("mega", "TCPXO", "gpudirectStrategy `TCPXO`; allowed on a3-megagpu-8g: none"),
        ("mega", "RDMA", "gpudirectStrategy `RDMA`; allowed on a3-megagpu-8g: none"),
        ("ultra", "TCPX", "gpudirectStrategy `TCPX`; allowed on a3-ultragpu-8g: RDMA or none"),
    ],
)
def test_the_api_knows_one_strategy(request, found, machine, strategy, what):
    program = request.getfixturevalue(machine)
    program["train"]["nodeConfig"]["gpudirectStrategy"] = strategy
    assert found(RULE, program) == [("train", what)]

"""The training pool: interfaces of its nodes."""

from __future__ import annotations

import pytest

from gpucluster.components.aws.planning.training import plan_interfaces
from gpucluster.components.shared.pools.machine_choice import shape


def test_p5_has_one_ip_interface_and_a_fabric_interface_on_each_of_32_cards() -> None:
    found = [(item.card, item.device, item.kind) for item in plan_interfaces(shape("aws", "p5.48xlarge"))]
    assert found == [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 32))]


@pytest.mark.parametrize(
    ("machine_type", "interfaces"),
    [("p5.48xlarge", 33), ("p5e.48xlarge", 33), ("p5en.48xlarge", 17), ("p5.4xlarge", 2)],
)
def test_the_number_of_interfaces_is_aws_table(machine_type: str, interfaces: int) -> None:
    assert len(plan_interfaces(shape("aws", machine_type))) == interfaces

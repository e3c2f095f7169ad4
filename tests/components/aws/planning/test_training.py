"""The training pool: interfaces of its nodes."""

from __future__ import annotations

import pytest

from gpucluster.components.aws.planning.training import block_notes, block_size, plan_interfaces
from gpucluster.components.shared.machine_choice import shape


def test_p5_has_one_ip_interface_and_a_fabric_interface_on_each_of_32_cards() -> None:
    found = [(item.card, item.device, item.kind) for item in plan_interfaces(shape("aws", "p5.48xlarge"))]
    assert found == [(0, 0, "interface"), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 32))]


def test_the_first_card_of_b300_carries_ip_alone() -> None:
    found = [(item.card, item.device, item.kind) for item in plan_interfaces(shape("aws", "p6-b300.48xlarge"))]
    assert found == [(0, 0, "interface"), *((card, 0, "efa-only") for card in range(1, 17))]


@pytest.mark.parametrize(
    ("machine_type", "interfaces"),
    [("p5.48xlarge", 33), ("p5e.48xlarge", 33), ("p5en.48xlarge", 17), ("p5.4xlarge", 2), ("p6-b200.48xlarge", 9)],
)
def test_the_number_of_interfaces_is_aws_table(machine_type: str, interfaces: int) -> None:
    assert len(plan_interfaces(shape("aws", machine_type))) == interfaces


@pytest.mark.parametrize(
    ("nodes", "size"), [(1, 1), (2, 2), (3, 4), (5, 8), (8, 8), (9, 16), (33, 64), (64, 64), (65, None)]
)
def test_a_block_is_the_next_size_that_is_sold(nodes: int, size: int | None) -> None:
    assert block_size(nodes) == size


def test_what_a_block_has_too_many_is_said() -> None:
    assert block_notes("cr-1", nodes=5, active=False) == [
        "5 nodes need a capacity block of 8 instances (blocks have 1, 2, 4, 8, 16, 32, 64): 3 of them are paid for "
        "but unused",
        "the training pool has 0 nodes until cr-1 starts: then set purchase.active: true and run `pulumi up`",
    ]


def test_a_block_that_runs_says_when_it_ends() -> None:
    assert block_notes("cr-1", nodes=8, active=True) == [
        "8 nodes need a capacity block of 8 instances (blocks have 1, 2, 4, 8, 16, 32, 64): all of them are used",
        "EKS scales the pool to 0 nodes 40 minutes before cr-1 ends, and EC2 terminates them 30 minutes before; by "
        "then set purchase.active: false",
    ]
    assert block_notes("cr-2", nodes=1, active=True, several=True) == [
        "1 node needs a capacity block of 1 instance (blocks have 1, 2, 4, 8, 16, 32, 64): all of them are used",
        "EKS scales its node group to 0 nodes 40 minutes before cr-2 ends, and EC2 terminates them 30 minutes before; "
        "by then remove the block and its nodes from the spec, or set purchase.active: false if all end",
    ]

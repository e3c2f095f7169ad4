"""Reservations and capacity blocks, in words."""

from __future__ import annotations

import pytest

from gpucluster.components.aws.planning.purchase import block_notes, block_size


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

"""What a pause saves, by the state of a stack."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.operate.account.pause import saving
from gpucluster.operate.account.stack_status import StackStatus
from tests.says import Says

URN = "urn:pulumi:s::p::"


def node_group(*, desired: int, template: dict[str, Any]) -> StackStatus:
    """A training pool of p5.48xlarge in us-east-1, $55.04 an hour, with root disks of 20 GiB for $1.60 a month."""
    pool = Resource(urn=f"{URN}gpucluster:aws:TrainingPool::trial-training", type="gpucluster:aws:TrainingPool",
                    name="trial-training", custom=False)  # fmt: skip
    made = Resource(
        urn=f"{URN}aws:ec2/launchTemplate:LaunchTemplate::template",
        type="aws:ec2/launchTemplate:LaunchTemplate",
        name="template",
        inputs={"instanceType": "p5.48xlarge", **template},
        outputs={"id": "lt-1"},
        parent=pool.urn,
    )
    group = Resource(
        urn=f"{URN}aws:eks/nodeGroup:NodeGroup::nodes",
        type="aws:eks/nodeGroup:NodeGroup",
        name="nodes",
        inputs={
            "scalingConfig": {"desiredSize": desired, "minSize": desired, "maxSize": 5},
            "launchTemplate": {"id": "lt-1", "version": "1"},
        },
        parent=pool.urn,
        dependencies={"launchTemplate": (made.urn,)},
    )
    return StackStatus("s", Resources([pool, made, group], default_regions={"aws": "us-east-1"}), None)


RESERVED = {"capacityReservationSpecification": {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}}
GO = "the nodes of trial-training are deleted, and the jobs on them end; data, network and control plane stay"


@pytest.mark.parametrize(
    ("template", "pools", "said"),
    [
        ({}, ("trial-training",), Says(f"{GO}", "$200,904.00", "$6,605.06")),
        (RESERVED, ("trial-training",), Says(f"{GO}", "$8.00", "$0.26", "$200,896.00", "not")),
    ],
    ids=["on demand", "in a reservation"],
)
def test_a_pause_tells_what_it_saves_and_what_reserved_capacity_costs_on(
    template: dict[str, Any], pools: tuple[str, ...], said: str
) -> None:
    found = saving(node_group(desired=5, template=template))
    assert (found.pools, found.sentence) == (pools, said)


def test_a_pool_without_nodes_saves_nothing() -> None:
    assert saving(node_group(desired=0, template={})).pools == ()

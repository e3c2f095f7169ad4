"""The address plan: private, without overlaps, large enough."""

from __future__ import annotations

import dataclasses

import pytest

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.planning.network_plan import AddressPlan, plan_addresses, refuse_addresses
from gpucluster.components.spec.existing import ClusterNetwork
from tests.components.told import told


def refused(plan: AddressPlan, nodes: int) -> list[str]:
    planning = CLOUD.planning(None, "dev")
    refuse_addresses(plan, planning, nodes=nodes)
    return told(planning.problems)


def test_the_plan_holds_a_whole_scale_set_and_hundreds_of_other_nodes() -> None:
    assert refused(AddressPlan(), 300 + 700) == []


def test_pods_and_services_lie_outside_of_the_network_and_subnets_inside() -> None:
    plan = dataclasses.replace(AddressPlan(), pods="10.0.64.0/18", lustre="10.9.0.0/24")
    assert refused(plan, 5) == [
        "network.ranges has network (10.0.0.0/16) and pods (10.0.64.0/18), which overlap; write others",
        "the range of Lustre, 10.9.0.0/24, is outside of the network (10.0.0.0/16)",
    ]


def test_small_ranges_are_named_with_what_they_hold() -> None:
    plan = dataclasses.replace(AddressPlan(), nodes="10.0.0.0/26", pods="10.4.0.0/19")
    assert refused(plan, 60) == [
        "training.nodes and the other pools need 60 addresses for nodes; the plan has 59: request fewer nodes",
        "training.nodes and the other pools need 15,360 addresses for pods; the plan has 8,192: request fewer nodes",
    ]


@pytest.mark.parametrize(
    ("tib", "cidr"),
    [(4, "10.0.32.0/24"), (196, "10.0.32.0/24"), (200, "10.0.32.0/23"), (400, "10.0.32.0/23"), (404, "10.0.32.0/20")],
)
def test_the_subnet_of_lustre_grows_with_it(tib: int, cidr: str) -> None:
    assert plan_addresses(ClusterNetwork(), lustre_tib=tib).lustre == cidr

"""The address plan: private, without overlaps, large enough."""

from __future__ import annotations

import dataclasses

import pytest

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.planning.network_plan import AddressPlan, plan_addresses, plan_network, refuse_addresses
from gpucluster.components.spec.existing import ClusterNetwork
from gpucluster.core.catalog.fabrics import MTU, fabric_of
from gpucluster.core.catalog.machines import machines
from tests.components.told import reports, told


def refused(plan: AddressPlan, gpu_nodes: int, other_nodes: int) -> list[str]:
    planning = CLOUD.planning(None, "dev")
    refuse_addresses(plan, planning, gpu_nodes=gpu_nodes, other_nodes=other_nodes)
    return told(planning.problems)


@pytest.mark.parametrize("subnets", [0, 4, 8, 9])
def test_a_plan_of_ours_holds_400_nodes_of_every_shape(subnets: int) -> None:
    plan = plan_addresses(subnets, ClusterNetwork())
    assert len(plan.gpu) == subnets
    assert refused(plan, 512, 100) == []


def test_public_ranges_overlaps_and_small_ranges_are_all_named() -> None:
    plan = dataclasses.replace(
        AddressPlan(), nodes="192.169.0.0/26", pods="10.0.64.0/18", gpu=("10.8.0.0/26", "10.8.0.0/20")
    )
    assert refused(plan, 400, 3) == [
        "the range of nodes, 192.169.0.0/26, is not private",
        "network.ranges has private services (10.0.64.0/20) and pods (10.0.64.0/18), which overlap; write others",
        "network.ranges has GPU network 0 (10.8.0.0/26) and GPU network 1 (10.8.0.0/20), which overlap; write others",
        "training.nodes and the other pools need 403 addresses for nodes; 192.169.0.0/26 has 60: request fewer nodes",
        "training.nodes and the other pools need 26,368 addresses for pods; 10.0.64.0/18 has 16,384: request fewer "
        "nodes",
        "training.nodes and the other pools need 400 addresses for GPU network 0; 10.8.0.0/26 has 60: request fewer "
        "nodes",
    ]


def test_a_network_has_the_frames_of_its_fabric_or_the_default_ones() -> None:
    for machine in machines().values():
        if machine.cloud == "gcp":
            fabric = fabric_of(machine)
            wanted = MTU if fabric is None else fabric.mtu
            assert plan_network(machine, reports(), nat=True, private_services=True).mtu == wanted

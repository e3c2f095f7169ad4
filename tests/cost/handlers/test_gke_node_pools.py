"""GKE node pools in a reservation: what it costs, and who pays. Their other bills: `bills/gke_node_pools.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

POOL = "gcp:container/nodePool:NodePool"
ZONE = "us-central1-a"
CALENDAR = {"gpucluster-calendar-nodes": "5"}
PAGE = "ewyluda/gpu-price-index@1e77fb7:tests/fixtures/gcp.html"


def _pool(make: Make, nodes: int = 5, **labels: str) -> Resource:
    affinity = {
        "consumeReservationType": "SPECIFIC_RESERVATION",
        "key": "compute.googleapis.com/reservation-name",
        "values": ["projects/p/reservations/r"],
    }
    disk = {"diskSizeGb": 100, "diskType": "pd-balanced"}
    config = {"machineType": "a3-megagpu-8g", **disk, "reservationAffinity": affinity, "resourceLabels": labels}
    private = {"enablePrivateNodes": True}
    return make(POOL, "nodes", nodeConfig=config, location=ZONE, nodeCount=nodes, networkConfig=private)


def test_a_reservation_bought_elsewhere_is_part_of_the_total(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make), region=None)
    line = found.lines[0]
    assert (line.spend, line.region) == ("committed-elsewhere", "us-central1")
    assert (line.source, line.as_of, line.unit_price) == (PAGE, "2026-10", Decimal("93.4"))
    assert (line.monthly, found.committed_monthly) == (Decimal("340910.00"), Decimal("340910.00"))
    assert found.monthly.expected == Decimal("340960.00")  # with five boot disks
    assert found.not_priced == ()


@pytest.mark.parametrize("nodes", [0, 5])
def test_a_calendar_reservation_costs_the_same_before_and_after_it_is_delivered(
    make: Make, cost_of: CostOf, nodes: int
) -> None:
    cluster = make("gpucluster:gcp:TrainingCluster", "trial", custom=False, durationDays=14)
    found = cost_of(cluster, _pool(make, nodes, **CALENDAR), region=None)
    line = found.lines[0]
    assert line.purchase == "dws_calendar"
    assert (line.monthly, line.idle, line.upfront) == (Decimal("160600.00"), 0, 0)  # 5 x 44 x 730
    disks = found.monthly.expected - line.monthly
    assert found.trial_total == Decimal("73920.00") + round(disks * 14 * 24 / 730, 2)  # 5 x 44 x 24 x 14
    assert found.not_priced == ()


def test_node_pools_in_one_calendar_reservation_pay_for_it_once(make: Make, cost_of: CostOf) -> None:
    pools = [replace(_pool(make, nodes, **CALENDAR), urn=f"urn:pulumi:dev::test::{POOL}::{nodes}")
             for nodes in (2, 3)]  # fmt: skip
    found = cost_of(*pools, region=None)
    assert found.committed_monthly == Decimal("160600.00")
    assert [(line.paid_by, line.monthly) for line in found.lines if line.unit == "instance-hour"] == [
        ("", Decimal("160600.00")),
        ("projects/p/reservations/r", Decimal("0.00")),
    ]

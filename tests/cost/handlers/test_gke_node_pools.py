"""GKE node pools: machines by the way they are bought, zones, autoscaling, reservations, disks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
ZONE = "us-central1-a"
PRIVATE = {"enablePrivateNodes": True}
PAGE = "ewyluda/gpu-price-index@1e77fb7:tests/fixtures/gcp.html"
NOT_LISTED = (
    "a3-megagpu-8g on demand: list price; Google's table of consumption options has no GPU machine under on demand "
    "(Cluster Director documentation, Choose a consumption option), so its availability without a reservation, "
    "flex-start or Spot is unknown"
)


def _pool(make: Make, machine: str = "a3-megagpu-8g", nodes: Any = 5, config: Any = None, **inputs: Any) -> Resource:
    found = {"location": ZONE, "nodeLocations": [ZONE], "nodeCount": nodes, "networkConfig": PRIVATE, **inputs}
    node_config = {"machineType": machine, "diskSizeGb": 100, "diskType": "pd-balanced", **(config or {})}
    return make(
        POOL, "nodes", nodeConfig=node_config, **{key: value for key, value in found.items() if value is not None}
    )


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [(line.name, line.basis, f"{line.monthly:f}") for line in found.lines]


@pytest.mark.parametrize(
    ("machine", "price", "monthly"),
    [("a3-megagpu-8g", "93.40", "340910.00"), ("a3-highgpu-8g", "88.49", "322988.50")],
)
def test_five_training_machines_are_five_times_the_page_price_times_730(
    make: Make, cost_of: CostOf, machine: str, price: str, monthly: str
) -> None:
    ssd = {"ephemeralStorageLocalSsdConfig": {"localSsdCount": 16}, "guestAccelerators": [{"type": "x", "count": 8}]}
    found = cost_of(_pool(make, machine, config=ssd), region=None)
    assert found.not_priced == ()
    assert _lines(found) == [
        (f"5 x {machine} on demand", "5 x 730 h", monthly),
        ("boot disks, pd-balanced", "5 x 100 GiB", "50.00"),
    ]
    line = found.lines[0]
    assert line.monthly == 5 * Decimal(price) * 730
    assert (line.unit_price, line.region, line.purchase, line.as_of, line.source, line.confidence) == (
        Decimal(price),
        "us-central1",
        "on_demand",
        "2026-10",
        PAGE,
        "high",
    )


def test_what_is_known_against_getting_a_machine_stands_on_its_line(make: Make, cost_of: CostOf) -> None:
    mega = cost_of(_pool(make), region=None).lines[0]
    assert mega.assumption == NOT_LISTED
    ultra = cost_of(_pool(make, "a3-ultragpu-8g"), region=None).lines[0]
    assert (ultra.unit_price, ultra.assumption) == (
        Decimal("84.81"),
        "a3-ultragpu-8g on demand: list price; Google offers it by reservation, calendar mode, flex-start or Spot and "
        "not on demand (Cluster Director documentation, Choose a consumption option)",
    )


@pytest.mark.parametrize("machine", ["a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"])
def test_the_small_machines_are_not_sold_on_demand_whatever_a_sum_of_parts_says(
    make: Make, cost_of: CostOf, machine: str
) -> None:
    found = cost_of(_pool(make, machine, nodes=1), region=None)
    assert [item.reason for item in found.not_priced] == [
        f"{machine} is not sold on demand: created as Spot or Flex-start VMs only "
        "(Compute Engine documentation, GPU machine types)"
    ]
    assert [line.name for line in found.lines] == ["boot disks, pd-balanced"]
    assert [item.type for item in found.unpriced_compute] == [POOL]


@pytest.mark.parametrize(
    ("config", "inputs", "name", "price"),
    [
        ({"spot": True}, {}, "5 x a3-megagpu-8g spot", "55.89"),
        ({"preemptible": True}, {}, "5 x a3-megagpu-8g spot", "55.89"),
        ({"flexStart": True, "maxRunDuration": "604800s"}, {}, "5 x a3-megagpu-8g flex-start", "40.32"),
        ({}, {"queuedProvisioning": {"enabled": True}}, "5 x a3-megagpu-8g flex-start", "40.32"),
    ],
)
def test_the_way_a_pool_is_bought_decides_its_price(
    make: Make, cost_of: CostOf, config: dict[str, Any], inputs: dict[str, Any], name: str, price: str
) -> None:
    line = cost_of(_pool(make, config=config, **inputs), region=None).lines[0]
    assert (line.name, line.unit_price) == (name, Decimal(price))


def test_committed_use_covers_shares_of_on_demand_gpu_machines(make: Make, cost_of: CostOf) -> None:
    assumptions = Assumptions().with_values({"cud_1y_share": "0.6", "cud_3y_share": "0.2"})
    found = cost_of(_pool(make), region=None, assumptions=assumptions)
    assert _lines(found)[:3] == [
        ("3 x a3-megagpu-8g committed use 1y", "3 x 730 h", "140619.90"),
        ("1 x a3-megagpu-8g committed use 3y", "1 x 730 h", "29674.50"),
        ("1 x a3-megagpu-8g on demand", "1 x 730 h", "68182.00"),
    ]
    whole = cost_of(_pool(make), region=None, assumptions=Assumptions().with_values({"cud_3y_share": "1"}))
    assert _lines(whole)[0] == ("5 x a3-megagpu-8g committed use 3y", "5 x 730 h", "148372.50")
    assert "cud_3y_share: 1 of on-demand GPU machines are under committed use of 3y" in whole.assumptions
    system = cost_of(_pool(make, "e2-standard-4", nodes=2), region=None, assumptions=assumptions)
    assert _lines(system)[0] == ("2 x e2-standard-4 on demand", "2 x 730 h", "195.67")


@pytest.mark.parametrize(
    ("location", "zones", "of_cluster", "nodes"),
    [
        (ZONE, [ZONE], None, "2"),
        ("us-central1", [ZONE], None, "2"),
        ("us-central1", [ZONE, "us-central1-b"], None, "4"),
        ("us-central1", None, None, "6"),
        (ZONE, None, None, "2"),
        (None, None, {"location": "us-central1", "nodeLocations": [ZONE, "us-central1-f"]}, "4"),
        (None, None, {"location": ZONE, "nodeLocations": ["us-central1-b"]}, "4"),
        (None, None, {"location": "us-central1"}, "6"),
    ],
)
def test_the_node_count_is_for_each_zone(
    make: Make, cost_of: CostOf, location: Any, zones: Any, of_cluster: Any, nodes: str
) -> None:
    inputs = {"location": location, "nodeLocations": zones, "nodeCount": 2}
    cluster = make(CLUSTER, "cluster", **{"loggingConfig": {}, **(of_cluster or {"location": "us-central1"})})
    pool = make(
        POOL,
        "nodes",
        dependencies={"cluster": cluster},
        cluster=UNKNOWN,
        nodeConfig={"machineType": "e2-standard-4"},
        **{key: value for key, value in inputs.items() if value},
    )
    found = cost_of(cluster, pool, region=None)
    assert [line.name for line in found.lines if "standard-4" in line.name] == [f"{nodes} x e2-standard-4 on demand"]


SCALED: list[tuple[dict[str, Any], dict[str, Any], tuple[str, str, str], str]] = [
    (
        {"autoscaling": {"totalMinNodeCount": 2, "totalMaxNodeCount": 6}},
        {},
        ("2", "3", "6"),
        "expected_share: 0.5 of the maximum of nodes runs on average",
    ),
    (
        {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2}, "nodeLocations": [ZONE, "us-central1-b"]},
        {},
        ("2", "2.0", "4"),
        "expected_share: 0.5 of the maximum of nodes runs on average",
    ),
    (
        {"autoscaling": {"totalMaxNodeCount": 4}},
        {"flexStart": True},
        ("0", "4", "4"),
        "flex-start: all 4 nodes of nodes are assumed running",
    ),
    ({"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}, "initialNodeCount": 3}, {}, ("1", "3", "4"), ""),
    (
        {"autoscaling": {"totalMinNodeCount": 1}},
        {},
        ("1", "1", "unbounded"),
        "autoscaling of nodes has no maximum: its ceiling is unbounded",
    ),
]


@pytest.mark.parametrize(("inputs", "config", "nodes", "said"), SCALED)
def test_a_pool_that_scales_has_a_floor_an_expected_number_and_a_ceiling(
    make: Make, cost_of: CostOf, inputs: dict[str, Any], config: dict[str, Any], nodes: tuple[str, str, str], said: str
) -> None:
    line = cost_of(_pool(make, "n2-standard-4", nodes=None, config=config, **inputs), region=None)
    purchase = "flex-start" if config else "on demand"
    if config:  # an n2 has no flex-start price: the number of nodes shows on its disks
        assert line.not_priced[0].reason.startswith("no price for n2-standard-4 flex_start")
        disks = line.lines[0]
        assert (disks.floor, disks.quantity, disks.ceiling) == tuple(Decimal(n) * 100 for n in nodes)
        return
    machines = line.lines[0]
    assert machines.name == f"n2-standard-4 {purchase}, autoscaled"
    found = tuple(n if isinstance(n, str) else n / 730 for n in (machines.floor, machines.quantity, machines.ceiling))
    assert found == tuple(n if n == "unbounded" else Decimal(n) for n in nodes)
    assert machines.assumption == said


def test_a_flex_start_pool_is_taken_as_full(make: Make, cost_of: CostOf) -> None:
    config = {"flexStart": True, "maxRunDuration": "604800s"}
    pool = _pool(make, nodes=None, config=config, autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": 5})
    line = cost_of(pool, region=None).lines[0]
    assert (line.name, line.basis) == ("a3-megagpu-8g flex-start, autoscaled", "5 x 730 h")
    assert (line.monthly_floor, line.monthly, line.monthly_ceiling) == (0, Decimal("147168.00"), Decimal("147168.00"))
    assert line.assumption == "flex-start: all 5 nodes of nodes are assumed running"


def _affinity(name: Any = "projects/p/reservations/r") -> dict[str, Any]:
    return {
        "reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": [name],
        }
    }


def test_a_reservation_bought_elsewhere_is_part_of_the_total(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, config=_affinity()), region=None)
    line = found.lines[0]
    said = (
        "projects/p/reservations/r is not part of this stack: billed by its reservation while it exists, used or not, "
        "at the on-demand rate, or at $44.00 per instance-hour for its whole period when bought in calendar mode; its "
        "capacity beyond these machines is unknown"
    )
    assert (line.name, line.spend, line.region) == (
        "5 x a3-megagpu-8g in reservation projects/p/reservations/r",
        "committed-elsewhere",
        "us-central1",
    )
    assert line.assumption == said
    assert (line.source, line.as_of, line.unit_price) == (PAGE, "2026-10", Decimal("93.4"))
    assert (line.monthly, found.committed_monthly) == (Decimal("340910.00"), Decimal("340910.00"))
    assert found.monthly.expected == Decimal("340960.00")  # with five boot disks
    assert found.not_priced == ()


def test_a_pool_that_waits_for_its_reservation_does_not_look_free(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, nodes=0, config=_affinity()), region=None)
    assert [item.reason for item in found.unpriced_compute] == [
        "the cost of projects/p/reservations/r where it is bought: nothing runs in it yet, and its number of "
        "machines is unknown"
    ]
    assert (found.monthly.expected, found.complete) == (0, False)


@pytest.mark.parametrize("nodes", [0, 5])
def test_a_calendar_reservation_costs_the_same_before_and_after_it_is_delivered(
    make: Make, cost_of: CostOf, nodes: int
) -> None:
    config = {**_affinity(), "resourceLabels": {"gpucluster-calendar-nodes": "5"}}
    cluster = make("gpucluster:gcp:TrainingCluster", "trial", custom=False, durationDays=14)
    found = cost_of(cluster, _pool(make, nodes=nodes, config=config), region=None)
    line = found.lines[0]
    said = (
        "projects/p/reservations/r is a reservation in calendar mode, not part of this stack: its 5 machines are "
        "billed for its whole period, used or not"
    )
    assert (line.name, line.assumption, line.purchase) == (
        "5 x a3-megagpu-8g in reservation projects/p/reservations/r",
        said,
        "dws_calendar",
    )
    assert (line.monthly, line.idle, line.upfront) == (Decimal("160600.00"), 0, 0)  # 5 x 44 x 730
    disks = found.monthly.expected - line.monthly
    assert found.trial_total == Decimal("73920.00") + round(disks * 14 * 24 / 730, 2)  # 5 x 44 x 24 x 14
    assert found.not_priced == ()


def test_node_pools_in_one_calendar_reservation_pay_for_it_once(make: Make, cost_of: CostOf) -> None:
    config = {**_affinity(), "resourceLabels": {"gpucluster-calendar-nodes": "5"}}
    pools = [replace(_pool(make, nodes=nodes, config=config), urn=f"urn:pulumi:dev::test::{POOL}::{nodes}")
             for nodes in (2, 3)]  # fmt: skip
    found = cost_of(*pools, region=None)
    assert found.committed_monthly == Decimal("160600.00")
    assert [(line.paid_by, line.monthly) for line in found.lines if line.unit == "instance-hour"] == [
        ("", Decimal("160600.00")),
        ("projects/p/reservations/r", Decimal("0.00")),
    ]


def test_a_calendar_reservation_without_a_price_says_so(make: Make, cost_of: CostOf) -> None:
    config = {**_affinity(), "resourceLabels": {"gpucluster-calendar-nodes": "5"}}
    said = (
        "projects/p/reservations/r is a reservation in calendar mode, not part of this stack: its 5 machines are "
        "billed for its whole period, used or not"
    )
    priced = cost_of(_pool(make, nodes=0, config=config), region=None)
    assert priced.lines[0].assumption == said
    unknown = cost_of(_pool(make, "a3-edgegpu-8g", nodes=0, config=config), region=None)
    assert (unknown.lines[0].assumption, unknown.lines[0].paid_by) == (said, "projects/p/reservations/r")
    assert len(unknown.unpriced_compute) == 1
    [reason] = [item.reason for item in unknown.not_priced]
    assert reason.startswith("the cost of projects/p/reservations/r where it is bought: ")


def test_a_reservation_of_the_same_stack_is_billed_once(make: Make, cost_of: CostOf) -> None:
    reservation = make(
        "gcp:compute/reservation:Reservation",
        "reserved",
        zone=ZONE,
        specificReservation={"count": 5, "instanceProperties": {"machineType": "a3-megagpu-8g"}},
    )
    pool = make(
        POOL,
        "nodes",
        dependencies={"nodeConfig": reservation},
        location=ZONE,
        networkConfig=PRIVATE,
        nodeCount=5,
        nodeConfig={"machineType": "a3-megagpu-8g", "diskSizeGb": 100, "diskType": "pd-balanced", **_affinity(UNKNOWN)},
    )
    found = cost_of(reservation, pool, region=None)
    assert _lines(found) == [
        ("5 x a3-megagpu-8g reserved, on demand", "5 x 730 h", "340910.00"),
        ("5 x a3-megagpu-8g in reservation reserved", "5 x 730 h", "0.00"),
        ("boot disks, pd-balanced", "5 x 100 GiB", "50.00"),
    ]
    assert found.committed_monthly == 0


def test_a_reservation_where_the_machine_has_no_price_is_named(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, location="us-south1-ai1b", nodeLocations=None, config=_affinity()), region=None)
    (machines,) = (item for item in found.not_priced if item.compute)
    assert machines.reason.startswith("no price for a3-megagpu-8g on_demand in gcp us-south1")
    assert machines.between is not None
    assert machines.between.most.name == "5 x a3-megagpu-8g in reservation projects/p/reservations/r"


@pytest.mark.parametrize(
    ("config", "lines"),
    [
        ({"diskType": "pd-ssd"}, [("boot disks, pd-ssd", "2 x 100 GiB", "34.00")]),
        (
            {"bootDisk": {"diskType": "hyperdisk-balanced", "sizeGb": 200, "provisionedIops": 3000}},
            [
                ("boot disks, hyperdisk-balanced", "2 x 200 GiB", "32.00"),
            ],
        ),
        (
            {"ephemeralStorageLocalSsdConfig": {"localSsdCount": 2}},
            [
                ("local SSDs, local-ssd", "2 x 750 GiB", "120.00"),
                ("boot disks, pd-balanced", "2 x 100 GiB", "20.00"),
            ],
        ),
    ],
)
def test_disks_are_priced_apart_from_the_machines(
    make: Make, cost_of: CostOf, config: dict[str, Any], lines: list[tuple[str, str, str]]
) -> None:
    found = cost_of(_pool(make, "n2-standard-4", nodes=2, config=config), region=None)
    assert _lines(found)[1:] == lines


def test_a_disk_and_a_machine_that_nobody_declares_are_the_defaults_and_the_disk_is_said(
    make: Make, cost_of: CostOf
) -> None:
    found = cost_of(make(POOL, "nodes", location=ZONE, nodeCount=1, networkConfig=PRIVATE), region=None)
    assert _lines(found) == [
        ("1 x e2-medium on demand", "1 x 730 h", "24.46"),
        ("boot disks, pd-balanced", "1 x 100 GiB", "10.00"),
    ]
    assert found.assumptions == ("boot disk without a declared size and type: 100 GiB pd-balanced, by GKE's default",)


UNPRICED: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"nodes": UNKNOWN}, {}, ["nodeCount is not known before the update"]),
    ({"nodes": None}, {}, ["nodeCount is not set: its number of nodes is unknown"]),
    (
        {"location": "us-west4-a", "nodeLocations": None, "machine": "a3-ultragpu-8g"},
        {},
        [
            "no price for a3-ultragpu-8g on_demand in gcp us-west4 per instance-hour; known: us-central1 on_demand, "
            "us-central1 flex_start, us-central1 dws_calendar, us-central1 spot and 2 more",
        ],
    ),
    (
        {"machine": "n1-standard-8"},
        {"guestAccelerators": [{"type": "nvidia-tesla-t4", "count": 1}]},
        [
            "no price for n1-standard-8 on_demand in gcp us-central1: the price book has no row for n1-standard-8",
            "GPUs attached to n1-standard-8: the price book has machines with GPUs only",
        ],
    ),
    (
        {"machine": "n2-standard-4"},
        {"spot": True, "localSsdCount": 1},
        [
            "local SSDs of spot machines: the price book has on demand only",
        ],
    ),
    ({}, {"reservationAffinity": UNKNOWN}, ["whether it uses a reservation is not known before the update"]),
    ({}, _affinity(UNKNOWN), ["the reservation it uses is not known before the update"]),
]


@pytest.mark.parametrize(("inputs", "config", "reasons"), UNPRICED)
def test_what_cannot_be_known_is_named(
    make: Make, cost_of: CostOf, inputs: dict[str, Any], config: dict[str, Any], reasons: list[str]
) -> None:
    found = cost_of(_pool(make, config=config, **inputs), region=None)
    assert [item.reason for item in found.not_priced] == reasons

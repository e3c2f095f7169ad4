"""What GKE asks of node pools: machines, slices, placement, purchase and reservations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.catalog.rows import rows
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.identity import is_zone, region_of, zones_of
from gpucluster.sandbox.clouds.ledger import Entry

Stage = Any
"""What the fixture `stage` gives."""

RESERVATION_KEY = "compute.googleapis.com/reservation-name"
FLEX_START = {
    "config": {"flexStart": True, "maxRunDuration": "604800s"},
    "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4, "locationPolicy": "ANY"},
    "management": {"autoRepair": False, "autoUpgrade": True},
}


def specific(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": RESERVATION_KEY,
            "values": [name],
            **changes,
        }
    }


@pytest.fixture
def reservation(create: Callable[..., Entry]) -> Entry:
    """Two A3 Mega machines in us-central1-a, made without a placement policy."""
    properties = {"machineType": "a3-megagpu-8g"}
    held = {"count": 2, "instanceProperties": properties}
    return create("compute/reservation:Reservation", "r", name="r", zone="us-central1-a", specificReservation=held)


@pytest.mark.parametrize("machine", ["a3-megagpu-8gg", "n2-standard-88x", "n4-standard", "c3-highmem-x8"])
def test_a_machine_that_there_cannot_be_is_refused(stage: Stage, machine: str) -> None:
    with pytest.raises(CloudError, match=f'Invalid machine type "{machine}" in zone "us-central1-a": GCE_NOT_FOUND'):
        stage.pool(config={"machineType": machine})


def test_machines_of_every_form_are_taken(stage: Stage) -> None:
    plain = {"guestAccelerators": None, "ephemeralStorageLocalSsdConfig": None}
    forms = ("a4x-highgpu-4g", "a3-ultragpu-8g-nolssd", "n4-standard-8", "c3-standard-8-lssd", "ct6e-standard-4t")
    others = (
        "e2-medium",
        "n2-custom-4-8192",
        "c4-highmem-288-lssd-metal",
        "z3-highmem-14-standardlssd",
        "g2-standard-96",
    )
    for at, machine in enumerate((*forms, *others)):
        stage.pool(name=f"p{at}", config={"machineType": machine, **plain})


def test_a_zone_that_the_region_has_not_is_refused(stage: Stage) -> None:
    with pytest.raises(CloudError, match="Location us-central1-q is not a zone of us-central1"):
        stage.pool(nodeLocations=["us-central1-q"])


def test_every_zone_that_sells_gpus_is_a_zone() -> None:
    sold = [zone for row in rows("zones") for zone in row["zones"].split() if is_zone(zone)]
    assert "us-central1-a" in sold
    assert [zone for zone in sold if zone not in zones_of(region_of(zone))] == []


@pytest.mark.parametrize(
    ("machine", "accelerator"),
    [
        ("a3-megagpu-8g", {"type": "nvidia-h100-80gb", "count": 8}),
        ("a3-highgpu-8g", {"type": "nvidia-h100-mega-80gb", "count": 8}),
        ("a3-megagpu-8g", {"type": "nvidia-h100-mega-80gb", "count": 4}),
    ],
)
def test_accelerators_of_another_machine_are_refused(stage: Stage, machine: str, accelerator: dict[str, Any]) -> None:
    with pytest.raises(CloudError, match=f"Machine type {machine} comes with 8 x nvidia-h100"):
        stage.pool(machine, config={"guestAccelerators": [accelerator]})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"ephemeralStorageLocalSsdConfig": {"localSsdCount": 8}}, "a3-megagpu-8g has 16 local SSDs; .* asks for 8"),
        ({"localNvmeSsdBlockConfig": {"localSsdCount": 16}}, "exclude each other"),
        ({"diskType": "pd-standard"}, r"\[pd-standard\] features are not compatible"),
    ],
    ids=str,
)
def test_disks_that_do_not_fit_the_machine_are_refused(stage: Stage, config: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(config=config)


def test_raw_local_ssds_instead_of_scratch_space_are_accepted(stage: Stage) -> None:
    raw = {"ephemeralStorageLocalSsdConfig": None, "localNvmeSsdBlockConfig": {"localSsdCount": 16}}
    stage.pool(config={**raw, "diskType": "pd-balanced"})


@pytest.mark.parametrize("size", ["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"])
def test_a_slice_of_an_h100_is_accepted(stage: Stage, size: str) -> None:
    slices = {"type": "nvidia-h100-80gb", "count": 8, "gpuPartitionSize": size}
    stage.pool("a3-highgpu-8g", config={"guestAccelerators": [slices]})


@pytest.mark.parametrize(
    ("machine", "size", "message"),
    [
        (
            "a3-highgpu-8g",
            "4g.40gb",
            "4g.40gb is not a valid GPU partition size .* valid: 1g.10gb, 1g.20gb, 2g.20gb, 3g",
        ),
        ("a3-ultragpu-8g", "1g.10gb", "valid: 1g.18gb, 1g.35gb, 2g.35gb, 3g.71gb, 4g.71gb, 7g.141gb"),
    ],
)
def test_a_slice_that_is_not_sold_is_refused(stage: Stage, machine: str, size: str, message: str) -> None:
    type_ = {"a3-highgpu-8g": "nvidia-h100-80gb", "a3-ultragpu-8g": "nvidia-h200-141gb"}[machine]
    slices = {"type": type_, "count": 8, "gpuPartitionSize": size}
    with pytest.raises(CloudError, match=message):
        stage.pool(machine, config={"guestAccelerators": [slices]})


def test_slices_take_no_gpu_networks(stage: Stage) -> None:
    slices = {"type": "nvidia-h100-80gb", "count": 8, "gpuPartitionSize": "3g.40gb"}
    with pytest.raises(CloudError, match="slices of GPUs never use the GPU networks"):
        stage.pool("a3-highgpu-8g", networks=stage.gpu_networks(4), config={"guestAccelerators": [slices]})


def test_nodes_placed_together_in_one_zone_are_accepted(stage: Stage) -> None:
    stage.pool(placementPolicy={"type": "COMPACT"})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"nodeLocations": ["us-central1-a", "us-central1-b"]}, "exactly one zone; .* in us-central1-a, us-central1-b"),
        ({"nodeLocations": None}, "exactly one zone; .* us-central1-a, us-central1-b, us-central1-c"),
        (
            {"queuedProvisioning": {"enabled": True}, "autoscaling": {"totalMaxNodeCount": 2}},
            "not supported with queued provisioning",
        ),
        ({"upgradeSettings": {"strategy": "BLUE_GREEN"}}, "Blue-green upgrades are not supported"),
        ({"autoscaling": {"totalMaxNodeCount": 1501}}, "limited to 1500 nodes; .* asks for 1501"),
        ({"nodeCount": 1001}, "asks for 1001 nodes in a zone; the most is 1000"),
        (FLEX_START, "with flex-start is not supported on machine type a3-megagpu-8g"),
        ({"placementPolicy": {"type": "COMPACT", "policyName": "gone"}}, "resourcePolicies/gone' was not found"),
    ],
    ids=str,
)
def test_nodes_that_cannot_be_placed_together_are_refused(stage: Stage, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(**{"placementPolicy": {"type": "COMPACT"}, **inputs})


def test_a_policy_that_a_reservation_from_elsewhere_was_made_with_is_taken(stage: Stage) -> None:
    placed = {"type": "COMPACT", "policyName": "made-with-it"}
    stage.pool(config=specific("projects/other/reservations/x"), placementPolicy=placed)


def test_flex_start_places_rdma_machines_together(stage: Stage) -> None:
    stage.pool("a3-ultragpu-8g", placementPolicy={"type": "COMPACT"}, **FLEX_START)


def test_a_placement_policy_of_ones_own_collocates(stage: Stage) -> None:
    policy = {"groupPlacementPolicy": {"collocation": "COLLOCATED", "maxDistance": 2}}
    stage.create("compute/resourcePolicy:ResourcePolicy", "near", name="near", region="us-central1", **policy)
    stage.create("compute/resourcePolicy:ResourcePolicy", "far", name="far", region="us-central1")
    stage.pool(placementPolicy={"type": "COMPACT", "policyName": "near"})
    with pytest.raises(CloudError, match="Resource policy far is not a compact placement policy"):
        stage.pool(name="other", placementPolicy={"type": "COMPACT", "policyName": "far"})


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ({"collocation": "COLLOCATED", "maxDistance": 4}, "maxDistance': '4'; valid: 1 to 3"),
        ({"maxDistance": 1}, "requires collocation COLLOCATED"),
    ],
    ids=str,
)
def test_a_distance_that_does_not_exist_is_refused(
    create: Callable[..., Entry], group: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        create("compute/resourcePolicy:ResourcePolicy", groupPlacementPolicy=group)


def test_parts_of_a_host_are_spot_or_flex_start(stage: Stage) -> None:
    with pytest.raises(CloudError, match="a3-highgpu-1g must be created as Spot VMs or Flex-start VMs"):
        stage.pool("a3-highgpu-1g")
    stage.pool("a3-highgpu-1g", name="spot", config={"spot": True})
    stage.pool("a3-highgpu-1g", name="flex", **FLEX_START)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodeCount": 2}, "autoscaling instead of a fixed node_count"),
        ({"autoscaling": {"totalMinNodeCount": 0}}, "requires autoscaling with a maximum"),
        ({"autoscaling": {"totalMaxNodeCount": 4, "locationPolicy": "BALANCED"}}, "ANY, not BALANCED"),
        ({"management": {"autoRepair": True}}, "auto-repair to be disabled"),
        ({"management": None}, "auto-repair to be disabled"),
        ({"config": {"flexStart": True, **specific("r")}}, "not supported with reservations"),
        ({"config": {"flexStart": True, "spot": True}}, "Flex-start and Spot VMs exclude each other"),
        ({"config": {"flexStart": True, "maxRunDuration": "604801s"}}, "longer than seven days, 604800s"),
        ({"config": {"flexStart": True, "maxRunDuration": "7d"}}, "a duration looks like 604800s"),
    ],
    ids=str,
)
def test_flex_start_keeps_its_rules(stage: Stage, change: dict[str, Any], message: str) -> None:
    stage.pool(name="fine", **FLEX_START)
    with pytest.raises(CloudError, match=message):
        stage.pool(**{**FLEX_START, **change})


QUEUED = {"queuedProvisioning": {"enabled": True}, "autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 4}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"initialNodeCount": 1}, "starts with 0 nodes"),
        ({"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 4}}, "requires autoscaling from 0 nodes"),
        ({"config": specific("r")}, "not supported with reservations"),
        ({"config": {"spot": True}}, "Queued provisioning and Spot VMs exclude each other"),
    ],
    ids=str,
)
def test_queued_provisioning_keeps_its_rules(stage: Stage, change: dict[str, Any], message: str) -> None:
    stage.pool(name="fine", **QUEUED)
    with pytest.raises(CloudError, match=message):
        stage.pool(**{**QUEUED, **change})


@pytest.mark.parametrize(
    ("affinity", "message"),
    [
        (
            {"consumeReservationType": "ANY"},
            "consume_reservation_type ANY; valid: NO_RESERVATION, ANY_RESERVATION, SPEC",
        ),
        ({"consumeReservationType": "ANY_RESERVATION", "key": "k"}, "ANY_RESERVATION takes no key and no values"),
        (specific("r", key="name")["reservationAffinity"], "key name; SPECIFIC_RESERVATION needs compute"),
        (specific("r", values=["r", "s"])["reservationAffinity"], "2 values; .* the name of one reservation"),
        (specific("projects/p/r")["reservationAffinity"], "value projects/p/r; a reservation is R, projects/P"),
    ],
    ids=str,
)
def test_an_affinity_of_another_shape_is_refused(stage: Stage, affinity: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=f"resource.reservationAffinity': {message}"):
        stage.pool(config={"reservationAffinity": affinity})


@pytest.mark.parametrize(
    "name", ["r", "projects/p/reservations/r", "projects/other/reservations/x/reservationBlocks/b"]
)
def test_a_reservation_is_taken_by_its_name(stage: Stage, reservation: Entry, name: str) -> None:
    assert reservation.name == "r"
    stage.pool(config=specific(name))


@pytest.mark.usefixtures("reservation")
@pytest.mark.parametrize(
    ("machine", "inputs", "message"),
    [
        ("a3-highgpu-8g", {}, "reservation r holds a3-megagpu-8g, not a3-highgpu-8g"),
        ("a3-megagpu-8g", {"nodeLocations": ["us-central1-b"]}, "is in us-central1-a, the node pool in us-central1-b"),
    ],
)
def test_a_reservation_of_other_machines_is_refused(
    stage: Stage, machine: str, inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(machine, config=specific("r"), **inputs)


@pytest.mark.usefixtures("reservation")
def test_a_reservation_made_without_a_placement_is_not_given_one(stage: Stage) -> None:
    policy = {"groupPlacementPolicy": {"collocation": "COLLOCATED"}}
    stage.create("compute/resourcePolicy:ResourcePolicy", "near", name="near", region="us-central1", **policy)
    for placement in ({"type": "COMPACT"}, {"type": "COMPACT", "policyName": "near"}):
        with pytest.raises(CloudError, match="Reservation r was not created with the placement policy"):
            stage.pool(config=specific("r"), placementPolicy=placement)


def test_a_reservation_from_elsewhere_may_have_been_made_with_the_named_policy(stage: Stage) -> None:
    policy = {"groupPlacementPolicy": {"collocation": "COLLOCATED"}}
    stage.create("compute/resourcePolicy:ResourcePolicy", "near", name="near", region="us-central1", **policy)
    stage.pool(config=specific("bought"), placementPolicy={"type": "COMPACT", "policyName": "near"})
    with pytest.raises(CloudError, match="Reservation bought was not created with the placement policy"):
        stage.pool(name="other", config=specific("bought"), placementPolicy={"type": "COMPACT"})


@pytest.mark.usefixtures("reservation")
def test_planned_maintenance_is_the_reservations(stage: Stage) -> None:
    periodic = {"hostMaintenancePolicy": {"maintenanceInterval": "PERIODIC"}}
    with pytest.raises(CloudError, match="PERIODIC is incorrect for the requested resources"):
        stage.pool(config={**specific("r"), **periodic})
    with pytest.raises(CloudError, match="PERIODIC is not supported with Spot VMs"):
        stage.pool(config={"spot": True, **periodic})


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"cluster": "projects/p/locations/us-central1/clusters/gone"}, "Error 404: Not found: .*clusters/gone"),
        ({"name": "p" * 41}, "node_pool.name: p{41}-[0-9a-f]{7}; up to 40"),
        ({"name": "Pool"}, "node_pool.name: Pool-[0-9a-f]{7}; up to 40"),
        ({"initialNodeCount": 1}, "Cannot set both initial_node_count and node_count"),
        (
            {"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2, "totalMaxNodeCount": 2}},
            "per zone and in total exclude each other",
        ),
        ({"autoscaling": {"totalMinNodeCount": 3, "totalMaxNodeCount": 2}}, "the minimum 3 is above the maximum 2"),
        ({"nodeLocations": ["us-east4-a"]}, "Location us-east4-a is not a zone of us-central1"),
        ({"upgradeSettings": {"maxSurge": 0, "maxUnavailable": 0}}, "cannot both be 0"),
        ({"upgradeSettings": {"strategy": "BLUE_GREEN", "maxSurge": 1}}, "when surge strategy is not enabled"),
        ({"upgradeSettings": {"strategy": "SURGE", "blueGreenSettings": {"nodePoolSoakDuration": "1s"}}}, "blue-green"),
        ({"maxPodsPerNode": 300}, "max_pods_per_node 300 is not between 8 and 256"),
        ({"config": {"serviceAccount": "x@p.iam.gserviceaccount.com"}}, 'Service account "x@p.iam.* does not exist'),
    ],
    ids=str,
)
def test_a_pool_that_cannot_be_is_refused(stage: Stage, inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(CloudError, match=message):
        stage.pool(**inputs)


def test_a_pool_is_made_once(stage: Stage) -> None:
    stage.pool(name="p", maxPodsPerNode=32, upgradeSettings={"strategy": "SURGE", "maxSurge": 0, "maxUnavailable": 1})
    first = stage.pool(name="q")
    with pytest.raises(CloudError, match=f"resource - {first.id} - already exists"):
        stage.create("container/nodePool:NodePool", "again", name=first.name, cluster=stage.cluster.id, nodeCount=1)

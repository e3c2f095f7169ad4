"""purchase-fits-machine on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.purchase_fits_machine import RULE

SPECIFIC = {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["mine"]}


def _small(program, machine="a3-highgpu-1g", **node_config):
    program["train"]["nodeConfig"].update(machineType=machine, **node_config)
    program["train"].pop("placementPolicy", None)


def _flex_start(program, machine="a3-highgpu-8g"):
    """A pool as flex-start takes it."""
    pool = program["train"]
    for name in ("nodeCount", "placementPolicy"):
        pool.pop(name, None)
    pool["autoscaling"] = {"totalMinNodeCount": 0.0, "totalMaxNodeCount": 5.0, "locationPolicy": "ANY"}
    pool["management"] = {"autoRepair": False, "autoUpgrade": True}
    pool["nodeConfig"].update(
        machineType=machine,
        flexStart=True,
        maxRunDuration="604800s",
        reservationAffinity={"consumeReservationType": "NO_RESERVATION"},
    )


def _queued(program):
    pool = program["train"]
    for name in ("nodeCount", "placementPolicy"):
        pool.pop(name, None)
    pool["autoscaling"] = {"totalMinNodeCount": 0.0, "totalMaxNodeCount": 5.0}
    pool["queuedProvisioning"] = {"enabled": True}


@pytest.mark.parametrize("machine", ["a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"])
def test_small_machines_are_never_sold_on_demand(high, found, machine):
    _small(high, machine)
    assert found(RULE, high) == [("train", f"{machine} is sold as spot and flex-start only, never on demand")]


def test_small_machines_are_sold_as_spot(high, found, unknown):
    _small(high, spot=True)
    assert (found(RULE, high), unknown(RULE, high)) == ([], [])


def test_small_machines_are_sold_by_flex_start(high, found):
    _flex_start(high, "a3-highgpu-1g")
    assert found(RULE, high) == []


@pytest.mark.parametrize("setting", ["spot", "flexStart"])
def test_a_purchase_not_known_yet_is_said(high, found, unknown, setting):
    _small(high, **{setting: high.unknown})
    assert found(RULE, high) == []
    assert unknown(RULE, high) == [("train", "whether a3-highgpu-1g is bought as spot or flex-start is not known yet")]


def test_flex_start_as_it_is_sold_passes(high, found, unknown):
    _flex_start(high)
    assert (found(RULE, high), unknown(RULE, high)) == ([], [])


@pytest.mark.parametrize(
    ("pool", "node_config", "what"),
    [
        ({"nodeCount": 5.0}, {}, "flexStart with nodeCount 5; it requires autoscaling from 0"),
        ({"autoscaling": None}, {}, "flexStart without autoscaling"),
        ({"management": None}, {}, "flexStart with autoRepair, which must be False"),
        ({"management": {"autoRepair": True}}, {}, "flexStart with autoRepair, which must be False"),
        (
            {"autoscaling": {"totalMaxNodeCount": 5.0, "locationPolicy": "BALANCED"}},
            {},
            "flexStart with locationPolicy BALANCED; it requires ANY",
        ),
        ({}, {"maxRunDuration": "604801s"}, "flexStart with maxRunDuration 604801s; the maximum is 604800s, 7 days"),
        ({}, {"spot": True}, "flexStart together with spot"),
        ({}, {"reservationAffinity": SPECIFIC}, "flexStart together with SPECIFIC_RESERVATION"),
        (
            {"placementPolicy": {"type": "COMPACT"}},
            {},
            "flexStart together with COMPACT on a3-highgpu-8g; only A3 Ultra and A4 support it",
        ),
    ],
)
def test_flex_start_has_rules_of_its_own(high, found, pool, node_config, what):
    _flex_start(high)
    high["train"].update(pool)
    high["train"]["nodeConfig"].update(node_config)
    assert found(RULE, high) == [("train", what)]


def test_a3_ultra_takes_flex_start_with_compact(ultra, found):
    _flex_start(ultra, "a3-ultragpu-8g")
    ultra["train"]["placementPolicy"] = {"type": "COMPACT"}
    assert found(RULE, ultra) == []


def test_queued_provisioning_as_it_is_sold_passes(high, found):
    _queued(high)
    assert found(RULE, high) == []


@pytest.mark.parametrize(
    ("pool", "node_config", "what"),
    [
        (
            {"autoscaling": {"totalMinNodeCount": 1.0, "totalMaxNodeCount": 5.0}},
            {},
            "queuedProvisioning with a minimum above 0 nodes",
        ),
        ({"placementPolicy": {"type": "COMPACT"}}, {}, "queuedProvisioning together with COMPACT"),
        ({}, {"spot": True}, "queuedProvisioning together with spot"),
        ({}, {"reservationAffinity": SPECIFIC}, "queuedProvisioning together with SPECIFIC_RESERVATION"),
    ],
)
def test_queued_provisioning_has_rules_of_its_own(high, found, pool, node_config, what):
    _queued(high)
    high["train"].update(pool)
    high["train"]["nodeConfig"].update(node_config)
    assert found(RULE, high) == [("train", what)]


@pytest.mark.parametrize(
    ("affinity", "what"),
    [
        (
            {"consumeReservationType": "SPECIFIC_RESERVATION"},
            "SPECIFIC_RESERVATION with 0 reservations; a node pool supports one",
        ),
        (
            {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["a", "b"]},
            "SPECIFIC_RESERVATION with 2 reservations; a node pool supports one",
        ),
        (
            {"consumeReservationType": "ANY_RESERVATION", "values": ["a"]},
            "ANY_RESERVATION with a named reservation; only SPECIFIC_RESERVATION supports one",
        ),
    ],
)
def test_a_pool_takes_one_reservation_by_name(mega, found, affinity, what):
    mega["train"]["nodeConfig"]["reservationAffinity"] = affinity
    assert found(RULE, mega) == [("train", what)]


def test_a_reservation_is_not_spot(mega, found):
    mega["train"]["nodeConfig"].update(reservationAffinity=SPECIFIC, spot=True)
    assert found(RULE, mega) == [("train", "spot together with SPECIFIC_RESERVATION")]


def test_one_specific_reservation_passes(mega, found):
    mega["train"]["nodeConfig"]["reservationAffinity"] = SPECIFIC
    assert found(RULE, mega) == []


def test_compact_placement_does_not_go_with_blue_green_upgrades(mega, found):
    mega["train"]["upgradeSettings"] = {"strategy": "BLUE_GREEN"}
    assert found(RULE, mega) == [("train", "COMPACT together with blue-green upgrades")]
    del mega["train"]["placementPolicy"]
    assert found(RULE, mega) == []


def test_a_compute_class_starts_small_machines_as_they_are_sold(high, found):
    spec = {
        "priorities": [
            {"nodepools": ["elastic"]},
            {"machineType": "a3-highgpu-1g", "spot": True},
            {"machineType": "a3-highgpu-1g", "flexStart": {"enabled": True}},
            {"machineType": "a3-highgpu-1g"},
            {"machineType": "n2-standard-8"},
        ]
    }
    high.add("kubernetes:cloud.google.com/v1:ComputeClass", "elastic", {"metadata": {}, "spec": spec})
    assert found(RULE, high) == [
        ("elastic", "priority 4: a3-highgpu-1g is sold as spot and flex-start only, never on demand")
    ]


def test_settings_not_known_yet_decide_nothing(high, found):
    _flex_start(high)
    high["train"].update(management=high.unknown, autoscaling=high.unknown, placementPolicy=high.unknown)
    high["train"]["nodeConfig"].update(reservationAffinity=high.unknown, maxRunDuration=high.unknown)
    assert found(RULE, high) == []

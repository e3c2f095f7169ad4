"""purchase-fits-machine on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.purchase_fits_machine import RULE
from tests.says import Says

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


@pytest.mark.parametrize("machine", ["a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g"])
def test_small_machines_are_never_sold_on_demand(high, found, machine):
    _small(high, machine)
    assert found(RULE, high) == [("train", Says(machine, "flex-start", "only", "never"))]


@pytest.mark.parametrize(
    ("pool", "node_config", "what"),
    [
        ({"nodeCount": 5.0}, {}, Says("flexStart", "nodeCount", "5", "0")),
        ({"autoscaling": None}, {}, "flexStart without autoscaling"),
        ({"management": None}, {}, Says("flexStart", "autoRepair", "False")),
        ({"management": {"autoRepair": True}}, {}, Says("flexStart", "autoRepair", "False")),
        (
            {"autoscaling": {"totalMaxNodeCount": 5.0, "locationPolicy": "BALANCED"}},
            {},
            Says("flexStart", "locationPolicy", "BALANCED", "ANY"),
        ),
        ({}, {"maxRunDuration": "604801s"}, Says("flexStart", "maxRunDuration", "604801s", "604800s", "7")),
        ({}, {"spot": True}, "flexStart together with spot"),
        ({}, {"reservationAffinity": SPECIFIC}, "flexStart together with SPECIFIC_RESERVATION"),
        (
            {"placementPolicy": {"type": "COMPACT"}},
            {},
            Says("flexStart", "COMPACT", "a3-highgpu-8g", "only", "A3", "Ultra", "A4"),
        ),
    ],
)
def test_flex_start_has_rules_of_its_own(high, found, pool, node_config, what):
    _flex_start(high)
    high["train"].update(pool)
    high["train"]["nodeConfig"].update(node_config)
    assert found(RULE, high) == [("train", what)]

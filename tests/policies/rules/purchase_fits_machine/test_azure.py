"""purchase-fits-machine on Azure: spot, reservations and what only spot takes."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.purchase_fits_machine import RULE

GROUP = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/held"


@pytest.mark.parametrize("known", [True, False])
def test_spot_takes_no_reservation(nd, found, known):
    nd["train"].update(scaleSetPriority="Spot", capacityReservationGroupID=GROUP if known else nd.unknown)
    assert found(RULE, nd) == [("train", "Spot together with a capacity reservation group")]


@pytest.mark.parametrize("bought", [{"capacityReservationGroupID": GROUP}, {"scaleSetPriority": "Spot"}, {}])
def test_a_reservation_spot_or_on_demand_alone_passes(nd, found, unknown, bought):
    nd["train"].update(bought)
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("setting", [{"scaleSetEvictionPolicy": "Delete"}, {"spotMaxPrice": -1.0}])
def test_what_only_spot_takes_is_found(nd, found, setting):
    nd["train"].update(setting)
    assert found(RULE, nd) == [("train", f"{next(iter(setting))} without scaleSetPriority Spot")]
    nd["train"]["scaleSetPriority"] = "Spot"
    assert found(RULE, nd) == []


def test_a_priority_not_known_yet_beside_a_reservation_is_said(nd, found, unknown):
    nd["train"].update(scaleSetPriority=nd.unknown, capacityReservationGroupID=GROUP)
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "whether it uses spot capacity is not known yet")]


@pytest.mark.parametrize(
    ("machine", "asked"),
    [
        ("Standard_ND96isr_H100_v5", True),
        ("Standard_NC40ads_H100_v5", True),
        ("Standard_NC24ads_A100_v4", False),
        ("Standard_D4s_v5", False),
    ],
)
def test_whether_gpu_sizes_are_reserved_on_demand_is_never_decided(nd, found, unknown, machine, asked):
    nd.add("azure-native:compute:CapacityReservation", "held", {"sku": {"name": machine, "capacity": 5.0}})
    assert found(RULE, nd) == []
    what = (
        f"Azure's documentation lists no on-demand capacity reservations for {machine}; the Resource SKUs of the "
        "subscription show whether it supports them (CapacityReservationSupported)"
    )
    assert unknown(RULE, nd) == ([("held", what)] if asked else [])

"""no-group-on-foreign-reservation on Azure: a proximity placement group beside a capacity reservation group."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.no_group_on_foreign_reservation import RULE

IDS = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute"
GROUP = f"{IDS}/proximityPlacementGroups/near"
RESERVATION = f"{IDS}/capacityReservationGroups/held"


def test_a_proximity_group_together_with_a_reservation_is_refused(nd, found):
    nd["train"].update(proximityPlacementGroupID=GROUP, capacityReservationGroupID=RESERVATION)
    assert found(RULE, nd) == [
        (
            "train",
            "proximity placement group `near` together with capacity reservation group `held`, which Azure refuses",
        )
    ]


@pytest.mark.parametrize("one", [{"proximityPlacementGroupID": GROUP}, {"capacityReservationGroupID": RESERVATION}])
def test_a_proximity_group_or_a_reservation_alone_passes(nd, found, unknown, one):
    nd["train"].update(one)
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_a_group_of_this_stack_is_one_before_its_id_is_known(nd, found):
    nd.add("azure-native:compute:ProximityPlacementGroup", "ppg", {"proximityPlacementGroupName": "near"})
    nd["train"].update(proximityPlacementGroupID=nd.unknown, capacityReservationGroupID=RESERVATION)
    nd.depends("train", "proximityPlacementGroupID", "ppg")
    assert found(RULE, nd) == [
        (
            "train",
            "proximity placement group `ppg` together with capacity reservation group `held`, which Azure refuses",
        )
    ]


def test_an_id_not_known_yet_from_elsewhere_is_said(nd, found, unknown):
    nd["train"].update(proximityPlacementGroupID=nd.unknown, capacityReservationGroupID=RESERVATION)
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        (
            "train",
            "a proximity placement group whose id is not known yet together with capacity reservation group `held`: "
            "whether it has both is not known yet",
        )
    ]

"""training-pool-in-one-domain on Google Cloud: one mutation of the compliant program per case."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from gpucluster.policies.rules.training_pool_in_one_domain import RULE

POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
RESERVATION = "gcp:compute/reservation:Reservation"
FUTURE = "gcp:compute/futureReservation:FutureReservation"
NOWHERE = "5 nodes of a3-megagpu-8g, no compact placement policy and no specific reservation"
COLLOCATED = {"groupPlacementPolicy": {"collocation": "COLLOCATED"}}


def _reserved(program, *values, kind="SPECIFIC_RESERVATION"):
    program["train"].pop("placementPolicy", None)
    affinity: dict[str, Any] = {"consumeReservationType": kind}
    if values:
        affinity.update(key="compute.googleapis.com/reservation-name", values=list(values))
    program["train"]["nodeConfig"]["reservationAffinity"] = affinity


def _own_policy(program, properties, given="near"):
    program.add(POLICY, "near", {"name": "near", "region": "us-central1", **properties})
    program["train"]["placementPolicy"] = {"type": "COMPACT", "policyName": given}
    program.depends("train", "placementPolicy", "near")


def _second_pool(program, name="more", **changed):
    pool = {**copy.deepcopy(program["train"]), "name": name, **changed}
    program.add("gcp:container/nodePool:NodePool", name, pool, **program.declared["train"].dependencies)


def test_several_nodes_without_policy_and_reservation_stand_anywhere(mega, found):
    del mega["train"]["placementPolicy"]
    assert found(RULE, mega) == [("train", NOWHERE)]


def test_the_fix_is_that_of_google_cloud(mega, messages):
    del mega["train"]["placementPolicy"]
    [text] = messages(RULE, mega)
    assert "fix: Set placement_policy type COMPACT on the node pool" in text
    assert "placementGroup" not in text


@pytest.mark.parametrize("kind", ["ANY_RESERVATION", "NO_RESERVATION", "ANY_RESERVATION_THEN_FAIL"])
def test_any_reservation_is_no_domain(mega, found, kind):
    _reserved(mega, kind=kind)
    assert found(RULE, mega) == [("train", NOWHERE)]


def test_a_block_of_a_reservation_is_a_domain(mega, found, unknown):
    _reserved(mega, "projects/p/reservations/mine/reservationBlocks/mine-block-0001")
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_whether_a_reservation_made_elsewhere_is_dense_is_not_visible(mega, found, unknown):
    _reserved(mega, "projects/p/reservations/mine")
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "whether reservation `mine` is densely deployed is unknown")]


def test_a_plain_reservation_of_this_stack_is_no_domain(mega, found):
    mega.add(RESERVATION, "mine", {"name": "mine", "zone": "us-central1-a"})
    _reserved(mega, "projects/training-trial/reservations/mine")
    assert found(RULE, mega) == [
        ("train", "5 nodes of a3-megagpu-8g in reservation `mine`, which is not densely deployed")
    ]


@pytest.mark.parametrize("asked", [{"deploymentType": "DENSE"}, {"reservationMode": "CALENDAR"}])
def test_dense_and_calendar_reservations_are_domains(mega, found, unknown, asked):
    mega.add(FUTURE, "asked", {"reservationName": "mine", **asked})
    _reserved(mega, "mine")
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_flexibly_deployed_reservation_is_no_domain(mega, found):
    mega.add(FUTURE, "asked", {"reservationName": "mine", "deploymentType": "FLEXIBLE"})
    _reserved(mega, "mine")
    assert found(RULE, mega) == [
        ("train", "5 nodes of a3-megagpu-8g in reservation `asked`, which is not densely deployed")
    ]


def test_a_reservation_not_known_yet_is_that_of_this_stack(mega, unknown):
    mega.add(FUTURE, "asked", {"deploymentType": mega.unknown})
    _reserved(mega, mega.unknown)
    mega.depends("train", "nodeConfig", "asked")
    assert unknown(RULE, mega) == [("train", "the deployment type of reservation `asked` is not known yet")]


@pytest.mark.parametrize(
    "asked", [COLLOCATED, {"workloadPolicy": {"type": "HIGH_THROUGHPUT", "maxTopologyDistance": "BLOCK"}}]
)
@pytest.mark.parametrize("given", ["near", "projects/p/regions/us-central1/resourcePolicies/near", None])
def test_an_own_policy_that_keeps_machines_together_is_a_domain(mega, found, unknown, asked, given):
    _own_policy(mega, asked, given or mega.unknown)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


@pytest.mark.parametrize(
    "asked",
    [{"groupPlacementPolicy": {"availabilityDomainCount": 2.0}}, {"workloadPolicy": {"type": "HIGH_AVAILABILITY"}}],
)
def test_a_policy_that_spreads_is_no_domain(mega, found, asked):
    _own_policy(mega, asked)
    assert found(RULE, mega) == [
        ("train", "5 nodes of a3-megagpu-8g in placement policy `near`, which does not set collocation COLLOCATED")
    ]


def test_a_policy_not_known_yet_is_said(mega, found, unknown):
    _own_policy(mega, {"groupPlacementPolicy": mega.unknown})
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "the collocation of placement policy `near` is not known yet")]


def test_a_policy_from_elsewhere_is_said(mega, found, unknown):
    mega["train"]["placementPolicy"] = {"type": "COMPACT", "policyName": "elsewhere"}
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        ("train", "policy `elsewhere` is not part of this stack: its collocation is unknown")
    ]


@pytest.mark.parametrize("placement", [None, {"type": None}])
def test_a_placement_not_known_yet_is_said(mega, found, unknown, placement):
    mega["train"]["placementPolicy"] = mega.unknown if placement is None else {"type": mega.unknown}
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("train", "its placement is not known yet")]


def test_one_policy_takes_1500_nodes(mega, found):
    mega["train"]["nodeCount"] = 1500.0
    assert found(RULE, mega) == []
    mega["train"]["nodeCount"] = 1501.0
    assert found(RULE, mega) == [
        ("train", "1501 nodes of a3-megagpu-8g in a compact placement policy of its own; one policy supports 1,500")
    ]


@pytest.mark.parametrize("how", ["flexStart", "queued"])
def test_flex_start_places_as_densely_as_it_can(mega, found, unknown, how):
    del mega["train"]["placementPolicy"]
    if how == "flexStart":
        mega["train"]["nodeConfig"]["flexStart"] = True
    else:
        mega["train"]["queuedProvisioning"] = {"enabled": True}
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        ("train", "5 nodes of a3-megagpu-8g by flex-start: Google Cloud places them as close together as it can")
    ]


def test_spares_in_a_pool_with_a_policy_of_its_own_are_elsewhere(mega, found):
    _second_pool(mega, "spares", nodeCount=1.0)
    mega["train"]["nodeCount"] = 4.0
    assert found(RULE, mega) == [
        (
            "spares",
            "5 nodes of a3-megagpu-8g (`spares`, `train`) in 2 placement policies: a compact placement policy of its "
            "own, a compact placement policy of its own",
        )
    ]


def test_spares_under_the_same_policy_are_in_the_same_domain(mega, found, unknown):
    _own_policy(mega, COLLOCATED)
    _second_pool(mega, "spares", nodeCount=1.0)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_spares_in_the_same_reservation_are_in_the_same_domain(mega, found, unknown):
    _reserved(mega, "mine/reservationBlocks/b")
    _second_pool(mega, "spares", nodeCount=1.0)
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


@pytest.mark.parametrize("label", ["gpucluster/pool", "cloud.google.com/gke-nodepool"])
def test_pools_that_workloads_tell_apart_are_two(mega, found, label):
    _second_pool(mega, "other")
    if label == "gpucluster/pool":
        mega["other"]["nodeConfig"]["labels"]["gpucluster/pool"] = "evaluation"
    else:
        spec = {"nodeLabels": {label: "train"}}
        mega.add("kubernetes:kueue.x-k8s.io/v1beta2:ResourceFlavor", "flavor", {"metadata": {}, "spec": spec})
    assert found(RULE, mega) == []


def test_a_pool_of_one_node_needs_no_fabric_domain(mega, found):
    del mega["train"]["placementPolicy"]
    mega["train"]["nodeCount"] = 1.0
    assert found(RULE, mega) == []


def test_a_pool_that_starts_empty_is_held_to_its_maximum(mega, found):
    del mega["train"]["placementPolicy"]
    del mega["train"]["nodeCount"]
    mega["train"]["autoscaling"] = {"totalMinNodeCount": 0.0, "totalMaxNodeCount": 5.0}
    assert found(RULE, mega) == [("train", NOWHERE)]


def test_an_unknown_number_of_nodes_decides_nothing(mega, found, unknown):
    del mega["train"]["placementPolicy"]
    mega["train"]["nodeCount"] = mega.unknown
    assert found(RULE, mega) == []
    assert [name for name, _ in unknown(RULE, mega)] == ["train"]


def test_an_unknown_machine_type_with_accelerators_decides_nothing(mega, found, unknown):
    del mega["train"]["placementPolicy"]
    mega["train"]["nodeConfig"]["machineType"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [
        (
            "train",
            "5 GPU nodes, no compact placement policy and no specific reservation; its machine type is not known yet",
        )
    ]


def test_sliced_gpus_do_not_train_together(mega, found):
    del mega["train"]["placementPolicy"]
    mega["train"]["nodeConfig"]["guestAccelerators"][0]["gpuPartitionSize"] = "1g.10gb"
    assert found(RULE, mega) == []


@pytest.mark.parametrize("machine", ["a3-highgpu-1g", "a3-highgpu-4g", "n2-standard-8"])
def test_machines_that_are_no_whole_node_need_no_domain(mega, found, unknown, machine):
    del mega["train"]["placementPolicy"]
    mega["train"]["nodeConfig"]["machineType"] = machine
    mega["train"]["nodeConfig"]["labels"]["gpucluster/pool"] = "elastic"
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [])


def test_a_pool_written_inside_its_cluster_is_looked_at(mega, found):
    pool = copy.deepcopy(mega["train"])
    del pool["placementPolicy"]
    mega.remove("train")
    mega["cluster"].update(nodePools=[pool], removeDefaultNodePool=False)
    assert found(RULE, mega) == [("cluster", NOWHERE)]


def test_the_default_pool_of_a_cluster_is_looked_at_unless_it_is_removed(mega, found):
    mega["cluster"].update(nodeConfig={"machineType": "a3-megagpu-8g"}, initialNodeCount=2.0)
    assert found(RULE, mega) == []
    mega["cluster"]["removeDefaultNodePool"] = False
    assert found(RULE, mega) == [
        ("cluster", "6 nodes of a3-megagpu-8g, no compact placement policy and no specific reservation")
    ]


def test_pools_of_a_cluster_that_are_not_known_yet_are_said(mega, found, unknown):
    mega["cluster"]["nodePools"] = mega.unknown
    assert found(RULE, mega) == []
    assert unknown(RULE, mega) == [("cluster", "its placement is not known yet")]

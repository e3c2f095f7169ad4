"""training-pool-in-one-domain: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.training_pool_in_one_domain import RULE


def test_a_cluster_placement_group_is_a_domain(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_several_nodes_without_group_and_reservation_stand_anywhere(program, found):
    del program["template"]["placement"]
    program.depends("template", "placement")
    assert found(RULE, program) == [("train", "5 nodes of p5.48xlarge, no placement group and no reservation")]


def test_a_node_group_without_launch_template_stands_anywhere(program, found):
    del program["train"]["launchTemplate"]
    program["train"]["instanceTypes"] = ["p5.48xlarge"]
    program.depends("train", "launchTemplate")
    assert found(RULE, program) == [
        ("train", "5 nodes of p5.48xlarge, no placement group and no reservation: the group has no launch template")
    ]


@pytest.mark.parametrize("strategy", ["spread", "partition"])
def test_a_group_that_does_not_cluster_is_no_domain(program, found, strategy):
    program["group"]["strategy"] = strategy
    assert found(RULE, program) == [
        ("train", f"5 nodes of p5.48xlarge in placement group `group`, whose strategy is `{strategy}`")
    ]


@pytest.mark.parametrize("name", ["capacityReservationId", "capacityReservationResourceGroupArn"])
def test_a_targeted_reservation_is_a_domain(program, found, unknown, name):
    del program["template"]["placement"]
    program["template"]["capacityReservationSpecification"] = {"capacityReservationTarget": {name: "cr-0123"}}
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_a_reservation_without_target_is_no_domain(program, found):
    del program["template"]["placement"]
    program["template"]["capacityReservationSpecification"] = {"capacityReservationPreference": "open"}
    assert [name for name, _ in found(RULE, program)] == ["train"]


def test_empty_strings_that_a_provider_fills_in_are_no_group(program, found):
    program["template"]["placement"] = {"groupName": "", "groupId": ""}
    program.depends("template", "placement")
    assert [name for name, _ in found(RULE, program)] == ["train"]


def test_a_group_given_by_name_is_found_in_the_stack(program, found):
    program["group"].update(name="rack", strategy="spread")
    program["template"]["placement"] = {"groupName": "rack"}
    program.depends("template", "placement")
    assert [name for name, _ in found(RULE, program)] == ["train"]


def test_the_strategy_of_a_group_from_elsewhere_is_not_known(program, found, unknown):
    program["template"]["placement"] = {"groupName": "elsewhere"}
    program.depends("template", "placement")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [
        ("train", "placement group `elsewhere` is not part of this stack: its strategy is unknown")
    ]


def test_an_unknown_strategy_is_said(program, found, unknown):
    program["group"]["strategy"] = program.unknown
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", "the strategy of placement group `group` is not known yet")]


def test_an_unknown_placement_is_said(program, found, unknown):
    program["template"]["placement"] = program.unknown
    program.depends("template", "placement")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", "the placement of its launch template is not known yet")]


def test_a_template_of_another_stack_is_said(program, found, unknown):
    program["train"]["launchTemplate"] = {"id": "lt-0123", "version": "1"}
    program.depends("train", "launchTemplate")
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("train", "its launch template is not part of this stack")]


def test_an_unknown_number_of_nodes_decides_nothing(program, found, unknown):
    del program["template"]["placement"]
    program["train"]["scalingConfig"]["maxSize"] = program.unknown
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [
        (
            "train",
            "nodes of p5.48xlarge, no placement group and no reservation; its number of nodes is not known yet",
        )
    ]


def test_a_pool_of_one_node_needs_no_fabric_domain(program, found):
    del program["template"]["placement"]
    program["train"]["scalingConfig"] = {"desiredSize": 1.0, "maxSize": 1.0, "minSize": 1.0}
    assert found(RULE, program) == []


def test_a_group_that_starts_empty_is_held_to_its_maximum(program, found):
    del program["template"]["placement"]
    program["train"]["scalingConfig"] = {"desiredSize": 0.0, "maxSize": 4.0, "minSize": 0.0}
    assert found(RULE, program) == [("train", "4 nodes of p5.48xlarge, no placement group and no reservation")]


def test_sliced_gpus_do_not_train_together(program, found):
    del program["template"]["placement"]
    program["train"]["labels"]["nvidia.com/mig.config"] = "all-1g.10gb"
    assert found(RULE, program) == []


def test_cpu_nodes_need_no_domain(program, found):
    program["template"].update(instanceType="m7i.2xlarge", networkInterfaces=[])
    del program["template"]["placement"]
    program["train"]["amiType"] = "AL2023_x86_64_STANDARD"
    assert found(RULE, program) == []


def test_single_gpu_machines_without_fabric_need_no_domain(program, found):
    program["template"].update(instanceType="p5.4xlarge", networkInterfaces=[])
    del program["template"]["placement"]
    assert found(RULE, program) == []

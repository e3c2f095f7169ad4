"""reservation-in-use: a reservation of the stack beside machines of its type."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.reservation_in_use import RULE
from tests.says import Says

RESERVATION = "aws:ec2/capacityReservation:CapacityReservation"
SPECIFICATION = "capacityReservationSpecification"
IDLE = "5 x p5.48xlarge reserved (targeted), and `template` starts p5.48xlarge outside of it"


def _reserve(program, machine="p5.48xlarge", criteria="targeted", **more):
    program.add(
        RESERVATION,
        "reserved",
        {"instanceType": machine, "instanceCount": 5.0, "instanceMatchCriteria": criteria, **more},
    )


def _karpenter(program, terms, **dependencies):
    """A pool of the reserved machines in place of the node group."""
    program.remove("train")
    program.remove("template")
    requirement = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]}
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}
    program.add(
        "kubernetes:karpenter.sh/v1:NodePool",
        "pool",
        {
            "metadata": {"name": "gpu"},
            "spec": {"template": {"spec": {"nodeClassRef": reference, "requirements": [requirement]}}},
        },
    )
    program.add(
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "class",
        {"metadata": {"name": "gpu"}, "spec": {"capacityReservationSelectorTerms": terms}},
        **dependencies,
    )


def test_ordinary_launches_take_an_open_reservation_unless_they_say_none(program, found):
    _reserve(program, criteria="open")
    assert found(RULE, program) == []
    program["template"][SPECIFICATION] = {"capacityReservationPreference": "none"}
    assert found(RULE, program) == [("reserved", IDLE.replace("targeted", "open"))]


@pytest.mark.parametrize("criteria", ["open", "targeted"])
def test_karpenter_takes_no_reservation_that_its_class_does_not_list(program, found, criteria):
    _reserve(program, criteria=criteria)
    _karpenter(program, [])
    what = Says("5", "p5.48xlarge", criteria, "pool", "p5.48xlarge")
    assert found(RULE, program) == [("reserved", what)]


@pytest.mark.parametrize(
    "term", [{"tags": {"purpose": "training"}}, {"tags": {"purpose": "*"}}, {"instanceMatchCriteria": "open"}]
)
def test_karpenter_takes_what_a_term_of_its_class_selects(program, found, unknown, term):
    _reserve(program, criteria="open", tags={"purpose": "training"})
    _karpenter(program, [term])
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize(
    "term", [{"tags": {"purpose": "serving"}}, {"instanceMatchCriteria": "targeted"}, {"id": "cr-1"}]
)
def test_karpenter_does_not_take_what_no_term_selects(program, found, term):
    _reserve(program, criteria="open", tags={"purpose": "training"})
    _karpenter(program, [term])
    assert [name for name, _ in found(RULE, program)] == ["reserved"]


def test_an_id_not_known_yet_is_that_of_the_reservation_it_comes_from(program, found, unknown):
    _reserve(program)
    _karpenter(program, [{"id": program.unknown}], spec=["reserved"])
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])

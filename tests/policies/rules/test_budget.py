"""budget, budget-warning and budget-ceiling, with the estimator that prices the preview."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules import budget, budget_ceiling, budget_undecidable, budget_warning
from tests.says import Says

NODE_POOL = "kubernetes:karpenter.sh/v1:NodePool"


def _elastic(program, limits):
    requirements = [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
    ]
    metadata = {"labels": dict(program.labels), "annotations": {"gpucluster/expected-gpus": "0"}}
    spec = {"template": {"spec": {"requirements": requirements}}, "limits": limits}
    program.add(NODE_POOL, "elastic", {"metadata": metadata, "spec": spec})


def _budget(program, monthly, on_exceed="fail"):
    program["trial"]["budget"] = {"monthly": monthly, "onExceed": on_exceed}


def test_a_total_within_the_budget_passes(program, found):
    _budget(program, "1000000")
    assert [found(rule.RULE, program) for rule in (budget, budget_warning, budget_ceiling)] == [[], [], []]


def test_without_a_budget_nothing_is_judged(program, found, unknown):
    del program["trial"]["budget"]
    assert (found(budget.RULE, program), unknown(budget.RULE, program)) == ([], [])


def test_a_total_over_the_budget_is_refused(program, found):
    _budget(program, "100000")
    [(name, what)] = found(budget.RULE, program)
    assert name == "trial"
    assert what.startswith("over budget by $")
    assert what.endswith("budget $100,000.00")
    assert found(budget_warning.RULE, program) == []
    assert found(budget_ceiling.RULE, program) == []


def test_capacity_bought_elsewhere_counts_against_the_budget(program, found):
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123"}}
    machine = {"instanceType": "p5.48xlarge", "rootBlockDevice": {"volumeSize": 20}, "tags": dict(program.labels)}
    _budget(program, "300000")
    assert found(budget.RULE, program) == []
    for number in range(3):
        name = f"held-{number}"
        program.add("aws:ec2/instance:Instance", name, {**machine, "capacityReservationSpecification": target})
    [(name, what)] = found(budget.RULE, program)
    assert (name, "of it $120,537.60 committed elsewhere" in what) == ("trial", True)


def test_a_reservation_without_a_price_leaves_the_budget_open(program, found):
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123"}}
    machine = {"instanceType": "p5e.48xlarge", "rootBlockDevice": {"volumeSize": 20}, "tags": dict(program.labels)}
    _budget(program, "1000000")
    program.add("aws:ec2/instance:Instance", "held", {**machine, "capacityReservationSpecification": target})
    [(name, what)] = found(budget_undecidable.RULE, program)
    assert (name, "; unknown: 1 without a price of its own; without a price: `held` (" in what) == ("trial", True)


def test_a_budget_that_warns_is_told_by_the_advisory_rule(program, found):
    _budget(program, "100000", "warn")
    assert found(budget.RULE, program) == []
    [(name, what)] = found(budget_warning.RULE, program)
    assert (name, what[:13]) == ("trial", "over budget b")


def test_the_limit_of_an_elastic_pool_is_held_against_the_budget(program, found):
    _elastic(program, {"nvidia.com/gpu": 1000})
    _budget(program, "1000000")
    assert found(budget.RULE, program) == []
    [(name, what)] = found(budget_ceiling.RULE, program)
    assert name == "trial"
    assert what == Says("autoscaling", "budget", "$1,000,000.00")


def test_an_elastic_pool_without_limit_passes_every_budget(program, found):
    _elastic(program, {})
    _budget(program, "1000000")
    assert found(budget_ceiling.RULE, program) == [("trial", Says("unlimited", "autoscaling", "$1,000,000.00"))]


def test_a_total_with_an_unpriced_resource_is_never_within_the_budget(program, found, unknown):
    program.add("aws:gamelift/fleet:Fleet", "graph", {"tags": dict(program.labels)})
    _budget(program, "1000000")
    assert found(budget.RULE, program) == []
    [(name, what)] = unknown(budget.RULE, program)
    assert name == "trial"
    assert what == Says("cannot tell", "budget", "expected", "least")
    assert "; unknown: 1 without a price of its own; without a price: `graph` (" in what


def test_a_budget_not_known_yet_is_said(program, found, unknown):
    _budget(program, program.unknown)
    assert found(budget.RULE, program) == []
    assert [name for name, _ in unknown(budget.RULE, program)] == ["trial"]


def test_a_configured_budget_takes_the_place_of_the_registered_one(program, found):
    _budget(program, "1000000")
    [(name, what)] = found(budget.RULE, program, {"monthly": "1000"})
    assert (name, what.endswith("budget $1,000.00")) == ("", True)
    assert found(budget.RULE, program, {"monthly": "1000", "onExceed": "warn"}) == []


@pytest.mark.parametrize(
    ("config", "what"),
    [
        ({"monthly": "25k"}, Says("monthly", "25k", "not", "USD", "250000")),
        ({"monthly": "1", "onExceed": "stop"}, Says("onExceed", "stop", "not", "fail", "warn")),
    ],
)
def test_a_configured_budget_that_cannot_be_read_is_refused(program, found, config, what):
    assert found(budget.RULE, program, config) == [("", what)]


def test_machines_without_a_price_make_the_budget_undecidable(program, found, unknown):
    program["template"]["instanceType"] = "p9.48xlarge"
    _budget(program, "1000000")
    [(name, what)] = found(budget_undecidable.RULE, program)
    assert name == "trial"
    assert what == Says("cannot tell", "budget", "expected", "unknown")
    assert "; unknown: 1 without a price of its own; without a price: `train` (" in what
    assert (found(budget.RULE, program), unknown(budget.RULE, program)) == ([], [])


def test_something_else_without_a_price_does_not(program, found):
    program.add("aws:gamelift/fleet:Fleet", "graph", {"tags": dict(program.labels)})
    _budget(program, "1000000")
    assert found(budget_undecidable.RULE, program) == []


def test_machines_without_a_price_and_without_a_budget_are_not_its_business(program, found):
    program["template"]["instanceType"] = "p9.48xlarge"
    del program["trial"]["budget"]
    assert found(budget_undecidable.RULE, program) == []


def test_a_budget_is_decided_by_the_bound_of_what_has_no_price(program, found, unknown):
    far = {"region": "nowhere-1", "type": "gp3", "size": 1000, "tags": dict(program.labels)}
    program.add("aws:ebs/volume:Volume", "far", far)
    _budget(program, "1000000")
    assert (found(budget.RULE, program), unknown(budget.RULE, program)) == ([], [])
    _budget(program, "100")
    [(_, what)] = found(budget.RULE, program)
    assert what.startswith("over budget by at least $")
    assert "; bounded: 1 without a price of its own, 99." in what

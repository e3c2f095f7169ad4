"""What components say of themselves, and how the budget follows from it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.program.facts import Budget
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost import Estimate
from gpucluster.cost.estimate.budgets import Verdict, budget_verdict
from gpucluster.cost.estimate.stack_facts import stack_facts
from tests.cases import cases
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


def test_facts_of_several_components_add_up(make: Make) -> None:
    found = stack_facts(
        Resources(
            [
                make("x:y:A", "a", custom=False, trainingGpus=32, durationDays=7, outsideTraining=["e"],
                     notBuilt=["MIG"], budget={"monthly": "1000", "onExceed": "warn"}),
                make("x:y:B", "b", custom=False, trainingGpus=16.0, durationDays=14.5, outsideTraining=["f"],
                     notBuilt=["MIG", "queue"], outputs={"budget": {"monthly": "500.50", "onExceed": "fail"}}),
                make("aws:kms/key:Key", "k", trainingGpus=1000),
            ]
        )
    )  # fmt: skip
    assert found.training_gpus == Decimal(48)
    assert found.duration_days == Decimal("14.5")
    assert found.outside_training == {"e", "f"}
    assert found.not_built == ("MIG", "queue")
    assert found.budget == Budget(Decimal("1500.50"), "fail")
    assert found.ignored == ()


ODD: list[tuple[dict[str, Any], str]] = [
    ({"trainingGpus": UNKNOWN}, "trainingGpus of a is not known before the update"),
    ({"trainingGpus": "many"}, "trainingGpus of a is 'many', expected a number of 0 or more"),
    ({"durationDays": -1}, "durationDays of a is -1, expected a number of 0 or more"),
    ({"notBuilt": [UNKNOWN]}, "notBuilt of a is not a list of texts that is known before the update"),
    ({"outsideTraining": "e"}, "outsideTraining of a is not a list of texts that is known before the update"),
    ({"slices": UNKNOWN}, "slices of a are not known before the update"),
    (
        {"slices": {"b": {"1g": {"count": 7}}}},
        "slices of a cannot be used: eighths of 1g in b is not set, expected a number of 0 or more",
    ),
    (
        {"slices": {"b": {"1g": {"count": 0, "eighths": 1}}}},
        "slices of a cannot be used: 1g in b has count 0 and eighths 1",
    ),
    ({"budget": "1000"}, "budget of a is '1000', expected {monthly: USD, onExceed: fail or warn}"),
    ({"budget": {"monthly": UNKNOWN}}, "budget of a is not known before the update"),
    ({"budget": {"onExceed": "fail"}}, "budget.monthly of a is not set, expected a number of 0 or more"),
    ({"budget": {"monthly": 1, "currency": "EUR"}}, "budget of a is in 'EUR'; prices are in USD"),
    (
        {"budget": {"monthly": 1, "onExceed": "stop"}},
        "budget.onExceed of a is 'stop', expected fail or warn: treated as fail",
    ),
]


@pytest.mark.parametrize(("facts", "ignored"), ODD)
def test_odd_facts_are_named_and_not_used(make: Make, facts: dict[str, Any], ignored: str) -> None:
    found = stack_facts(Resources([make("x:y:A", "a", custom=False, **facts)]))
    assert found.ignored == (ignored,)
    assert (found.training_gpus, found.duration_days) == (None, None)


def test_no_gpus_give_no_price_per_gpu(make: Make, cost_of: CostOf) -> None:
    assert cost_of(make("x:y:A", "a", custom=False, trainingGpus=0)).per_training_gpu_hour is None


@cases
def test_the_verdict_is_never_within_when_something_is_not_priced(
    make: Make, cost_of: CostOf, monthly: str, types: list[str], outcome: str, ceiling_over: bool, sentence: str
) -> None:
    component = make("x:y:A", "a", custom=False, budget={"monthly": monthly, "onExceed": "fail"})
    cluster = make("aws:eks/cluster:Cluster", upgradePolicy={"supportType": "STANDARD"})
    verdict = budget_verdict(cost_of(component, cluster, *[make(type_) for type_ in types]))
    assert verdict is not None
    assert (verdict.outcome, verdict.ceiling_over, verdict.sentence) == (outcome, ceiling_over, sentence)


@pytest.mark.parametrize(("limits", "over"), [({"nodes": 1}, False), ({"nodes": 2}, True)])
def test_a_ceiling_above_the_budget_is_said(make: Make, cost_of: CostOf, limits: dict[str, int], over: bool) -> None:
    verdict = _elastic(make, cost_of, limits)
    assert (verdict.outcome, verdict.ceiling_over) == ("within", over)


def test_a_pool_that_nothing_limits_is_never_within_a_budget(make: Make, cost_of: CostOf) -> None:
    verdict = _elastic(make, cost_of, {})
    assert (verdict.outcome, verdict.ceiling_over) == ("cannot tell", True)
    assert verdict.sentence == Says("cannot", "no", "limit", "$73.00", "$6,000.00")


def _elastic(make: Make, cost_of: CostOf, limits: dict[str, int]) -> Verdict:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]}]
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool",
        metadata={"annotations": {"gpucluster/expected-gpus": 0}},
        spec={"limits": limits, "template": {"spec": {"requirements": requirements, "nodeClassRef": {"name": "c"}}}},
    )
    node_class = make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})
    cluster = make("aws:eks/cluster:Cluster", upgradePolicy={"supportType": "STANDARD"})
    verdict = budget_verdict(cost_of(cluster, node_class, pool), Budget(Decimal(6000), "warn"))
    assert verdict is not None
    return verdict


def test_without_a_budget_there_is_no_verdict(cost_of: CostOf) -> None:
    assert budget_verdict(cost_of()) is None

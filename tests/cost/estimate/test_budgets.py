"""The file of limits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, PriceBook, estimate
from gpucluster.cost.estimate.budgets import BadLimits, Limit, Limits, read_limits, verdicts_of
from gpucluster.cost.estimate.budgets import LimitVerdict as Verdict
from tests.says import Says


def _file(folder: Path, text: str) -> Path:
    path = folder / "limits.yaml"
    path.write_text(text)
    return path


def test_a_file_has_limits_of_the_stack_of_labels_and_of_pools(tmp_path: Path) -> None:
    text = "stack: {monthly: 420000, ceiling: 450000.5}\nlabels: {team: {1: {monthly: 7}}}\npools: {p: {ceiling: 0}}\n"
    assert read_limits(_file(tmp_path, text)) == Limits(
        Limit(Decimal(420000), Decimal("450000.5")), {"team": {"1": Limit(Decimal(7))}}, {"p": Limit(None, Decimal(0))}
    )


def test_everything_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    text = "stak: 1\nlabels: {team: 3}\npools: {x: {monthly: -1, most: 2}, y: 5, z: {ceiling: true}}\nstack: {}\n"
    path = _file(tmp_path, text)
    with pytest.raises(BadLimits) as raised:
        read_limits(path)
    form = "write monthly, ceiling or both, in USD: {monthly: 420000, ceiling: 450000}"
    assert str(raised.value).replace(f"{path}: ", "").splitlines() == [
        Says("stak", "not", "stack", "labels", "pools", "stack"),
        Says("pools.x.monthly", "-1", "USD", "0", "1,000,000,000,000"),
        Says("pools.x.most", "not", "monthly", "ceiling"),
        f"pools.y is 5; {form}",
        Says("pools.z.ceiling", "USD", "0", "1,000,000,000,000"),
        f"stack is an empty mapping; {form}",
        Says("labels.team", "3", "90000"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"), [("", "has no limits"), ("- 1", "has no"), ("a: b: c", "line 1: a second")]
)
def test_a_file_without_limits_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadLimits, match=problem):
        read_limits(_file(tmp_path, text))


def test_an_amount_with_two_readings_is_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, "stack: {monthly: 700:00:00}\nstack: {ceiling: 1}\n")
    with pytest.raises(BadLimits) as raised:
        read_limits(path)
    assert str(raised.value).splitlines() == [
        Says(path, "1", "stack.monthly", "700:00:00", "YAML", "1.1", "2520000", "YAML", "1.2", "2520000", "700:00:00"),
        f"{path}: line 2: stack is given twice; keep one",
    ]


Make = Callable[..., Resource]


def _verdicts(resources: list[Resource], book: PriceBook, **limits: object) -> list[Verdict]:
    found = Resources(resources, default_regions={"aws": "us-east-1"})
    return list(verdicts_of(estimate(found, book), found, Limits(**limits)))  # pyright: ignore[reportArgumentType]


@pytest.fixture
def pools(make: Make) -> list[Resource]:
    """2 to 4 m6i.large for team a, $70.08 each a month; an $8.00 disk for team b; a pool without a price for c."""
    part = make("example:index:Pool", "elastic", custom=False)
    return [
        part,
        make("aws:eks/nodeGroup:NodeGroup", "nodes", parent=part, instanceTypes=["m6i.large"], diskSize=0,
             scalingConfig={"desiredSize": 2, "minSize": 0, "maxSize": 4}, tags={"team": "a"}),
        make("aws:ebs/volume:Volume", "disk", type="gp3", size=100, tags={"team": "b"}),
        make("aws:eks/nodeGroup:NodeGroup", "odd", instanceTypes=["x9.large"], diskSize=0,
             scalingConfig={"desiredSize": 1}, tags={"team": "c"}),
    ]  # fmt: skip


def _shown(found: list[Verdict]) -> list[tuple[str, str, object, str, object]]:
    return [(item.scope, item.test, item.amount, item.outcome, item.over) for item in found]


def test_a_budget_is_held_against_what_is_expected_and_a_ceiling_against_the_most(
    pools: list[Resource], book: PriceBook
) -> None:
    priced = pools[:3]
    limit = Limit(Decimal(150), Decimal(200))
    assert _shown(_verdicts(priced, book, stack=limit)) == [
        ("stack", "expected", Decimal("148.16"), "within", None),
        ("stack", "ceiling", Decimal("288.32"), "over", Decimal("88.32")),
    ]


def test_limits_count_capacity_bought_elsewhere_whole(make: Make, book: PriceBook) -> None:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 100},
                associatePublicIpAddress=False,
                tags={"team": "a"}, capacityReservationSpecification=target)  # fmt: skip
    limit = Limit(Decimal(100), Decimal(50000))
    found = _verdicts([held], book, stack=limit, labels={"team": {"a": limit}}, pools={"held": limit})
    assert {(item.test, item.amount, item.outcome) for item in found} == {
        ("expected", Decimal("40187.20"), "over"),
        ("ceiling", Decimal("40187.20"), "within"),
    }


def test_labels_and_pools_have_limits_of_their_own(pools: list[Resource], book: PriceBook) -> None:
    found = _verdicts(
        pools,
        book,
        labels={"team": {"a": Limit(Decimal(140)), "b": Limit(Decimal(8))}},
        pools={"nodes": Limit(ceiling=Decimal("280.32")), "elastic": Limit(ceiling=Decimal(280))},
    )
    assert _shown(found) == [
        ("team=a", "expected", Decimal("140.16"), "over", Decimal("0.16")),
        ("team=b", "expected", Decimal("8.00"), "within", None),
        ("nodes", "ceiling", Decimal("280.32"), "within", None),
        ("elastic", "ceiling", Decimal("280.32"), "over", Decimal("0.32")),
    ]


def test_what_has_no_price_cannot_be_told_unless_the_rest_is_over_already(
    pools: list[Resource], book: PriceBook
) -> None:
    found = _verdicts(pools, book, stack=Limit(Decimal(1000)), labels={"team": {"c": Limit(Decimal(1))}})
    assert [(item.outcome, item.why) for item in found] == [
        ("cannot tell", "unknown: 1 without a price of its own")
    ] * 2
    assert [item.outcome for item in _verdicts(pools, book, stack=Limit(Decimal(100)))] == ["over"]


@pytest.mark.parametrize(
    ("cloud", "region", "share"),
    [
        ("azure-native", "eastus", {"reservation_1y_share": "0.5"}),
        ("aws", "us-east-1", {"savings_plan_3y_share": "0.8"}),
    ],
)
def test_what_fits_on_demand_fits_under_a_commitment_without_a_price(
    stack: Callable[..., list[Resource]], book: PriceBook, cloud: str, region: str, share: dict[str, str]
) -> None:
    found = Resources(stack(cloud), default_regions={cloud: region})
    limits = Limits(stack=Limit(Decimal(420000)))
    (on_demand,) = verdicts_of(estimate(found, book), found, limits)
    (committed,) = verdicts_of(estimate(found, book, Assumptions().with_values(share)), found, limits)
    assert isinstance(on_demand.amount, Decimal)
    assert isinstance(committed.amount, Decimal)
    assert (committed.gap.known, committed.outcome) == ("bounded", "within")
    most, most_on_demand = committed.gap.high(committed.amount), on_demand.gap.high(on_demand.amount)
    assert isinstance(most, Decimal)
    assert isinstance(most_on_demand, Decimal)
    assert most <= most_on_demand
    assert committed.gap.low(committed.amount) > 0


def test_scaling_that_nothing_limits_is_never_within_a_ceiling(make: Make, book: PriceBook) -> None:
    pool = make("kubernetes:karpenter.sh/v1:NodePool", "pool", metadata={}, spec={"template": {"spec": {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "name": "gpu"},
        "requirements": [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
            {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        ]}}})  # fmt: skip
    (found,) = _verdicts([pool], book, pools={"pool": Limit(ceiling=Decimal(10**9))})
    assert (found.amount, found.outcome) == ("unbounded", "cannot tell")
    assert found.why.startswith("an autoscaled pool has no limit")


def test_a_value_that_nothing_carries_cannot_be_told(pools: list[Resource], book: PriceBook) -> None:
    (found,) = _verdicts(pools, book, labels={"team": {"z": Limit(Decimal(1))}})
    assert (found.outcome, found.why) == ("cannot tell", "no resource has team=z")


def test_the_budget_of_the_components_comes_first(stack: Callable[..., list[Resource]], book: PriceBook) -> None:
    resources = stack("aws", budget={"monthly": "1000", "currency": "USD", "onExceed": "fail"})
    found = _verdicts(resources, book, stack=Limit(Decimal(300000)))
    assert [(item.scope, item.outcome) for item in found] == [("stack's own budget", "over"), ("stack", "within")]


def test_a_pool_that_is_not_there_is_refused_with_what_comes_near(pools: list[Resource], book: PriceBook) -> None:
    with pytest.raises(BadLimits) as raised:
        _verdicts(pools, book, pools={"node": Limit(Decimal(1)), "zzz": Limit(Decimal(1))})
    assert str(raised.value).splitlines() == [
        Says("pools.node", "no", "resource", "nodes"),
        Says("pools.zzz", "no", "resource"),
    ]

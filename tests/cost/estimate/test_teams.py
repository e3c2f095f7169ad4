"""What the share of a team costs: by GPUs of each pool, with a part of what belongs to no pool."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from gpucluster.core.documents.formats import written
from gpucluster.core.program.resources import Resource
from gpucluster.cost import Estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.documents.report.report_json import report_json
from gpucluster.cost.estimate.teams import NO_TEAM, Kept, TeamCost, team_costs
from gpucluster.cost.pricing.bounds import CLOSED

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


def _shares(**gpus: tuple[int, int]) -> dict[str, Any]:
    return {f"trial-{part}": {"gpus": own, "of": of} for part, (own, of) in gpus.items()}


def _stack(make: Make, **teams: Any) -> list[Resource]:
    """Two machines that train ($80,358.40 a month), and a control plane ($73.00) that is nobody's."""
    machine = {"instanceType": "p5.48xlarge"}
    return [
        make("x:y:Cluster", "trial", custom=False, teams=teams),
        make("aws:ec2/instance:Instance", "trial-training-nodes", **machine),
        make("aws:ec2/instance:Instance", "trial-elastic-dev-pool", **machine),
        make("aws:eks/cluster:Cluster", "trial-control-plane-cluster", name="trial"),
    ]


def test_shares_of_pools_bear_the_rest_of_the_bill_in_proportion(make: Make, cost_of: CostOf) -> None:
    vision = {"monthly": "30000", "shares": _shares(training=(8, 16), **{"elastic-dev": (0, 8)})}
    speech = {"monthly": "20000", "shares": _shares(training=(4, 16), **{"elastic-dev": (4, 8)})}
    found = cost_of(*_stack(make, vision=vision, speech=speech))
    total = found.monthly.expected

    def kept(**gpus: int) -> tuple[Kept, ...]:
        """A machine for training and one for single jobs: $55.04 an hour each, a disk of 8 GiB and an address."""
        of, each = {"training": 16, "dev": 8}, Decimal("55.04") * 730 + Decimal("0.64") + Decimal("3.65")
        return tuple(Kept(pool=pool, gpus=n, usd=each * n / of[pool] / 730) for pool, n in gpus.items())

    assert team_costs(found) == (
        TeamCost(
            name="vision",
            monthly=(total / 4).quantize(Decimal("0.01")),
            gpus=8,
            budget=Decimal(30000),
            gap=CLOSED,
            kept=kept(training=8),
        ),
        TeamCost(
            name="speech",
            monthly=(total * 3 / 8).quantize(Decimal("0.01")),
            gpus=8,
            budget=Decimal(20000),
            gap=CLOSED,
            kept=kept(training=4, dev=4),
        ),
        TeamCost(
            name=NO_TEAM,
            monthly=total - sum(each.monthly for each in team_costs(found)[:2]),
            gpus=8,
            budget=None,
            gap=CLOSED,
            kept=kept(training=4, dev=4),
        ),
    )
    assert sum(each.monthly for each in team_costs(found)) == total
    assert [each.outcome for each in team_costs(found)] == ["within", "over", None]


def test_a_pool_that_scales_costs_nothing_while_idle(make: Make, cost_of: CostOf) -> None:
    group = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"desiredSize": 1, "minSize": 0, "maxSize": 2}}
    vision = {"shares": _shares(training=(8, 8), dev=(8, 16))}
    training, fixed = "aws:ec2/instance:Instance", {"instanceType": "p5.48xlarge"}
    stack = [
        make("x:y:Cluster", "trial", custom=False, teams={"vision": vision}),
        make(training, "trial-training-nodes", **fixed),
        make("aws:eks/nodeGroup:NodeGroup", "trial-dev-nodes", **group),
    ]
    assert [[(kept.pool, kept.gpus) for kept in team.kept] for team in team_costs(cost_of(*stack))] == [
        [("training", 8)],
        [],
    ]


def test_a_pool_whose_name_begins_as_anothers_is_not_the_others(make: Make, cost_of: CostOf) -> None:
    shares = _shares(training=(0, 16), **{"elastic-dev": (8, 8), "elastic-dev-pool": (0, 8)})
    cluster, training, dev, _ = _stack(make, a={"shares": shares})
    longer = make("aws:ec2/instance:Instance", "trial-elastic-dev-pool-pool", instanceType="p5.48xlarge")
    found = cost_of(cluster, training, dev, longer)
    assert team_costs(found)[0].monthly == (found.monthly.expected / 3).quantize(Decimal("0.01"))


def test_what_has_no_price_leaves_a_verdict_open_unless_the_share_is_over_already(make: Make, cost_of: CostOf) -> None:
    vision = {"monthly": "1000000", "shares": _shares(training=(8, 16))}
    speech = {"monthly": "1", "shares": _shares(training=(8, 16))}
    unknown = make("aws:ec2/instance:Instance", "other", instanceType="m99.xlarge")
    found = cost_of(*_stack(make, vision=vision, speech=speech), unknown)
    assert [each.outcome for each in team_costs(found)] == ["cannot tell", "over", None]
    assert "at least $" in team_costs(found)[0].sentence


def test_table_and_json_tell_of_teams_only_where_there_are_some(make: Make, cost_of: CostOf) -> None:
    shares = {"monthly": "30000", "shares": _shares(training=(8, 16))}
    with_teams, without = cost_of(*_stack(make, vision=shares)), cost_of(*_stack(make))
    table = written(report_document(with_teams), "table")
    rows = [line.split()[:-2] for line in table.splitlines() if line.startswith(("vision", NO_TEAM))]
    assert rows == [["vision", "8", "5,840"], ["(no", "team)", "8", "5,840"]]
    assert [each["name"] for each in report_json(with_teams).model_dump()["teams"]] == ["vision", NO_TEAM]
    assert "GPU-hours a month" not in written(report_document(without), "table")
    assert report_json(without).model_dump()["teams"] == []


def test_markdown_and_page_tell_of_teams_only_where_there_are_some(make: Make, cost_of: CostOf) -> None:
    shares = {"monthly": "30000", "shares": _shares(training=(8, 16))}
    with_teams, without = cost_of(*_stack(make, vision=shares)), cost_of(*_stack(make))
    [vision, rest] = team_costs(with_teams)
    markdown = written(report_document(with_teams, stack="trial"), "markdown")
    told = f"{vision.sentence[0].upper()}{vision.sentence[1:]}."
    assert f"| vision<br>{told} | 8 | 5,840 | ${vision.hourly:,.2f} | ${vision.monthly:,.2f} |" in markdown
    assert f"| {NO_TEAM} | 8 | 5,840 | ${rest.hourly:,.2f} | ${rest.monthly:,.2f} |" in markdown
    page = written(report_document(with_teams, "trial"), "html")
    assert "By team, a month" in page
    assert f"8 GPUs, 5,840 GPU-hours; {vision.sentence}" in page
    assert "| team |" not in written(report_document(without, stack="trial"), "markdown")
    assert "By team" not in written(report_document(without, "trial"), "html")


def test_pools_without_a_price_share_nothing_out(make: Make, cost_of: CostOf) -> None:
    unknown = make("aws:ec2/instance:Instance", "trial-training-nodes", instanceType="m99.xlarge")
    cluster = _stack(make, vision={"shares": _shares(training=(8, 16))})[0]
    assert team_costs(cost_of(cluster, unknown)) == ()

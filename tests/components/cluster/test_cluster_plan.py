"""How long clouds keep what pods print, and where jobs of a broken node go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.cluster.cloud import CLOUDS, cloud_of
from tests.components.conftest import Vary
from tests.components.told import refused

Planned = Callable[..., Any]


@pytest.fixture
def planned(vary: Vary) -> Planned:
    def plan(cloud: str, days: int | None = None, **changes: Any) -> Any:
        known = cloud_of(cloud)
        location, problems = known.locate(known.keys)
        assert problems == []
        spec = vary(**changes, **({} if days is None else {"telemetry": {"logs": {"keep_days": days}}}))
        return known.plan_cluster(spec, location, "dev", None, None)

    return plan


def notes(plan: Any) -> list[str]:
    return [note for note in plan.facts.registered()["notes"] if note.startswith("logs of pods")]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_cloud_keeps_them_for_30_days_unless_the_spec_says_otherwise(cloud: str, planned: Planned) -> None:
    assert planned(cloud).keep_logs_days == 30
    assert planned(cloud, 90).keep_logs_days == 90
    assert notes(planned(cloud, 0)) == ["logs of pods are deleted with the pod: telemetry.logs.keep_days is 0"]


@pytest.mark.parametrize(
    ("cloud", "days", "where"),
    [
        ("aws", 30, "30 days in a log group of CloudWatch (docs/operate/logs.md)"),
        ("azure", 90, "90 days in a Log Analytics workspace, with the control plane's (docs/operate/logs.md)"),
        (
            "gcp",
            30,
            "30 days in the bucket _Default of Cloud Logging (docs/operate/logs.md), "
            "unless the project sets another time",
        ),
        (
            "gcp",
            90,
            "90 days in the cluster's own bucket, and paid once more for the bucket _Default of Cloud Logging "
            "(docs/operate/logs.md)",
        ),
    ],
)
def test_a_plan_says_where_and_for_how_long(cloud: str, days: int, where: str, planned: Planned) -> None:
    assert notes(planned(cloud, days)) == [f"logs of pods are kept for {where}"]


CLOUDWATCH = (
    "CloudWatch keeps logs for 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, "
    "2922, 3288, 3653 days"
)


@pytest.mark.parametrize(
    ("cloud", "days", "fix"),
    [
        ("aws", 45, CLOUDWATCH),
        ("azure", 29, "Log Analytics keeps logs for 30 to 730 days: write one of these"),
        ("azure", 731, "Log Analytics keeps logs for 30 to 730 days: write one of these"),
        ("gcp", 3651, "Cloud Logging keeps logs for 1 to 3650 days: write one of these"),
    ],
)
def test_a_number_of_days_that_the_cloud_does_not_take_is_refused(cloud: str, days: int, fix: str, vary: Vary) -> None:
    spec = vary(telemetry={"logs": {"keep_days": days}})
    assert refused(cloud, spec) == [f"telemetry.logs.keep_days is {days}; {fix}, or 0 for no logs"]


@pytest.mark.parametrize(
    ("jobs", "who"),
    [
        ({"scheduler": "kueue"}, "the jobs of a broken GPU node"),
        ({"scheduler": "slurm"}, "the batch jobs of a broken GPU node, which Slurm queues again,"),
        (
            {"scheduler": "both", "slurm_pools": ["training"]},
            "the batch jobs of a broken GPU node, which Slurm queues again,",
        ),
        ({"scheduler": "both", "slurm_pools": ["dev"]}, "the jobs of a broken GPU node"),
    ],
)
def test_a_plan_says_where_jobs_of_a_broken_node_go(jobs: dict[str, Any], who: str, planned: Planned) -> None:
    told = [note for note in planned("aws", jobs=jobs).facts.registered()["notes"] if "broken GPU node" in note]
    assert told == [
        f"{who} move to a spare within minutes; EKS reboots or replaces it after 10 to 30 minutes "
        "(docs/operate/self-healing.md)"
    ]

"""When a stack ends, and what it costs until then."""

from __future__ import annotations

from datetime import UTC, datetime

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.trial import Trial, trial_of
from tests.cases import cases

BEGUN = datetime(2026, 11, 1, 10, tzinfo=UTC)


def trial(at: datetime, *, days: int | None = 14, begun: datetime | None = None) -> Trial | None:
    """Of a volume of gp3, at $0.08 a GiB-month; so $0.08 an hour for 730 GiB."""
    said = {} if begun is None else {"begun": begun.isoformat()}
    stack = Resource(urn="urn:s", type="pulumi:pulumi:Stack", name="s", custom=False, outputs=said)
    facts = {} if days is None else {"durationDays": days}
    cluster = Resource(urn="urn:c", type="x:y:Cluster", name="c", custom=False, outputs=facts)
    volume = Resource(
        urn="urn:v",
        type="aws:ebs/volume:Volume",
        name="v",
        inputs={"availabilityZone": "us-east-1a", "size": 730, "type": "gp3"},
    )
    return trial_of(estimate(Resources([stack, cluster, volume], default_regions={"aws": "us-east-1"})), at)


@cases
def test_an_end_is_fixed_by_begin_and_duration(at: datetime, days: int | None, over: bool, said: str) -> None:
    found = trial(at, days=days, begun=BEGUN)
    assert found is not None
    assert (found.over, found.sentence) == (over, f"started 2026-11-01 10:00 UTC, {said}")


def test_before_the_first_update_there_is_no_begin() -> None:
    assert trial(BEGUN) is None

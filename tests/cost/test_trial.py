"""When a stack ends, and what it costs until then."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from gpucluster.cost.estimate import estimate
from gpucluster.cost.trial import Trial, trial_of
from gpucluster.program.resources import Resource, Resources

BEGUN = datetime(2026, 11, 1, 10, tzinfo=UTC)
ALIKE = "assuming it never changed"


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


@pytest.mark.parametrize(
    ("at", "days", "over", "said"),
    [
        (
            datetime(2026, 11, 4, 10, tzinfo=UTC),
            14,
            False,
            f"ends 2026-11-15 10:00 UTC, in 11.0 days: $5.76 so far, $26.88 by its end, {ALIKE}",
        ),
        (
            datetime(2026, 11, 15, 10, tzinfo=UTC),
            14,
            True,
            f"ended 2026-11-15 10:00 UTC, 0.0 days ago: $26.88 so far, $26.88 by its end, {ALIKE}",
        ),
        (datetime(2026, 11, 2, 10, tzinfo=UTC), None, False, f"with no end: $1.92 so far, {ALIKE}"),
        (
            datetime(2026, 10, 1, tzinfo=UTC),
            1,
            False,
            f"ends 2026-11-02 10:00 UTC, in 32.4 days: $0.00 so far, $1.92 by its end, {ALIKE}",
        ),
    ],
    ids=["before", "at the end", "without an end", "by a clock that is behind"],
)
def test_an_end_is_fixed_by_begin_and_duration(at: datetime, days: int | None, over: bool, said: str) -> None:
    found = trial(at, days=days, begun=BEGUN)
    assert found is not None
    assert (found.over, found.sentence) == (over, f"begun 2026-11-01 10:00 UTC, {said}")


def test_before_the_first_update_there_is_no_begin() -> None:
    assert trial(BEGUN) is None

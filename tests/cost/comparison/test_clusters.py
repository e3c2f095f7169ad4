"""What a cluster says of itself."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost.comparison import Cluster, cluster_of

Make = Callable[..., Resource]


def test_the_component_with_the_facts_of_a_cluster_is_heard(make: Make) -> None:
    pool = make("any:where:Pool", "pool", custom=False, trainingGpus=32)
    cluster = make(
        "any:where:Cluster",
        "trial",
        custom=False,
        trainingGpus=32.0,
        durationDays=0.5,
        requiredLabels={"team": "research", "owner": UNKNOWN},
        equivalence={"accelerator": "h100", "fabricGbps": 1600.0, "zone": None},
        outputs={"losses": ["a fabric of 3,200 Gb/s"]},
    )
    assert cluster_of(Resources([pool, cluster])) == Cluster(
        name="trial",
        asked={
            "name": "trial",
            "training GPUs": "32",
            "duration in days": "0.5",
            "label owner": "not known before the update",
            "label team": "research",
            "accelerator": "h100",
        },
        equivalence={"accelerator": "h100", "fabricGbps": "1600"},
        losses=("a fabric of 3,200 Gb/s",),
    )


def test_none_is_heard_where_none_or_several_say_it(make: Make) -> None:
    one, two = (make("any:where:Cluster", name, custom=False, equivalence={}) for name in ("one", "two"))
    assert cluster_of(Resources([])) is None
    assert cluster_of(Resources([make("any:where:Cluster", "c", custom=False, equivalence=UNKNOWN)])) is None
    assert cluster_of(Resources([one, two])) is None

"""How the queues of teams share a pool: what is one team's is no other's, and nothing of the pool is lost."""

from __future__ import annotations

from fractions import Fraction

from gpucluster.components.kubernetes.jobs.job_controllers import KUEUE_CONFIG, kueue_config
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.kubernetes.jobs.queues import cluster_queue, part_of, rest_of, team_queue
from gpucluster.components.planning.names import GPU
from gpucluster.components.shared.teams import TeamPlan
from gpucluster.core.catalog.machines import machines

SHAPE = machines()["p5.48xlarge"]
POOL = JobPool(
    name="training",
    shape=SHAPE,
    nodes=4,
    gpus={GPU: 32},
    ask={GPU: 8},
    fabric=FabricPod(resources={"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5120Mi"}),
)
ALL = {"cpu": "768", "memory": "8192Gi", GPU: "32", "vpc.amazonaws.com/efa": "128", "hugepages-2Mi": "20480Mi"}


def team(name: str, nodes: int, weight: int = 2) -> TeamPlan:
    return TeamPlan(name=name, groups=(), shares={"training": Fraction(nodes, 4)}, weight=weight)


VISION, SPEECH = team("vision", 2, weight=4), team("speech", 1)


def test_a_share_is_one_of_everything_that_jobs_can_ask_for() -> None:
    assert POOL.quotas == ALL
    assert part_of(POOL, Fraction(1, 4)) == {
        "cpu": "192",
        "memory": "2048Gi",
        GPU: "8",
        "vpc.amazonaws.com/efa": "32",
        "hugepages-2Mi": "5120Mi",
    }
    assert set(part_of(POOL, Fraction(0)).values()) == {"0", "0Gi", "0Mi"}


def test_what_does_not_divide_is_left_to_the_namespace_of_all() -> None:
    thirds = [TeamPlan(name=name, groups=(), shares={"training": Fraction(1, 3)}, weight=2) for name in ("a", "b")]
    assert part_of(POOL, Fraction(1, 3))[GPU] == "10"
    assert rest_of(POOL, thirds)[GPU] == "12"


def test_without_teams_a_queue_has_its_pool_and_no_cohort() -> None:
    assert cluster_queue(POOL, []) == {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "training"}},
        "resourceGroups": [
            {
                "coveredResources": list(ALL),
                "flavors": [
                    {
                        "name": "training",
                        "resources": [{"name": name, "nominalQuota": amount} for name, amount in ALL.items()],
                    }
                ],
            }
        ],
        "preemption": {"withinClusterQueue": "LowerPriority"},
    }
    assert kueue_config([]) == KUEUE_CONFIG


def test_queues_of_teams_lend_borrow_and_take_back() -> None:
    own, rest = team_queue(POOL, VISION), cluster_queue(POOL, [VISION, SPEECH])
    shared = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    assert (own["cohortName"], own["preemption"], own["fairSharing"]) == ("training", shared, {"weight": "4"})
    assert own["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "team-vision"}}
    assert (rest["cohortName"], rest["preemption"], "fairSharing" in rest) == ("training", shared, False)
    gpus = [
        each["nominalQuota"]
        for queue in (own, team_queue(POOL, SPEECH), rest)
        for each in queue["resourceGroups"][0]["flavors"][0]["resources"]
        if each["name"] == GPU
    ]
    assert gpus == ["16", "8", "8"]


def test_kueue_takes_care_of_the_namespaces_of_teams_and_shares_fairly() -> None:
    config = kueue_config([VISION, SPEECH])
    [selected] = config["managedJobsNamespaceSelector"]["matchExpressions"]
    assert selected["values"] == ["training", "team-vision", "team-speech"]
    assert {key: value for key, value in config.items() if KUEUE_CONFIG.get(key) != value} == {
        "managedJobsNamespaceSelector": config["managedJobsNamespaceSelector"],
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
    }

"""GKE ComputeClasses: what they may start, what runs on average, and what limits them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

POOL = "gcp:container/nodePool:NodePool"
ZONE = "us-central1-a"
GPU = {"type": "nvidia-h100-80gb", "count": 1}
STORAGE = {"bootDiskType": "pd-balanced", "bootDiskSize": 200}
LIMITS = [
    {"resourceType": "cpu", "maximum": 1000},
    {"resourceType": "memory", "maximum": 10000},
    {"resourceType": "nvidia-h100-80gb", "maximum": 16},
]


def _class(make: Make, *rules: Any, name: str = "elastic", expected: str | None = "2", **options: Any) -> Resource:
    annotations = {} if expected is None else {"gpucluster/expected-gpus": expected}
    return make(
        "kubernetes:cloud.google.com/v1:ComputeClass",
        name,
        metadata={"name": name, "annotations": annotations},
        spec={"priorities": list(rules)},
        **options,
    )


def _rule(machine: str | None = "a3-highgpu-1g", **how: Any) -> dict[str, Any]:
    named = {} if machine is None else {"machineType": machine}
    return {**named, "gpu": GPU, "location": {"zones": [ZONE]}, "storage": STORAGE, **how}


def _cluster(make: Make, limits: Any = None) -> Resource:
    autoscaling = {"clusterAutoscaling": {"enabled": True, "resourceLimits": limits}} if limits else {}
    return make("gcp:container/cluster:Cluster", "cluster", location="us-central1", loggingConfig={}, **autoscaling)


def _pool(make: Make, name: str = "spot-pool", most: int = 8, **config: Any) -> Resource:
    return make(
        POOL,
        name,
        name=name,
        location=ZONE,
        autoscaling={"totalMinNodeCount": 0, "totalMaxNodeCount": most},
        nodeConfig={"machineType": "a3-highgpu-1g", "diskSizeGb": 100, "diskType": "pd-balanced", **config},
    )


def _shown(found: Estimate, *, of: str = "elastic") -> list[tuple[str, str, str, str]]:
    return [
        (line.name, f"{line.monthly_floor:f}", f"{line.monthly:f}", str(line.monthly_ceiling))
        for line in found.lines
        if line.urn.endswith(of)
    ]


def test_the_dearest_rule_is_priced_and_the_clusters_limit_is_the_ceiling(make: Make, cost_of: CostOf) -> None:
    rules = _rule(flexStart={"enabled": True}), _rule(spot=True)
    found = cost_of(_cluster(make, LIMITS), _class(make, *rules), region=None)
    assert found.not_priced == ()
    assert _shown(found) == [
        ("a3-highgpu-1g spot, autoscaled", "0.00", "9236.24", "73889.93"),
        ("boot disks, pd-balanced", "0.00", "40.00", "320.00"),
    ]
    assert found.lines[0].assumption == (
        "expected GPUs of elastic: 2 on average (annotation gpucluster/expected-gpus); "
        "priced as rule 2, the most expensive of 2 ways to start a machine"
    )


def test_the_limit_of_the_cluster_counts_the_nodes_of_other_pools_too(make: Make, cost_of: CostOf) -> None:
    training = make(POOL, "training", location=ZONE, nodeCount=1, nodeConfig={"machineType": "a3-highgpu-8g"})
    found = cost_of(_cluster(make, LIMITS), training, _class(make, _rule(spot=True)), region=None)
    assert _shown(found)[0][3] == "36944.97"  # 16 GPUs less the 8 of the training node


def test_classes_that_share_the_limit_of_a_cluster_reach_it_together_and_no_more(make: Make, cost_of: CostOf) -> None:
    pools = _pool(make, "dev-pool", 4, spot=True), _pool(make, "batch-pool", 12, spot=True)
    dev = _class(make, {"nodepools": ["dev-pool"]}, _rule(spot=True), name="dev")
    batch = _class(make, {"nodepools": ["batch-pool"]}, _rule(spot=True), name="batch")
    alone = cost_of(_cluster(make, LIMITS), pools[0], dev, region=None)
    assert _shown(alone, of="dev")[0][3] == "73889.93"  # all 16 GPUs
    found = cost_of(_cluster(make, LIMITS), *pools, dev, batch, region=None)
    # 4 and 12 of 16.
    assert [_shown(found, of=name)[0][3] for name in ("dev", "batch")] == ["18472.48", "55417.45"]


def test_without_a_limit_the_ceiling_is_unbounded_and_never_zero(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_cluster(make), _class(make, _rule(spot=True)), region=None)
    assert _shown(found)[0] == ("a3-highgpu-1g spot, autoscaled", "0.00", "9236.24", "unbounded")
    silent = cost_of(_cluster(make), _class(make, _rule(spot=True), expected=None), region=None)
    assert [item.reason for item in silent.not_priced] == [
        "average number of machines: the class has no limit; set its annotation gpucluster/expected-gpus"
    ]


@pytest.mark.parametrize("known", [True, False])
def test_the_pools_that_a_class_names_are_counted_with_the_class_and_once(
    make: Make, cost_of: CostOf, known: bool
) -> None:
    pool = _pool(make, spot=True)
    named = {"nodepools": ["spot-pool" if known else UNKNOWN]}
    found = cost_of(pool, _class(make, named, dependencies={} if known else {"spec": pool}), region=None)
    assert _shown(found) == [
        ("a3-highgpu-1g spot, autoscaled", "0.00", "9236.24", "36944.97"),
        ("boot disks, pd-balanced", "0.00", "20.00", "80.00"),
    ]
    assert {line.monthly for line in found.lines if line.urn == pool.urn} == {Decimal("0.00")}
    assert "nodes of spot-pool above its 0 are counted with elastic" in found.assumptions
    assert found.monthly.expected == Decimal("9256.24")


def test_a_rule_that_nothing_can_be_bought_by_is_said(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_cluster(make, LIMITS), _class(make, _rule(), _rule(spot=True)), region=None)
    assert found.not_priced == ()
    assert found.lines[0].assumption.endswith(
        "rule 1 of elastic can start nothing: a3-highgpu-1g is not sold on demand: created as Spot or Flex-start VMs "
        "only (Compute Engine documentation, GPU machine types)"
    )


def test_gpus_tell_the_machine_where_a_rule_names_none(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_cluster(make, LIMITS), _class(make, _rule(None, spot=True)), region=None)
    assert _shown(found)[0][0] == "a3-highgpu-1g spot, autoscaled"


UNPRICED: list[tuple[list[Any], list[str]]] = [
    (
        [_rule()],
        [
            "rule 1 of elastic can start nothing: a3-highgpu-1g is not sold on demand: created as Spot or Flex-start "
            "VMs only (Compute Engine documentation, GPU machine types)"
        ],
    ),
    ([{"machineFamily": "n2", "location": {"zones": [ZONE]}}],
     ["rule 1 names neither a machine type nor GPUs that determine one"]),
    (
        [_rule("a3-highgpu-1g", flexStart={"enabled": True}, location={"zones": ["us-east4-a"]})],
        [
            "no price for a3-highgpu-1g flex_start in gcp us-east4 per instance-hour; known: us-east4 spot, "
            "us-central1 flex_start, us-east5 spot, us-central1 spot and 11 more"
        ],
    ),
    ([_rule("n2-standard-4")],
     ["rule 1: n2-standard-4 is not in the table of machines, so GPUs cannot be converted to machines"]),
    ([UNKNOWN], ["its priorities are not known before the update"]),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "reasons"), UNPRICED)
def test_what_cannot_be_known_is_named(make: Make, cost_of: CostOf, rules: list[Any], reasons: list[str]) -> None:
    found = cost_of(_cluster(make), _class(make, *rules), region=None)
    assert [item.reason for item in found.not_priced if item.urn.endswith("elastic")] == reasons
    assert [item.type for item in found.unpriced_compute] == ["kubernetes:cloud.google.com/v1:ComputeClass"]

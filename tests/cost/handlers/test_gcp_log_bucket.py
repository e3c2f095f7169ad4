"""What the pods of a GKE cluster print, in Cloud Logging and in buckets of one's own."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


def _stack(make: Make) -> list[Resource]:
    cluster = make(
        "gcp:container/cluster:Cluster",
        "c",
        name="one",
        location="us-central1",
        removeDefaultNodePool=True,
        loggingConfig={"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
    )
    pool = make(
        "gcp:container/nodePool:NodePool",
        "p",
        nodeCount=20,
        nodeLocations=["us-central1-a"],
        nodeConfig={"machineType": "a3-highgpu-8g"},
        dependencies={"cluster": cluster},
    )
    bucket = make("gcp:logging/projectBucketConfig:ProjectBucketConfig", "b", retentionDays=90)
    sink = make(
        "gcp:logging/projectSink:ProjectSink",
        "s",
        filter='resource.labels.cluster_name="one"',
        dependencies={"destination": bucket},
    )
    other = make("gcp:logging/projectBucketConfig:ProjectBucketConfig", "other")
    return [cluster, pool, bucket, sink, other]


def _lines(found: Estimate) -> list[tuple[str, str, str]]:
    return [
        (found.names[line.urn], line.name, f"{line.monthly}")
        for line in found.lines
        if line.sku.startswith("cloud-log")
    ]


def test_pods_are_estimated_by_the_nodes_in_each_bucket_that_takes_their_logs(make: Make, cost_of: CostOf) -> None:
    assert _lines(cost_of(*_stack(make))) == [
        ("c", "Cloud Logging", "25.00"),  # 4 GiB of pods and 1 of the system from each of 20 nodes, less 50
        ("b", "Pod logs ingested", "40.00"),
        ("other", "Logs ingested", "0.00"),
    ]


def test_the_estimate_gives_way_to_what_usage_says(make: Make, cost_of: CostOf) -> None:
    usage = Assumptions().with_values({"log_gib": "100"})
    assert [monthly for *_, monthly in _lines(cost_of(*_stack(make), assumptions=usage))] == ["50.00"] * 3

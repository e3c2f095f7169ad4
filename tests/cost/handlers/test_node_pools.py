"""Karpenter pools: floor, expected, ceiling."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

MACHINE = "node.kubernetes.io/instance-type"
ZONE = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}


def _pool(make: Make, *types: str, annotations: dict[str, Any] | None = None, **spec: Any) -> Resource:
    requirements = [{"key": MACHINE, "operator": "In", "values": list(types)}, ZONE, *spec.pop("requirements", [])]
    template = {"spec": {"requirements": requirements, "nodeClassRef": {"name": "class"}}}
    return make(
        "kubernetes:karpenter.sh/v1:NodePool",
        "pool",
        metadata={"name": "pool", "annotations": annotations or {}},
        spec={"template": template, **spec},
    )


def _class(make: Make, size: str = "200Gi") -> Resource:
    disks = [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": size}}]
    return make(
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "class",
        metadata={"name": "class"},
        spec={"blockDeviceMappings": disks},
    )


def _machines(found: Estimate) -> tuple[str, str, str, str]:
    line = found.lines[0]
    ceiling = line.monthly_ceiling
    return line.name, str(line.monthly_floor), str(line.monthly), str(ceiling)


def test_the_annotation_says_what_runs_on_average(make: Make, cost_of: CostOf) -> None:
    pool = _pool(make, "p5.4xlarge", annotations={"gpucluster/expected-gpus": "2"}, limits={"nvidia.com/gpu": "8"})
    found = cost_of(pool, _class(make))
    assert _machines(found) == ("p5.4xlarge on demand, autoscaled", "0.00", "10044.80", "40179.20")
    disks = found.lines[1]
    assert (disks.name, disks.monthly, disks.monthly_ceiling) == (
        "root disks, gp3",
        Decimal("32.00"),
        Decimal("128.00"),
    )
    assert found.assumptions == ("expected GPUs of pool: 2 on average (annotation gpucluster/expected-gpus)",)
    assert found.not_priced == ()


@pytest.mark.parametrize(("share", "expected"), [("0.5", "20089.60"), ("0.25", "10044.80"), ("0", "0.00")])
def test_without_it_a_share_of_the_limit_runs_and_that_is_an_input(
    make: Make, cost_of: CostOf, share: str, expected: str
) -> None:
    pool = _pool(make, "p5.4xlarge", limits={"nvidia.com/gpu": 8})
    found = cost_of(pool, _class(make), assumptions=Assumptions(expected_share=Decimal(share)))
    assert _machines(found) == ("p5.4xlarge on demand, autoscaled", "0.00", expected, "40179.20")
    assert found.assumptions == (f"expected_share: {share} of the limit of pool runs on average",)


def test_no_limit_means_an_unbounded_ceiling(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, "p5.4xlarge", annotations={"gpucluster/expected-gpus": 1}), _class(make))
    assert _machines(found) == ("p5.4xlarge on demand, autoscaled", "0.00", "5022.40", "unbounded")
    assert found.monthly.ceiling == "unbounded"
    assert found.not_priced == ()


def test_no_limit_and_nothing_expected_cannot_be_told(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, "p5.4xlarge"), _class(make))
    assert _machines(found) == ("p5.4xlarge on demand, autoscaled", "0.00", "0.00", "unbounded")
    assert [item.reason for item in found.not_priced] == [
        "average number of machines: the pool has no limit; set its annotation gpucluster/expected-gpus"
    ]


def test_a_pool_with_replicas_is_fixed(make: Make, cost_of: CostOf) -> None:
    found = cost_of(_pool(make, "p5.48xlarge", replicas=2, limits={"nodes": "4"}), _class(make))
    assert _machines(found) == ("2 x p5.48xlarge on demand", "80358.40", "80358.40", "80358.40")


@pytest.mark.parametrize(
    ("limits", "ceiling"),
    [
        ({"nodes": 3}, "120537.60"),
        ({"nvidia.com/gpu": 16}, "80358.40"),
        ({"cpu": "192"}, "40179.20"),
        ({"nodes": 3, "nvidia.com/gpu": 16, "cpu": "192"}, "40179.20"),
    ],
)
def test_the_narrowest_limit_counts(make: Make, cost_of: CostOf, limits: dict[str, Any], ceiling: str) -> None:
    found = cost_of(_pool(make, "p5.48xlarge", limits=limits), _class(make))
    assert _machines(found)[3] == ceiling


def test_of_several_types_the_dearest_gpu_is_the_safe_figure(make: Make, cost_of: CostOf) -> None:
    pool = _pool(make, "p4d.24xlarge", "p5.4xlarge", "p4de.24xlarge", limits={"nvidia.com/gpu": 8})
    found = cost_of(pool, _class(make))
    assert _machines(found)[0] == "p5.4xlarge on demand, autoscaled"
    assert found.assumptions == (
        "expected_share: 0.5 of the limit of pool runs on average; "
        "priced as p5.4xlarge, the most expensive of 3 machine types",
    )


def test_more_expected_than_the_limit_allows_is_cut_and_said(make: Make, cost_of: CostOf) -> None:
    pool = _pool(make, "p5.4xlarge", annotations={"gpucluster/expected-gpus": 9}, limits={"nvidia.com/gpu": 1})
    found = cost_of(pool, _class(make))
    assert _machines(found)[1:] == ("0.00", "5022.40", "5022.40")
    assert "which is more than its limit: the limit counts" in found.assumptions[0]


def test_without_a_zone_the_pool_runs_where_its_cluster_is(make: Make, cost_of: CostOf) -> None:
    cluster = make("aws:eks/cluster:Cluster", "cluster", region="us-east-2", upgradePolicy={"supportType": "STANDARD"})
    provider = make("pulumi:providers:kubernetes", "k", dependencies={"kubeconfig": cluster}, kubeconfig=UNKNOWN)
    spec = {"requirements": [{"key": MACHINE, "operator": "In", "values": ["p5.48xlarge"]}]}
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool",
        "pool",
        provider=provider,
        spec={"replicas": 1, "template": {"spec": {**spec, "nodeClassRef": {"name": "class"}}}},
    )
    found = cost_of(cluster, provider, pool, _class(make))
    assert [(line.name, line.region) for line in found.lines if "p5" in line.name] == [
        ("1 x p5.48xlarge on demand", "us-east-2")
    ]
    assert [item.reason for item in found.not_priced if "pool" in item.urn] == [
        "disks: node class 'class' is not part of this stack"  # the class is in another cluster
    ]


UNPRICED: list[tuple[list[str], dict[str, Any], list[str]]] = [
    ([], {}, [f"its requirements name no machine type ({MACHINE} In [...])"]),
    (
        ["g9.48xlarge"],
        {},
        ["no price for g9.48xlarge on_demand in aws us-east-1: the price book has no row for g9.48xlarge"],
    ),
    (
        ["m6i.large"],
        {"limits": {"nvidia.com/gpu": 1}},
        ["m6i.large is not in the table of machines, so limit nvidia.com/gpu cannot be applied to it"],
    ),
    (["p5.4xlarge"], {"limits": UNKNOWN}, ["spec.limits.nvidia.com/gpu is not known before the update"]),
    (
        ["p5.48xlarge"],
        {"requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["reserved"]}]},
        ["capacity type reserved: billed where the reservation was bought"],
    ),
    (["p5.48xlarge"], {"replicas": 1}, ["disks: node class 'class' is not part of this stack"]),
]


@pytest.mark.parametrize(("types", "spec", "reasons"), UNPRICED)
def test_what_cannot_be_known_is_named(
    make: Make, cost_of: CostOf, types: list[str], spec: dict[str, Any], reasons: list[str]
) -> None:
    found = cost_of(_pool(make, *types, **spec))
    assert [item.reason for item in found.not_priced] == reasons


@pytest.mark.parametrize(
    ("size", "monthly"), [("100Gi", "8.00"), ("100G", "8.00"), ("1Ti", "81.92"), ("one", "not priced")]
)
def test_disk_sizes_are_kubernetes_quantities(make: Make, cost_of: CostOf, size: str, monthly: str) -> None:
    found = cost_of(_pool(make, "p5.48xlarge", replicas=1), _class(make, size))
    shown = str(found.lines[1].monthly) if len(found.lines) > 1 else "not priced"
    assert shown == monthly


GCE_CLASS = "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass"
CAPACITY = "karpenter.sh/capacity-type"


def _google_pool(make: Make, *types: str, capacity: str = "spot", **spec: Any) -> list[Resource]:
    """A pool of machines of Google Cloud in us-central1-a, and its node class."""
    requirements = [
        {"key": MACHINE, "operator": "In", "values": list(types)},
        {"key": CAPACITY, "operator": "In", "values": [capacity]},
        {"key": ZONE["key"], "operator": "In", "values": ["us-central1-a"]},
    ]
    reference = {"group": "karpenter.k8s.gcp", "kind": "GCENodeClass", "name": "class"}
    disks = [{"category": "pd-balanced", "sizeGiB": 200, "boot": True}, {"category": "local-ssd", "sizeGiB": 375}]
    return [
        make(GCE_CLASS, "class", metadata={"name": "class"}, spec={"disks": spec.pop("disks", disks)}),
        make(
            "kubernetes:karpenter.sh/v1:NodePool",
            "pool",
            metadata={"name": "pool", "annotations": {"gpucluster/expected-gpus": "2"}},
            spec={"template": {"spec": {"requirements": requirements, "nodeClassRef": reference}}, **spec},
        ),
    ]


def test_a_pool_of_google_machines_takes_googles_prices_and_region(make: Make, cost_of: CostOf) -> None:
    found = cost_of(*_google_pool(make, "a3-highgpu-1g", limits={"nvidia.com/gpu": "8"}), region=None)
    assert _machines(found) == ("a3-highgpu-1g spot, autoscaled", "0.00", "9236.24", "36944.97")
    assert [(line.name, line.basis, line.region) for line in found.lines] == [
        ("a3-highgpu-1g spot, autoscaled", "2 x 730 h", "us-central1"),
        ("boot disks, pd-balanced", "2 x 200 GiB", "us-central1"),
    ]
    assert found.not_priced == ()


def test_without_a_zone_a_pool_of_google_machines_runs_where_its_cluster_is(make: Make, cost_of: CostOf) -> None:
    cluster = make("gcp:container/cluster:Cluster", "cluster", location="us-central1-c", loggingConfig={})
    node_class, pool = _google_pool(make, "a3-highgpu-1g", replicas=1)
    pool.inputs["spec"]["template"]["spec"]["requirements"].pop()
    found = cost_of(cluster, node_class, pool, region=None)
    assert [line.region for line in found.lines if line.urn == pool.urn] == ["us-central1", "us-central1"]


GOOGLE_UNPRICED: list[tuple[list[str], str, dict[str, Any], list[str]]] = [
    (
        ["a3-highgpu-1g"],
        "on-demand",
        {},
        [
            "a3-highgpu-1g is not sold on demand: created as Spot or Flex-start VMs only "
            "(Compute Engine documentation, GPU machine types)"
        ],
    ),
    (
        ["a3-highgpu-1g"],
        "spot",
        {"disks": [], "replicas": 1},
        ["disks: its node class declares none, not even a boot disk"],
    ),
    (
        ["a3-highgpu-1g"],
        "spot",
        {"disks": [{"sizeGiB": 100, "boot": True}], "replicas": 1},
        ["spec.disks.0.category is not set, expected text"],
    ),
]


@pytest.mark.parametrize(("types", "capacity", "spec", "reasons"), GOOGLE_UNPRICED)
def test_what_cannot_be_known_of_google_machines_is_named(
    make: Make, cost_of: CostOf, types: list[str], capacity: str, spec: dict[str, Any], reasons: list[str]
) -> None:
    found = cost_of(*_google_pool(make, *types, capacity=capacity, **spec), region=None)
    assert [item.reason for item in found.not_priced] == reasons


def test_a_node_class_of_another_cloud_is_named(make: Make, cost_of: CostOf) -> None:
    reference = {"group": "karpenter.example.com", "kind": "Other", "name": "class"}
    pool = make("kubernetes:karpenter.sh/v1:NodePool", "pool", spec={"template": {"spec": {"nodeClassRef": reference}}})
    assert [item.reason for item in cost_of(pool).not_priced] == [
        "its node class is of 'karpenter.example.com'; priced are karpenter.k8s.aws, karpenter.k8s.gcp, "
        "karpenter.azure.com"
    ]

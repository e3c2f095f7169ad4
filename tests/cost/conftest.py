"""A price book on a fixed day, and resources and stacks made in one line."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.comparison import Column, cluster_of
from gpucluster.cost.prices import Bound, NotKnown, Price
from gpucluster.cost.prices.lookup import price_or_bound
from gpucluster.cost.pricing.model import CostLine
from tests.gpucluster.core.program.fixtures import MakeResource, make, recordings, run_program

__all__ = ["make", "recordings", "run_program"]

TODAY = datetime.date(2026, 11, 21)

CostOf = Callable[..., Estimate]
MakeColumn = Callable[..., Column]

EQUIVALENT: dict[str, dict[str, Any]] = {
    "aws": {"machineType": "p5.48xlarge", "fabric": "EFA", "fabricGbps": 3200, "hostGbps": 100, "vcpus": 192,
            "memoryGib": 2048, "scratchGb": 30400, "storageGib": 26400, "storageGbPerS": "3.3",
            "coLocation": "one cluster placement group"},
    "gcp": {"machineType": "a3-megagpu-8g", "fabric": "TCPXO", "fabricGbps": 1600, "hostGbps": 200, "vcpus": 208,
            "memoryGib": 1872, "scratchGb": 6442, "storageGib": 36000, "storageGbPerS": "8.7890625",
            "coLocation": "compact placement, best effort"},
    "azure-native": {"machineType": "Standard_ND96isr_H100_v5", "fabric": "InfiniBand", "fabricGbps": 3200,
                     "hostGbps": 80, "vcpus": 96, "memoryGib": 1900, "scratchGb": 28000, "storageGib": 32768,
                     "storageGbPerS": "4", "coLocation": "one scale set"},
}  # fmt: skip
LOSSES = {
    "aws": [],
    "gcp": ["a fabric of 3,200 Gb/s: 1,600 Gb/s for each node"],
    "azure-native": ["single H100s: 94 GB NVL"],
}


@pytest.fixture
def book() -> PriceBook:
    """The price book as it is read on 2026-11-21."""
    return PriceBook(today=TODAY)


NOWHERE = "nowhere-1"
"""A region that no price book has."""


@pytest.fixture
def disk_gib(book: PriceBook) -> Bound:
    """Between what a GiB-month of gp3 lies there."""
    found = price_or_bound(book, "aws", NOWHERE, "ebs-gp3", unit="GiB-month")
    assert isinstance(found, Price)
    assert found.instead_of is not None
    assert found.instead_of.bound is not None
    return found.instead_of.bound


@pytest.fixture
def cost_of(book: PriceBook) -> CostOf:
    """The estimate of some resources in us-east-1, or in `region`."""

    def found(*resources: Resource, region: str | None = "us-east-1", **options: Any) -> Estimate:
        regions = {} if region is None else {"aws": region, "azure-native": region, "gcp": region}
        return estimate(Resources(resources, default_regions=regions), book, **options)

    return found


@pytest.fixture
def stack(make: MakeResource) -> Callable[..., list[Resource]]:
    """`stack(cloud, nodes=5, **facts)`: the resources of a trial; `facts` replace those of its cluster."""

    def resources(cloud: str, *, nodes: int = 5, **facts: Any) -> list[Resource]:
        said = {
            "trainingGpus": 32,
            "spareGpus": 8,
            "durationDays": 14.0,
            "outsideTraining": ["trial-elastic"],
            "requiredLabels": {"team": "research"},
            "equivalence": {"accelerator": "h100", "gpus": 32, "gpuMemoryMib": 81920, **EQUIVALENT[cloud]},
            "losses": LOSSES[cloud],
            **facts,
        }
        cluster = make(f"gpucluster:{cloud}:TrainingCluster", "trial", custom=False, **said)
        training = make(f"gpucluster:{cloud}:TrainingPool", "trial-training", custom=False, parent=cluster)
        storage = make(f"gpucluster:{cloud}:Storage", "trial-storage", custom=False, parent=cluster)
        control = make(f"gpucluster:{cloud}:ControlPlane", "trial-control-plane", custom=False, parent=cluster)
        of_cloud: Mapping[str, Callable[[], list[Resource]]] = {
            "aws": lambda: [
                make("aws:eks/nodeGroup:NodeGroup", "trial-training-nodes", parent=training,
                     instanceTypes=["p5.48xlarge"], scalingConfig={"desiredSize": nodes}, diskSize=500),
                make("aws:fsx/lustreFileSystem:LustreFileSystem", "trial-storage-shared", parent=storage,
                     deploymentType="PERSISTENT_2", storageCapacity=26400, perUnitStorageThroughput=125),
                make("aws:eks/cluster:Cluster", "trial-control-plane-cluster", parent=control, version="1.35"),
            ],
            "gcp": lambda: [
                make("gcp:container/nodePool:NodePool", "trial-training-nodes", parent=training,
                     location="us-central1-a", nodeCount=nodes,
                     nodeConfig={"machineType": "a3-megagpu-8g", "diskSizeGb": 100, "diskType": "pd-balanced"}),
                make("gcp:lustre/instance:Instance", "trial-storage-shared", parent=storage, location="us-central1-a",
                     capacityGib="36000", perUnitStorageThroughput="250"),
                make("gcp:container/cluster:Cluster", "trial-control-plane-cluster", parent=control,
                     location="us-central1", loggingConfig={}),
            ],
            "azure-native": lambda: [
                make("azure-native:containerservice:AgentPool", "trial-training-nodes", parent=training,
                     resourceName="trial", count=nodes, vmSize="Standard_ND96isr_H100_v5", osDiskType="Ephemeral"),
                make("azure-native:storagecache:AmlFilesystem", "trial-storage-shared", parent=storage,
                     location="eastus", sku={"name": "AMLFS-Durable-Premium-125"}, storageCapacityTiB=32),
                make("azure-native:containerservice:ManagedCluster", "trial-control-plane-cluster", parent=control,
                     location="eastus", resourceName="trial", sku={"name": "Base", "tier": "Standard"},
                     networkProfile={"outboundType": "userAssignedNATGateway"}),
            ],
        }  # fmt: skip
        return [cluster, training, storage, control, *of_cloud[cloud]()]

    return resources


@pytest.fixture
def column(stack: Callable[..., list[Resource]], book: PriceBook) -> MakeColumn:
    """`column(cloud, title=..., more=[...], **as_for_stack)`: a trial as a column."""

    def made(cloud: str, *, title: str = "", more: list[Resource] | None = None, **options: Any) -> Column:
        resources = Resources([*stack(cloud, **options), *(more or [])], default_regions={"aws": "us-east-1"})
        found: Estimate = estimate(resources, book)
        return Column(title=title or f"{cloud}-trial", estimate=found, cluster=cluster_of(resources))

    return made


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, book: PriceBook) -> Callable[[CostLine], PriceBook]:
    """`without(line)`: the book without the rows that the price of a line may come from."""

    def lacking(line: CostLine) -> PriceBook:
        lookup = book.lookup
        less = PriceBook(today=TODAY)

        def find(
            provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
        ) -> Price | NotKnown:
            found = lookup(provider, region, sku, purchase, term, unit=unit)
            same = isinstance(found, Price) and (
                found.row.document, found.usd, found.row.unit, found.row.region, found.row.purchase, found.row.term,
            ) == (line.source, line.unit_price, line.unit, line.region, line.purchase, line.term)  # fmt: skip
            return (
                NotKnown(f"no price for {sku}", f"{provider},{region},{sku},{unit},{purchase},{term}")
                if same
                else found
            )

        monkeypatch.setattr(less, "lookup", find)
        return less

    return lacking

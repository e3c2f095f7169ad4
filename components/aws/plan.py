"""The whole AWS cluster as plain values: every question that needs no cloud is answered here. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.access import AccessPlan, access_problems, plan_access
from gpucluster.components.aws.bucket import storage_problems
from gpucluster.components.aws.interfaces import Interface, plan_interfaces
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.lustre import LustrePlan, plan_lustre
from gpucluster.components.aws.machines import machine_problems, training_machine
from gpucluster.components.aws.mig import MigPlan, mig_not_built, mig_notes, mig_problems, plan_mig
from gpucluster.components.aws.places import (
    TRAINING,
    collects_metrics,
    lustre_place,
    machine_notes,
    place_problems,
    zone_notes,
)
from gpucluster.components.aws.purchase import (
    BLOCK_SIZES,
    block_notes,
    block_size,
    elastic_purchase_problems,
    on_demand_note,
    purchase_problems,
    reservation_notes,
)
from gpucluster.components.aws.quotas import cluster_quotas, quota_note
from gpucluster.components.elastic import PoolPlan, plan_pools
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry, telemetry_notes
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan import Equivalence, PlanError, Prices, cluster_facts, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.shapes import elastic_shape
from gpucluster.components.spec import CapacityBlockPurchase, ClusterSpec, Elastic, ReservationPlacement, TrainingSpec
from gpucluster.program.facts import Facts

__all__ = [
    "AwsClusterPlan",
    "ElasticPlan",
    "HomePlan",
    "NetworkPlan",
    "PlacementPlan",
    "SystemPlan",
    "TrainingPlan",
    "config_problems",
    "plan_cluster",
    "plan_problems",
    "plan_training",
    "quotas",
    "training_losses",
    "training_notes",
    "training_problems",
]

# The newest minor version that both Karpenter 1.14 and the EKS GPU image of 2026-07 carry and that is not the first of
# its line. Source: awslabs/amazon-eks-ami v20260714 (1.35: kernel 6.12), aws/karpenter-provider-aws v1.14.1.
KUBERNETES_VERSION = "1.35"

# Addresses of a /17 without the 5 that EC2 keeps, and those that a node takes at least: its own and a range of 16.
# Sources: Amazon VPC user guide, subnet-sizing; Amazon EKS best practices, prefix mode for Linux.
_MOST_NODES = (2**15 - 5) // 17

# Characters. Source: Amazon EKS API, CreateCluster.
_CLUSTER_NAME = 100


@dataclass(frozen=True, kw_only=True)
class NetworkPlan:
    """Address ranges. GPU nodes and their pods share one subnet, because fabric peers must be in one zone.

    nat: a way out to the internet. services: AWS services with an interface endpoint inside.
    """

    vpc_cidr: str = "10.0.0.0/16"
    gpu_cidr: str = "10.0.128.0/17"
    cluster_cidrs: tuple[str, str] = ("10.0.0.0/20", "10.0.16.0/20")
    public_cidr: str = "10.0.32.0/24"
    nat: bool = True
    services: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for CoreDNS, Karpenter and operators. Karpenter's two replicas want two hosts. vcpus: of each.

    Source of the vCPUs: Amazon EC2 instance types guide, gp (m7i).
    """

    machine_type: str = "m7i.xlarge"
    vcpus: int = 4
    nodes: int = 2
    root_gib: int = 100


@dataclass(frozen=True, kw_only=True)
class PlacementPlan:
    """group: make a cluster placement group. reservation: target this one instead, in `group_name` only where the
    reservation was created inside that group: a group forced on a reservation starves the launch."""

    kind: Literal["group", "reservation", "none"]
    reservation: str | None = None
    group_name: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """capacity_block: bought for fixed dates. active: the capacity can be had now; a block's only while it runs. roll:
    its nodes may be replaced.
    """

    shape: Machine
    nodes: int
    spares: int
    capacity_block: bool
    active: bool = True
    placement: PlacementPlan
    interfaces: tuple[Interface, ...]
    roll: bool = False
    root_gib: int = 500

    @property
    def size(self) -> int:
        """Nodes bought: asked and spare."""
        return self.nodes + self.spares

    @property
    def started(self) -> int:
        """Nodes that EKS is asked for now: none before a block begins, or every launch fails until it does."""
        return self.size if self.active else 0

    @property
    def least(self) -> int:
        """Nodes that EKS may go down to: it empties the pool of a block before the block ends."""
        return 0 if self.capacity_block else self.size


@dataclass(frozen=True, kw_only=True)
class HomePlan:
    """The file system for small files. expected_gib: what it holds on average, for the cost."""

    expected_gib: str
    protect: bool


@dataclass(frozen=True, kw_only=True)
class ElasticPlan:
    """Single-node GPU capacity by Karpenter, in pools on one kind of machine."""

    shape: Machine
    pools: tuple[PoolPlan, ...]
    root_gib: int = 200

    def most_nodes(self, purchase: str) -> int:
        """Machines that may run at a time, bought so."""
        return sum(pool.max_gpus // self.shape.gpus for pool in self.pools if purchase in pool.purchase)


@dataclass(frozen=True, kw_only=True)
class AwsClusterPlan:
    """cluster_name: the name of the EKS cluster, known before it is made, because its log group is named by it."""

    name: str
    cluster_name: str
    stack: str
    location: Location
    labels: Mapping[str, str]
    kubernetes_version: str
    access: AccessPlan
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: LustrePlan
    home: HomePlan | None
    elastic: ElasticPlan | None
    mig: MigPlan | None
    telemetry: TelemetryPlan
    facts: Facts


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    *,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> AwsClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why AWS can't carry it.

    machine: machine type of the training pool, where it shall not be the one that the spec implies.
    prices: choose the tier of the shared storage, and stand in alerts; without them, nothing has a known price.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack=stack)]
    if problems:
        raise PlanError(problems)
    shape = training_machine(spec, machine)
    training = plan_training(spec, shape)
    lustre = lustre_place(location)
    storage = plan_lustre(
        spec.storage.shared,
        tier_prices(prices, "aws", location.region),
        sold=lustre.sold,
        beside_gpus=lustre.beside_gpus,
    )
    built = spec.elastic if spec.elastic is not None and spec.elastic.engine == "karpenter" else None
    elastic = None if built is None else _elastic(spec.accelerator, built)
    mig = plan_mig(spec)
    telemetry = plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    access = plan_access(
        spec.access, vpc_cidr=NetworkPlan.vpc_cidr, karpenter=elastic is not None, collector=telemetry.collector
    )
    return AwsClusterPlan(
        name=spec.name,
        cluster_name=_cluster_name(spec, stack),
        stack=stack,
        location=location,
        labels=dict(spec.labels),
        kubernetes_version=KUBERNETES_VERSION,
        access=access,
        network=NetworkPlan(nat=access.nat, services=access.services),
        system=SystemPlan(),
        training=training,
        storage=storage,
        home=_home(spec),
        elastic=elastic,
        mig=mig,
        telemetry=telemetry,
        facts=cluster_facts(
            spec,
            equivalence=Equivalence(
                shape=shape,
                nodes=spec.training.nodes,
                co_location=_co_location(training.placement),
                storage_gib=storage.capacity_gib,
                storage_gb_per_s=storage.gb_per_s,
            ),
            slices={} if mig is None else {f"{spec.name}-mig": mig.pool.shares},
            outside_training=[
                *([f"{spec.name}-elastic"] if elastic else []),
                *([f"{spec.name}-mig"] if mig else []),
            ],
            not_built=_not_built(spec, location),
            losses=_losses(spec, shape, elastic),
            notes=[
                *_notes(training, storage, location),
                *zone_notes(location),
                *machine_notes(_machines(spec, machine), location),
                *example_range_notes(spec.access),
                *mig_notes(mig),
                *_metrics_notes(telemetry, shape, location.region),
                *_spot_notes(elastic, mig),
                quotas(training, elastic, mig, cluster=_cluster_quotas(SystemPlan(), access, storage)),
            ],
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """What is wrong with machine and place, in the words of the stack's configuration."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    return place_problems(spec, _machines(spec, machine), location)


def _machines(spec: ClusterSpec, machine: str | None) -> dict[str, Machine]:
    """The machine of each pool, by its name in words."""
    found = {TRAINING: training_machine(spec, machine)}
    if spec.elastic is not None and spec.elastic.engine == "karpenter":
        found["the elastic pools"] = elastic_shape("aws", spec.accelerator)
    mig = plan_mig(spec)
    return found if mig is None else {**found, "the MIG pool": mig.shape}


def plan_problems(spec: ClusterSpec, *, stack: str) -> list[Problem]:
    """Every reason why AWS can't carry a spec anywhere."""
    return [
        *training_problems(spec),
        *elastic_purchase_problems(spec.elastic),
        *mig_problems(spec),
        *name_problems(_cluster_name(spec, stack), service="EKS", longest=_CLUSTER_NAME),
        *access_problems(spec.access),
        *storage_problems(spec.storage.shared),
    ]


def training_problems(spec: TrainingSpec) -> list[Problem]:
    """Those about the training pool."""
    return [*_size_problems(spec), *purchase_problems(spec), *_reservation_problems(spec)]


def plan_training(spec: TrainingSpec, shape: Machine) -> TrainingPlan:
    """The training pool of a spec without such problems. shape: of its machines."""
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        capacity_block=isinstance(spec.purchase, CapacityBlockPurchase),
        active=not isinstance(spec.purchase, CapacityBlockPurchase) or spec.purchase.active,
        placement=_placement(spec),
        interfaces=plan_interfaces(shape),
        roll=spec.training.roll,
    )


def _cluster_name(spec: ClusterSpec, stack: str) -> str:
    """Stack names may hold dots, names of clusters may not."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{spec.name}-{stack}")


def _placement(spec: TrainingSpec) -> PlacementPlan:
    if isinstance(spec.placement, ReservationPlacement):
        return PlacementPlan(kind="reservation", reservation=spec.placement.id, group_name=spec.placement.group)
    return PlacementPlan(kind=spec.placement.kind)


def _home(spec: ClusterSpec) -> HomePlan | None:
    home = spec.storage.home
    return None if home is None else HomePlan(expected_gib=f"{home.expected_gib:f}", protect=home.protect)


def _elastic(accelerator: str, elastic: Elastic) -> ElasticPlan:
    shape = elastic_shape("aws", accelerator)
    return ElasticPlan(shape=shape, pools=plan_pools(elastic, shape))


def _size_problems(spec: TrainingSpec) -> list[Problem]:
    limit, what = (
        (BLOCK_SIZES[-1], "one capacity block, which is all that a pool can target, holds")
        if isinstance(spec.purchase, CapacityBlockPurchase)
        else (_MOST_NODES, "the GPU subnet has addresses for")
    )
    size = spec.training.nodes + spec.training.spares
    if size <= limit:
        return []
    return [
        Problem("training.nodes", f"and training.spares make {size} nodes", f"{what} at most {limit}: ask for fewer")
    ]


def _reservation_problems(spec: TrainingSpec) -> list[Problem]:
    if not isinstance(spec.placement, ReservationPlacement) or spec.placement.id.startswith("cr-"):
        return []
    return [
        Problem("placement.id", f"is {spec.placement.id!r}", "an AWS reservation or capacity block is named cr-...")
    ]


def _co_location(placement: PlacementPlan) -> str:
    return {
        "group": "one cluster placement group",
        "reservation": f"as reserved in {placement.reservation}",
        "none": "none, a single node",
    }[placement.kind]


def _metrics_notes(telemetry: TelemetryPlan, shape: Machine, region: str) -> list[str]:
    if not collects_metrics(region):
        return []
    return telemetry_notes(telemetry, metrics="Amazon Managed Service for Prometheus", shape=shape, region=region)


def _not_built(spec: ClusterSpec, location: Location) -> list[str]:
    """What the spec asks for and this cluster does not contain."""
    not_built = mig_not_built(spec)
    if not collects_metrics(location.region):
        not_built.append(
            f"metrics of the GPUs: EKS has no managed collector in {location.region}, so no alert about GPUs is sent; "
            "metrics that jobs send reach the workspace (telemetry.collector)"
        )
    if spec.elastic is not None and spec.elastic.engine == "native":
        not_built.append("elastic.engine native: on AWS the elastic pools are Karpenter's")
    return not_built


def _notes(training: TrainingPlan, storage: LustrePlan, location: Location) -> list[str]:
    """What the plan can't check or the spec does not say."""
    notes = [f"shared storage: {storage.choice}"]
    if storage.fabric:
        notes.append(
            "shared storage is open to EFA clients; nodes mount it by IP until their Lustre client is set up for EFA"
        )
    if storage.bucket is not None:
        notes.append(
            f"{storage.bucket} must exist in {location.region}; its objects appear under /bucket, and what is changed "
            "there is not written back"
        )
    return [*notes, *training_notes(training, location)]


def training_notes(training: TrainingPlan, location: Location) -> list[str]:
    """What must be true of its capacity that the plan can't check."""
    reservation, machine = training.placement.reservation, training.shape.machine_type
    if reservation is None:
        return [*_ip_notes(training), on_demand_note(nodes=training.size, machine=machine, location=location)]
    held = (block_size(training.size) if training.capacity_block else None) or training.size
    block = block_notes(reservation, nodes=training.size, active=training.active) if training.capacity_block else []
    return [
        *_ip_notes(training),
        *reservation_notes(reservation, nodes=held, machine=machine, location=location),
        *block,
    ]


def _ip_notes(training: TrainingPlan) -> list[str]:
    """What the one interface with an address leaves of a machine with many cards."""
    shape = training.shape
    if shape.network_cards < 2:
        return []
    return [
        f"shared storage, S3 and checkpoints have {shape.host_gbps} Gb/s a node: one of its {shape.network_cards} "
        "network cards carries IP"
    ]


def _spot_notes(elastic: ElasticPlan | None, mig: MigPlan | None) -> list[str]:
    """What an account that never bought spot capacity lacks.

    Source: aws/karpenter-provider-aws v1.14.1, troubleshooting ("Missing Service Linked Role").
    """
    if not (mig is not None and mig.spot) and not (elastic is not None and elastic.most_nodes("spot")):
        return []
    return [
        "spot machines start once the account has the role AWSServiceRoleForEC2Spot: `aws iam "
        "create-service-linked-role --aws-service-name spot.amazonaws.com`, once for each account"
    ]


def quotas(
    training: TrainingPlan, elastic: ElasticPlan | None = None, mig: MigPlan | None = None, *, cluster: str = ""
) -> str:
    """The quotas that these pools need. cluster: as `quota_note` has it."""
    # A capacity block has quotas of its own.
    on_demand, spot = 0 if training.capacity_block else training.size * training.shape.vcpus, 0
    if elastic is not None:
        on_demand += elastic.most_nodes("on-demand") * elastic.shape.vcpus
        spot = elastic.most_nodes("spot") * elastic.shape.vcpus
    if mig is not None:
        on_demand += 0 if mig.spot else mig.nodes * mig.shape.vcpus
        spot += mig.nodes * mig.shape.vcpus if mig.spot else 0
    interfaces = training.size * len(training.interfaces)
    block = (block_size(training.size) or 0) if training.capacity_block else 0
    return quota_note(
        on_demand=on_demand, spot=spot, block=block, interfaces=interfaces, nodes=training.size, cluster=cluster
    )


def _cluster_quotas(system: SystemPlan, access: AccessPlan, storage: LustrePlan) -> str:
    return cluster_quotas(
        system_vcpus=system.nodes * system.vcpus,
        nat=access.nat,
        deployment=storage.deployment,
        lustre_gib=storage.capacity_gib,
    )


def training_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """What the machines of the training pool can't give of what the spec asks."""
    losses: list[str] = []
    if shape.fabric_gbps < spec.training.fabric_gbps:
        asked, given = f"{spec.training.fabric_gbps:,}", f"{shape.fabric_gbps:,}"
        losses.append(f"GPU fabric: {asked} Gb/s a node asked, {given} on {shape.machine_type}")
    if shape.gpus != 8:
        losses.append(f"GPUs a node: 8 asked, {shape.gpus} on {shape.machine_type}")
    return losses


def _losses(spec: ClusterSpec, shape: Machine, elastic: ElasticPlan | None) -> list[str]:
    """What AWS can't give of what the spec asks."""
    losses = training_losses(spec, shape)
    if elastic is not None and elastic.shape.accelerator != spec.accelerator:
        losses.append(
            f"elastic pools: no machine with a single {spec.accelerator.upper()}; "
            f"{elastic.shape.machine_type} has one {elastic.shape.accelerator.upper()}"
        )
    return losses

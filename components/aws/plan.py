"""The whole AWS cluster as plain values: every question that needs no cloud is answered here. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.access import AccessPlan, access_problems, people_problems, plan_access
from gpucluster.components.aws.bucket import storage_problems
from gpucluster.components.aws.interfaces import Interface, plan_interfaces
from gpucluster.components.aws.key import key_place_problems, key_problems
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.lustre import LustrePlan, plan_lustre
from gpucluster.components.aws.machines import machine_problems, training_machine
from gpucluster.components.aws.mig import MigPlan, mig_not_built, mig_notes, mig_problems, plan_mig
from gpucluster.components.aws.network_plan import NetworkPlan, network_notes, network_problems, plan_network
from gpucluster.components.aws.node_health import REPAIR
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
from gpucluster.components.aws.repository import plan_repository, repository_problems
from gpucluster.components.aws.system import SystemPlan, plan_system
from gpucluster.components.aws.topic import receiver_notes, topic_place_problems, topic_problems
from gpucluster.components.buckets import (
    IdentityPlan,
    OwnBucketPlan,
    identity_problems,
    plan_bucket,
    plan_identities,
)
from gpucluster.components.elastic import PoolPlan, plan_pools
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.mounted import MountedPlan, mounted_notes, plan_mounted
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan import Equivalence, PlanError, Prices, cluster_facts, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.registry import RegistryPlan
from gpucluster.components.shapes import elastic_shape
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.data import OWN
from gpucluster.components.spec.elastic import Elastic
from gpucluster.components.spec.operations import BrokenNodes
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, ReservationPlacement
from gpucluster.components.teams import PeoplePlan, plan_people
from gpucluster.components.versions import VersionPlan, plan_versions, support_notes, version_problems
from gpucluster.program.facts import Facts
from gpucluster.record import record

# Source: Amazon CloudWatch Logs API, PutRetentionPolicy; without 0, which is for ever.
_LOG_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)

# Characters. Source: Amazon EKS API, CreateCluster.
_CLUSTER_NAME = 100


@record(kw_only=True)
class PlacementPlan:
    """group: make a cluster placement group. reservation: target this one instead, in `group_name` only where the
    reservation was created inside that group: a group forced on a reservation starves the launch."""

    kind: Literal["group", "reservation", "none"]
    reservation: str | None = None
    group_name: str | None = None


@record(kw_only=True)
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
        """Nodes that EKS is asked for now: none before a block begins, or every launch fails until it does, and none
        of a paused cluster.
        """
        return self.size if self.active else 0

    @property
    def least(self) -> int:
        """Nodes that EKS may go down to: it empties the pool of a block before the block ends."""
        return 0 if self.capacity_block else self.started


@record(kw_only=True)
class HomePlan:
    """The file system for small files. expected_gib: what it holds on average, for the cost."""

    expected_gib: str
    protect: bool


@record(kw_only=True)
class ElasticPlan:
    """Single-node GPU capacity by Karpenter, in pools on one kind of machine."""

    shape: Machine
    pools: tuple[PoolPlan, ...]
    root_gib: int = 200

    @property
    def machines(self) -> int:
        """Machines that may run at a time."""
        return sum(pool.max_gpus // self.shape.gpus for pool in self.pools)

    def most_nodes(self, purchase: str) -> int:
        """Those that are bought so."""
        return sum(pool.max_gpus // self.shape.gpus for pool in self.pools if purchase in pool.purchase)


@record(kw_only=True)
class AwsClusterPlan:
    """cluster_name: the name of the EKS cluster, known before it is made, because its log group is named by it.
    secrets_key: ARN of the key that stands; None for one of the cluster's own.
    """

    name: str
    cluster_name: str
    stack: str
    location: Location
    labels: Mapping[str, str]
    versions: VersionPlan
    access: AccessPlan
    people: PeoplePlan
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: LustrePlan | MountedPlan
    secrets_key: str | None
    home: HomePlan | None
    bucket: OwnBucketPlan | None
    identities: tuple[IdentityPlan, ...]
    elastic: ElasticPlan | None
    mig: MigPlan | None
    broken_nodes: BrokenNodes
    registry: RegistryPlan | None
    keep_logs_days: int
    telemetry: TelemetryPlan
    facts: Facts

    @property
    def kubernetes_version(self) -> str:
        """Minor version of the control plane."""
        return self.versions.control_plane


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
    storage = plan_mounted(spec.storage.shared) or _lustre(spec, location, prices)
    built = spec.elastic if spec.elastic is not None and spec.elastic.engine == "karpenter" else None
    elastic = None if built is None else _elastic(spec.accelerator, built)
    mig = plan_mig(spec)
    telemetry = plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    system = plan_system(training.size + (elastic.machines if elastic else 0) + (mig.nodes if mig else 0))
    access = plan_access(
        spec.access,
        vpc_cidr=plan_network(spec.network).vpc_cidr,
        karpenter=elastic is not None,
        collector=telemetry.collector,
    )
    network = plan_network(spec.network, nat=access.nat, services=access.services)
    return AwsClusterPlan(
        name=spec.name,
        cluster_name=_cluster_name(spec, stack),
        stack=stack,
        location=location,
        labels=dict(spec.labels),
        versions=plan_versions(spec.versions),
        access=access,
        people=plan_people(spec),
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=spec.secrets_key,
        home=_home(spec),
        bucket=plan_bucket(spec),
        identities=plan_identities(spec),
        elastic=elastic,
        mig=mig,
        broken_nodes=spec.health.broken_nodes,
        registry=plan_repository(spec, location, stack=stack, nat=access.nat),
        keep_logs_days=spec.telemetry.logs.keep_days,
        telemetry=telemetry,
        facts=cluster_facts(
            spec,
            equivalence=Equivalence(
                shape=shape,
                nodes=spec.training.nodes,
                co_location=_co_location(training.placement),
                storage_gib=storage.usable_gib if isinstance(storage, MountedPlan) else storage.capacity_gib,
                storage_gb_per_s=None if isinstance(storage, MountedPlan) else storage.gb_per_s,
            ),
            slices={} if mig is None else {f"{spec.name}-mig": mig.pool.shares},
            outside_training=[
                *([f"{spec.name}-elastic"] if elastic else []),
                *([f"{spec.name}-mig"] if mig else []),
            ],
            not_built=_not_built(spec, location),
            losses=_losses(spec, shape, elastic),
            notes=[
                *_notes(training, storage, location, cidr=network.vpc_cidr),
                *network_notes(spec.network, network, location, nodes=training.size),
                *zone_notes(location),
                *machine_notes(_machines(spec, machine), location),
                *example_range_notes(spec.access),
                *support_notes(plan_versions(spec.versions), "aws"),
                *mig_notes(mig),
                health_note(spec.health.broken_nodes, spares=training.spares, repair=REPAIR),
                *_metrics_notes(telemetry, shape, location.region),
                *receiver_notes(telemetry.receivers),
                log_note(spec.telemetry.logs.keep_days, where="a log group of CloudWatch"),
                *_spot_notes(elastic, mig),
                quotas(training, elastic, mig, cluster=_cluster_quotas(system, network, storage)),
            ],
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """What is wrong with machine and place, in the words of the stack's configuration."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    return [
        *place_problems(spec, _machines(spec, machine), location),
        *topic_place_problems(spec.telemetry.alerts, location),
        *key_place_problems(spec.secrets_key, location),
    ]


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
        *people_problems(spec),
        *storage_problems(spec.storage.shared),
        *network_problems(spec.network, spec.access),
        *key_problems(spec.secrets_key),
        *version_problems(spec.versions, "aws", None),
        *repository_problems(spec),
        *log_problems(spec, _LOG_DAYS, named=f"CloudWatch keeps logs for {', '.join(map(str, _LOG_DAYS))} days"),
        *identity_problems(spec, cloud="AWS", form="s3://NAME"),
        *topic_problems(spec.telemetry.alerts),
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


def _lustre(spec: ClusterSpec, location: Location, prices: Prices | None) -> LustrePlan:
    place = lustre_place(location)
    return plan_lustre(
        spec.storage.shared,
        tier_prices(prices, "aws", location.region),
        sold=place.sold,
        beside_gpus=place.beside_gpus,
    )


def _home(spec: ClusterSpec) -> HomePlan | None:
    home = spec.storage.home
    return None if home is None else HomePlan(expected_gib=f"{home.expected_gib:f}", protect=home.protect)


def _elastic(accelerator: str, elastic: Elastic) -> ElasticPlan:
    shape = elastic_shape("aws", accelerator)
    return ElasticPlan(shape=shape, pools=plan_pools(elastic, shape))


def _size_problems(spec: TrainingSpec) -> list[Problem]:
    network = plan_network(spec.network) if isinstance(spec, ClusterSpec) else NetworkPlan()
    limit, what = (
        (BLOCK_SIZES[-1], "one capacity block, which is all that a pool can target, holds")
        if isinstance(spec.purchase, CapacityBlockPurchase)
        else (network.most_nodes, "the GPU subnet has addresses for")
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


def _notes(training: TrainingPlan, storage: LustrePlan | MountedPlan, location: Location, *, cidr: str) -> list[str]:
    """What the plan can't check or the spec does not say. cidr: of the network."""
    if isinstance(storage, MountedPlan):
        return [*mounted_notes(storage, cidr), *training_notes(training, location)]
    notes = [f"shared storage: {storage.choice}"]
    if storage.fabric:
        notes.append(
            "shared storage is open to EFA clients; nodes mount it by IP until their Lustre client is set up for EFA"
        )
    if storage.bucket is not None:
        which = (
            "storage.bucket: its" if storage.bucket == OWN else f"{storage.bucket} must exist in {location.region}; its"
        )
        back = "is written back by itself" if storage.write_back else "is not written back"
        notes.append(f"{which} objects appear under /bucket, and what is changed there {back}")
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


def _cluster_quotas(system: SystemPlan, network: NetworkPlan, storage: LustrePlan | MountedPlan) -> str:
    return cluster_quotas(
        system_vcpus=system.nodes * system.vcpus,
        network=network.existing is None,
        nat=network.existing is None and network.nat,
        lustre=None if isinstance(storage, MountedPlan) else (storage.deployment, storage.capacity_gib),
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

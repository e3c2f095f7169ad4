"""The whole cluster on Google Cloud as plain values: what needs no cloud is answered here. Imports no Pulumi."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.catalog.gpudirect import MTU, fabric_of
from gpucluster.catalog.label_syntax import LabelSyntax, problem_of_key
from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import sold
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.gcp.access import AccessPlan, access_problems, plan_access
from gpucluster.components.gcp.addresses import GPU_PODS_PER_NODE, AddressPlan, address_problems, plan_addresses
from gpucluster.components.gcp.auto_provisioning import PoolSize, cluster_limits, limit_losses
from gpucluster.components.gcp.elastic import ElasticPlan, elastic_losses, elastic_notes, elastic_problems, plan_elastic
from gpucluster.components.gcp.filestore import HomePlan, home_problems, plan_home
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.lustre import LustrePlan, lustre_problems, plan_lustre
from gpucluster.components.gcp.machines import CLOUD, machine_problems, training_machine, zone_problems
from gpucluster.components.gcp.mig import MigPlan, mig_notes, mig_problems, plan_mig
from gpucluster.components.gcp.purchase import purchase_losses, purchase_notes, purchase_problems, queues_nodes
from gpucluster.components.gcp.quotas import quota_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry, telemetry_notes
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan import (
    GIB_PER_TIB,
    Equivalence,
    PlanError,
    Prices,
    cluster_facts,
    lower_case_name,
    name_problems,
)
from gpucluster.components.problem import Problem
from gpucluster.components.spec import (
    CapacityBlockPurchase,
    ClusterSpec,
    FlexStartPurchase,
    PrivateAccess,
    ReservationPlacement,
    TrainingSpec,
)
from gpucluster.program.facts import Facts

__all__ = [
    "BucketPlan",
    "GcpClusterPlan",
    "NetworkPlan",
    "PlacementPlan",
    "SystemPlan",
    "TrainingPlan",
    "config_problems",
    "label_problems",
    "network_modes",
    "plan_cluster",
    "plan_network",
    "plan_problems",
    "plan_training",
    "training_losses",
]

# The version of the other clouds. A3 Mega was validated on it and A3 Ultra is declared with it.
# Source: NVIDIA/aicr v0.11.1 (A3 Mega); GoogleCloudPlatform/cluster-toolkit v1.95.0, examples/gke-a3-ultragpu (1.35.).
KUBERNETES_VERSION = "1.35"

# In three zones, so that DNS, Karpenter and operators survive the loss of one.
_SYSTEM_NODES = 3
# More come when pods find no room: one for so many GPU nodes, for what GKE runs by the number of nodes, such as
# kube-dns and konnectivity. GoogleCloudPlatform/cluster-toolkit lets a system pool grow from 2 to 10.
_GPU_NODES_PER_SYSTEM_NODE = 32
_MOST_OF_A_SMALL_CLUSTER = 6

# Source: Kubernetes Engine API, names of clusters and node pools.
_CLUSTER_NAME = 40
# Keys of labels start with a letter. Source: Google Cloud documentation, "Requirements for labels".


@dataclass(frozen=True, kw_only=True)
class NetworkPlan:
    """gpu_networks: modes of the device networks, in the order of a node's interfaces; several of mode RDMA are subnets
    of one network. mtu: of every network, bytes. nat: a way out to the internet. private_services: Google's own
    services appear inside the network.
    """

    addresses: AddressPlan
    gpu_networks: tuple[str, ...]
    mtu: int
    nat: bool
    private_services: bool


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for DNS, Karpenter and operators: one in each of three zones, up to `most` where they need more."""

    most: int
    nodes: int = _SYSTEM_NODES
    machine_type: str = "e2-standard-4"
    # Source: Compute Engine documentation, "General-purpose machine family", E2 standard.
    vcpus: int = 4
    memory_gib: int = 16
    root_gib: int = 100


@dataclass(frozen=True, kw_only=True)
class PlacementPlan:
    """compact: nodes close together, by a resource policy made for this pool or the one named.

    reservation: its id. policy: the resource policy the reservation was made with; none is forced on another one.
    """

    compact: bool
    reservation: str | None = None
    policy: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """flex_start_hours: how long flex-start nodes run, None for other ways to buy. queued: all nodes of a job come at
    once, at the request of its queue. calendar: the reservation is one of calendar mode. active: the capacity can be
    had now; that of a calendar reservation only once it is delivered. roll: its nodes may be replaced.
    """

    shape: Machine
    nodes: int
    spares: int
    placement: PlacementPlan
    flex_start_hours: int | None = None
    queued: bool = False
    calendar: bool = False
    active: bool = True
    roll: bool = False
    root_gib: int = 200
    max_pods: int = GPU_PODS_PER_NODE

    @property
    def size(self) -> int:
        """Nodes bought: asked and spare."""
        return self.nodes + self.spares

    @property
    def started(self) -> int:
        """Nodes that GKE is asked for now."""
        return self.size if self.active else 0


@dataclass(frozen=True, kw_only=True)
class BucketPlan:
    """A bucket that nodes mount. usable_gib: what it is meant to hold, GiB; nothing enforces it."""

    usable_gib: int
    protect: bool


@dataclass(frozen=True, kw_only=True)
class GcpClusterPlan:
    """cluster_name: of the GKE cluster and the Lustre instance. account_suffix: tells the service accounts of two
    stacks apart, whose ids are too short for a stack's name. limits: what all pools together may hold, by GKE's
    resource type; None where GKE makes no pools by itself.
    """

    name: str
    cluster_name: str
    account_suffix: str
    stack: str
    location: Location
    labels: Mapping[str, str]
    kubernetes_version: str
    access: AccessPlan
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: LustrePlan | BucketPlan
    home: HomePlan | None
    elastic: ElasticPlan | None
    mig: MigPlan | None
    limits: Mapping[str, int] | None
    telemetry: TelemetryPlan
    facts: Facts


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    *,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> GcpClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why Google Cloud can't carry it.

    machine: machine type of the training pool, where it shall not be the one that the spec implies.
    prices: choose the tier of the shared storage, and stand in alerts; without them, nothing has a known price.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape = training_machine(spec, machine)
    access = plan_access(spec.access, nodes_cidr=AddressPlan.nodes)
    network = plan_network(shape, nat=access.nat, private_services=_private_services(spec))
    elastic, mig = plan_elastic(spec), plan_mig(spec)
    training = plan_training(spec, shape)
    telemetry = plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    storage = _storage(spec, location, prices)
    capacity, speed = _sizes(storage)
    system = _system(spec)
    others = _other_pools(training, mig)
    return GcpClusterPlan(
        name=spec.name,
        cluster_name=lower_case_name(spec, stack),
        account_suffix=hashlib.sha256(stack.encode()).hexdigest()[:4],
        stack=stack,
        location=location,
        labels=dict(spec.labels),
        kubernetes_version=KUBERNETES_VERSION,
        access=access,
        network=network,
        system=system,
        training=training,
        storage=storage,
        home=plan_home(spec.storage.home),
        elastic=elastic,
        mig=mig,
        limits=_limits(elastic, others, system),
        telemetry=telemetry,
        facts=cluster_facts(
            spec,
            equivalence=Equivalence(
                shape=shape,
                nodes=spec.training.nodes,
                co_location=_co_location(spec, training.placement),
                storage_gib=capacity,
                storage_gb_per_s=speed,
            ),
            slices={} if mig is None else {f"{spec.name}-mig": mig.pool.shares},
            outside_training=[
                *([f"{spec.name}-elastic"] if elastic else []),
                *([f"{spec.name}-mig"] if mig else []),
            ],
            not_built=_not_built(spec),
            losses=[
                *_losses(spec, shape),
                *purchase_losses(spec, shape),
                *elastic_losses(spec, elastic),
                *(limit_losses(elastic, others) if elastic else []),
            ],
            notes=[
                *_notes(spec, storage),
                *purchase_notes(spec, shape, location),
                *elastic_notes(elastic),
                *mig_notes(mig),
                *telemetry_notes(
                    telemetry,
                    metrics="Google Cloud Managed Service for Prometheus",
                    shape=shape,
                    region=location.region,
                ),
                quota_note(spec, shape, elastic, mig, region=location.region, networks=_networks(network)),
                *example_range_notes(spec.access),
            ],
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the machine, or the zone for the machines of a spec, can't be used, in the words of the configuration."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    elastic, mig = plan_elastic(spec), None if mig_problems(spec) else plan_mig(spec)
    pools = {
        **({mig.shape: "the MIG pool"} if mig else {}),
        **({elastic.shape: "the elastic pools"} if elastic else {}),
        training_machine(spec, machine): "the training pool",
    }
    return [problem for shape, what in pools.items() for problem in zone_problems(shape, location, what)]


def plan_problems(spec: ClusterSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every reason why Google Cloud can't carry a spec anywhere."""
    shape = training_machine(spec, machine)
    return [
        *purchase_problems(spec, shape),
        *name_problems(lower_case_name(spec, stack), service="GKE", longest=_CLUSTER_NAME),
        *label_problems(spec.labels),
        *access_problems(spec.access),
        *_address_problems(spec, plan_network(shape, nat=True, private_services=_private_services(spec))),
        *mig_problems(spec),
        *elastic_problems(spec),
        *home_problems(spec.storage.home),
        *(lustre_problems(spec.storage.shared) if spec.storage.shared.kind == "lustre" else []),
    ]


def _private_services(spec: ClusterSpec) -> bool:
    return spec.storage.shared.kind == "lustre" or spec.storage.home is not None


def network_modes(shape: Machine) -> tuple[str, ...]:
    """Modes of the device networks that a node of a shape has for its fabric."""
    fabric = fabric_of(shape)
    return () if fabric is None else fabric.device_modes


def plan_network(shape: Machine, *, nat: bool, private_services: bool) -> NetworkPlan:
    """The networks of nodes of a shape. nat, private_services: as of the plan."""
    fabric = fabric_of(shape)
    modes = network_modes(shape)
    return NetworkPlan(
        addresses=plan_addresses(len(modes)),
        gpu_networks=modes,
        mtu=MTU if fabric is None else fabric.mtu,
        nat=nat,
        private_services=private_services,
    )


def plan_training(spec: TrainingSpec, shape: Machine) -> TrainingPlan:
    """The training pool of a spec that can be bought. shape: of its machines."""
    flex_start = isinstance(spec.purchase, FlexStartPurchase)
    queued = queues_nodes(spec)
    if isinstance(spec.placement, ReservationPlacement):
        placement = PlacementPlan(
            compact=spec.placement.group is not None, reservation=spec.placement.id, policy=spec.placement.group
        )
    else:
        allowed = not flex_start or (sold(shape.machine_type, "compact_flex_start") == "yes" and not queued)
        placement = PlacementPlan(compact=spec.placement.kind == "group" and allowed)
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        placement=placement,
        flex_start_hours=spec.duration if flex_start else None,
        queued=queued,
        calendar=isinstance(spec.purchase, CapacityBlockPurchase),
        active=not isinstance(spec.purchase, CapacityBlockPurchase) or spec.purchase.active,
        roll=spec.training.roll,
    )


def _system(spec: ClusterSpec) -> SystemPlan:
    gpu_nodes = spec.training.nodes + spec.training.spares + _nodes_beside_training(spec)
    return SystemPlan(
        most=max(_MOST_OF_A_SMALL_CLUSTER, _SYSTEM_NODES + math.ceil(gpu_nodes / _GPU_NODES_PER_SYSTEM_NODE))
    )


def _nodes_beside_training(spec: ClusterSpec) -> int:
    """GPU nodes of the other pools: an elastic one has a single GPU."""
    elastic = plan_elastic(spec)
    return (elastic.max_gpus if elastic else 0) + (spec.mig.nodes if spec.mig else 0)


def _other_pools(training: TrainingPlan, mig: MigPlan | None) -> list[PoolSize]:
    """The GPU pools beside the elastic ones; of them GKE scales those of flex-start."""
    pools = [PoolSize(shape=training.shape, nodes=training.size, scaled=training.flex_start_hours is not None)]
    if mig is not None:
        pools.append(PoolSize(shape=mig.shape, nodes=mig.nodes, scaled=mig.purchase == "flex-start"))
    return pools


def _limits(elastic: ElasticPlan | None, others: list[PoolSize], system: SystemPlan) -> Mapping[str, int] | None:
    if elastic is None or not elastic.open_ended:
        return None
    pool = PoolSize(shape=elastic.shape, nodes=elastic.max_gpus // elastic.shape.gpus, scaled=True)
    return cluster_limits(
        elastic.shape,
        [*others, pool],
        vcpus=system.most * system.vcpus,
        memory_gib=system.most * system.memory_gib,
    )


def _storage(spec: ClusterSpec, location: Location, prices: Prices | None) -> LustrePlan | BucketPlan:
    shared = spec.storage.shared
    if shared.kind == "bucket":
        return BucketPlan(usable_gib=int(shared.usable_tib * GIB_PER_TIB), protect=shared.protect)
    return plan_lustre(shared, tier_prices(prices, CLOUD, location.region))


def _sizes(storage: LustrePlan | BucketPlan) -> tuple[int, Decimal | None]:
    """Capacity, GiB, and throughput, GB/s; None where none is promised."""
    if isinstance(storage, BucketPlan):
        return storage.usable_gib, None
    return storage.capacity_gib, storage.gb_per_s


def label_problems(labels: Mapping[str, str]) -> list[Problem]:
    """Labels that Google Cloud does not take."""
    wrong = [key for key in labels if problem_of_key(key, LabelSyntax.GOOGLE) is not None]
    return [
        Problem("labels", f"has the name {key!r}", "on Google Cloud a label's name starts with a letter")
        for key in wrong
    ]


def _networks(network: NetworkPlan) -> int:
    """VPC networks: the cluster's own, one for each GPU interface over TCP, one for all over RoCE."""
    modes = network.gpu_networks
    return 1 + modes.count("NetDevice") + ("RDMA" in modes)


def _address_problems(spec: ClusterSpec, network: NetworkPlan) -> list[Problem]:
    return address_problems(
        network.addresses,
        gpu_nodes=spec.training.nodes + spec.training.spares,
        other_nodes=_nodes_beside_training(spec) + _system(spec).most,
        peers=spec.access.cidrs if isinstance(spec.access, PrivateAccess) else (),
    )


def _co_location(spec: ClusterSpec, placement: PlacementPlan) -> str:
    if placement.reservation is not None:
        return f"as reserved in {placement.reservation}"
    if placement.compact:
        return "one compact placement group"
    return "best effort, as flex-start places them" if spec.placement.kind == "group" else "none, a single node"


def _not_built(spec: ClusterSpec) -> list[str]:
    """What the spec asks for and this cluster does not contain."""
    if spec.storage.shared.bucket is None:
        return []
    return [
        "storage.shared.bucket: on Google Cloud no bucket is linked to Lustre; storage.shared.kind: bucket mounts one"
    ]


def training_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """What the machines of the training pool can't give of what the spec asks."""
    losses: list[str] = []
    if shape.fabric_gbps == 0:
        losses.append(
            f"GPU fabric: {shape.machine_type} has none; nodes reach each other at {shape.host_gbps} Gb/s by TCP"
        )
    elif shape.fabric_gbps < spec.training.fabric_gbps:
        asked, given = f"{spec.training.fabric_gbps:,}", f"{shape.fabric_gbps:,}"
        roce = "; RoCE at 3,200 comes with H200 (a3-ultragpu-8g) only" if shape.accelerator == "h100" else ""
        losses.append(f"GPU fabric: {asked} Gb/s a node asked, {given} on {shape.machine_type}{roce}")
    if shape.nvme_disks == 0:
        losses.append(f"/scratch: {shape.machine_type} has no local disks of its own; it is on the boot disk")
    return losses


def _losses(spec: ClusterSpec, shape: Machine) -> list[str]:
    """What Google Cloud can't give of what the spec asks."""
    losses = training_losses(spec, shape)
    if spec.storage.shared.fabric:
        losses.append("storage.shared.fabric: Managed Lustre is reached by the host network, never over the GPU fabric")
    return losses


def _notes(spec: ClusterSpec, storage: LustrePlan | BucketPlan) -> list[str]:
    """What the spec does not say of itself."""
    notes: list[str] = []
    if isinstance(storage, LustrePlan):
        notes.append(f"shared storage: {storage.choice}")
    else:
        notes.append(
            "shared storage is a bucket, no POSIX file system: no locks, renames of folders are not atomic, and no "
            "throughput is promised"
        )
    home = plan_home(spec.storage.home)
    if home is not None:
        notes.append(
            f"home folders: Filestore is billed as provisioned, {home.capacity_gib:,} GiB, not by what is stored"
        )
    return notes

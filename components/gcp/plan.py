"""The whole cluster on Google Cloud as plain values: what needs no cloud is answered here. Imports no Pulumi."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal

from gpucluster.catalog.gpudirect import MTU, fabric_of
from gpucluster.catalog.label_syntax import LabelSyntax, problem_of_key
from gpucluster.catalog.machines import Machine
from gpucluster.catalog.sold import sold
from gpucluster.components.buckets import (
    SHARED_BUCKET_NOTE,
    BucketPlan,
    IdentityPlan,
    OwnBucketPlan,
    identity_problems,
    plan_bucket,
    plan_identities,
    plan_shared_bucket,
)
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.gcp.access import (
    AccessPlan,
    access_problems,
    people_notes,
    people_problems,
    plan_access,
    security_group,
)
from gpucluster.components.gcp.addresses import GPU_PODS_PER_NODE, AddressPlan, address_problems, plan_addresses
from gpucluster.components.gcp.auto_provisioning import PoolSize, cluster_limits, limit_losses
from gpucluster.components.gcp.elastic import ElasticPlan, elastic_losses, elastic_notes, elastic_problems, plan_elastic
from gpucluster.components.gcp.existing import existing_place_problems, existing_problems, network_notes
from gpucluster.components.gcp.filestore import HomePlan, home_problems, plan_home
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.lustre import LustrePlan, lustre_problems, plan_lustre, zone_notes
from gpucluster.components.gcp.machines import CLOUD, machine_problems, training_machine, zone_problems
from gpucluster.components.gcp.mig import MigPlan, mig_notes, mig_problems, plan_mig
from gpucluster.components.gcp.node_health import REPAIR
from gpucluster.components.gcp.purchase import purchase_losses, purchase_notes, purchase_problems, queues_nodes
from gpucluster.components.gcp.quotas import quota_note
from gpucluster.components.gcp.receivers import receiver_notes, receiver_problems
from gpucluster.components.gcp.repository import repository_problems
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.mounted import MountedPlan, mounted_notes, plan_mounted
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan import (
    Equivalence,
    PlanError,
    Prices,
    cluster_facts,
    lower_case_name,
    name_problems,
)
from gpucluster.components.problem import Problem
from gpucluster.components.registry import RegistryPlan, plan_registry
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import BrokenNodes
from gpucluster.components.spec.own_things import ClusterNetwork, ExistingNetwork
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, FlexStartPurchase, ReservationPlacement
from gpucluster.components.teams import PeoplePlan, plan_people
from gpucluster.components.versions import (
    VersionPlan,
    chosen_fabric_notes,
    plan_versions,
    support_notes,
    version_problems,
)
from gpucluster.program.facts import Facts
from gpucluster.record import record

DAYS_OF_DEFAULT = 30
"""How long the bucket of a project that takes all logs keeps them, unless the project says otherwise.

Source: Cloud Logging documentation, "Quotas and limits" (logs retention periods: 1 to 3650 days of other buckets).
"""

# In three zones, so that DNS, Karpenter and operators survive the loss of one.
_SYSTEM_NODES = 3
# More come when pods find no room: one for so many GPU nodes, for what GKE runs by the number of nodes, such as
# kube-dns and konnectivity. GoogleCloudPlatform/cluster-toolkit lets a system pool grow from 2 to 10.
_GPU_NODES_PER_SYSTEM_NODE = 32
_MOST_OF_A_SMALL_CLUSTER = 6

# Source: Kubernetes Engine API, names of clusters and node pools.
_CLUSTER_NAME = 40
# Keys of labels start with a letter. Source: Google Cloud documentation, "Requirements for labels".


@record(kw_only=True)
class NetworkPlan:
    """gpu_networks: modes of the device networks, in the order of a node's interfaces; several of mode RDMA are subnets
    of one network. mtu: of every network, bytes. nat: a way out to the internet. private_services: Google's own
    services appear inside the network. existing: the network that takes the place of the cluster's own.
    """

    addresses: AddressPlan
    gpu_networks: tuple[str, ...]
    mtu: int
    nat: bool
    private_services: bool
    existing: ExistingNetwork | None = None


@record(kw_only=True)
class SystemPlan:
    """CPU nodes for DNS, Karpenter and operators: one in each of three zones, up to `most` where they need more."""

    most: int
    nodes: int = _SYSTEM_NODES
    machine_type: str = "e2-standard-4"
    # Source: Compute Engine documentation, "General-purpose machine family", E2 standard.
    vcpus: int = 4
    memory_gib: int = 16
    root_gib: int = 100


@record(kw_only=True)
class PlacementPlan:
    """compact: nodes close together, by a resource policy made for this pool or the one named.

    reservation: its id. policy: the resource policy the reservation was made with; none is forced on another one.
    """

    compact: bool
    reservation: str | None = None
    policy: str | None = None


@record(kw_only=True)
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


SharedPlan = LustrePlan | BucketPlan | MountedPlan


@record(kw_only=True)
class GcpClusterPlan:
    """cluster_name: of the GKE cluster and the Lustre instance. account_suffix: tells the service accounts of two
    stacks apart, whose ids are too short for a stack's name. limits: what all pools together may hold, by GKE's
    resource type; None where GKE makes no pools by itself. security_group: in which GKE looks for groups of people;
    None where none submits.
    """

    name: str
    cluster_name: str
    account_suffix: str
    stack: str
    location: Location
    labels: Mapping[str, str]
    versions: VersionPlan
    access: AccessPlan
    people: PeoplePlan
    security_group: str | None
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: SharedPlan
    secrets_key: str | None
    home: HomePlan | None
    bucket: OwnBucketPlan | None
    identities: tuple[IdentityPlan, ...]
    elastic: ElasticPlan | None
    mig: MigPlan | None
    limits: Mapping[str, int] | None
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
) -> GcpClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why Google Cloud can't carry it.

    machine: machine type of the training pool, where it shall not be the one that the spec implies.
    prices: choose the tier of the shared storage, and stand in alerts; without them, nothing has a known price.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape = training_machine(spec, machine)
    network = _network(spec, shape)
    access = plan_access(spec.access, nodes_cidr=network.addresses.nodes)
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
        versions=plan_versions(spec.versions),
        access=access,
        people=plan_people(spec),
        security_group=security_group(spec),
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=spec.secrets_key,
        home=plan_home(spec.storage.home),
        bucket=plan_bucket(spec),
        identities=plan_identities(spec),
        elastic=elastic,
        mig=mig,
        limits=_limits(elastic, others, system),
        broken_nodes=spec.health.broken_nodes,
        registry=plan_registry(spec, name=lower_case_name(spec, stack)),
        keep_logs_days=spec.telemetry.logs.keep_days,
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
            not_built=[],
            losses=[
                *_losses(spec, shape),
                *purchase_losses(spec, shape),
                *elastic_losses(spec, elastic),
                *(limit_losses(elastic, others) if elastic else []),
            ],
            notes=[
                *_notes(spec, storage, location, cidr=network.addresses.nodes),
                *network_notes(spec.network, nat=access.nat, mtu=network.mtu),
                *purchase_notes(spec, shape, location),
                *elastic_notes(elastic),
                *mig_notes(mig),
                health_note(spec.health.broken_nodes, spares=training.spares, repair=REPAIR),
                *telemetry_notes(
                    telemetry,
                    metrics="Google Cloud Managed Service for Prometheus",
                    shape=shape,
                    region=location.region,
                ),
                *receiver_notes(telemetry.receivers, nat=access.nat),
                _logs_note(spec),
                quota_note(
                    spec,
                    shape,
                    elastic,
                    mig,
                    region=location.region,
                    root_gib=training.root_gib,
                    system_gib=system.most * system.root_gib,
                    more=_other_quotas(network, storage),
                ),
                *people_notes(spec),
                *example_range_notes(spec.access),
                *support_notes(plan_versions(spec.versions), "gcp"),
                *chosen_fabric_notes(spec.versions, "gcp", shape),
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
    return [
        *(problem for shape, what in pools.items() for problem in zone_problems(shape, location, what)),
        *existing_place_problems(spec, location),
    ]


def plan_problems(spec: ClusterSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every reason why Google Cloud can't carry a spec anywhere."""
    shape = training_machine(spec, machine)
    return [
        *purchase_problems(spec, shape),
        *name_problems(lower_case_name(spec, stack), service="GKE", longest=_CLUSTER_NAME),
        *label_problems(spec.labels),
        *access_problems(spec.access),
        *people_problems(spec),
        *existing_problems(spec),
        *repository_problems(spec),
        *log_problems(spec, range(1, 3651), named="Cloud Logging keeps logs for 1 to 3650 days: write one of these"),
        *_address_problems(spec, _network(spec, shape)),
        *mig_problems(spec),
        *elastic_problems(spec),
        *home_problems(spec.storage.home),
        *identity_problems(spec, cloud="Google Cloud", form="gs://NAME"),
        *receiver_problems(spec.telemetry.alerts),
        *(lustre_problems(spec.storage.shared) if _makes_lustre(spec) else []),
        *version_problems(spec.versions, "gcp", shape),
    ]


def _logs_note(spec: ClusterSpec) -> str:
    keep = spec.telemetry.logs.keep_days
    where = "the bucket _Default of Cloud Logging"
    if keep == DAYS_OF_DEFAULT:
        return f"{log_note(keep, where=where)}, unless the project has set it otherwise"
    return log_note(keep, where=f"a bucket of the cluster's own, and paid once more for {where}" if keep else where)


def _makes_lustre(spec: ClusterSpec) -> bool:
    return spec.storage.shared.kind == "lustre" and spec.storage.shared.existing is None


def _network(spec: ClusterSpec, shape: Machine) -> NetworkPlan:
    return plan_network(
        shape,
        nat=not isinstance(spec.access, PrivateAccess) or spec.access.egress == "nat",
        private_services=_makes_lustre(spec) or spec.storage.home is not None,
        asked=spec.network,
    )


def network_modes(shape: Machine) -> tuple[str, ...]:
    """Modes of the device networks that a node of a shape has for its fabric."""
    fabric = fabric_of(shape)
    return () if fabric is None else fabric.device_modes


def plan_network(
    shape: Machine, *, nat: bool, private_services: bool, asked: ClusterNetwork | None = None
) -> NetworkPlan:
    """The networks of nodes of a shape. nat, private_services: as of the plan. asked: None for ranges of ours."""
    asked = asked or ClusterNetwork()
    fabric = fabric_of(shape)
    modes = network_modes(shape)
    return NetworkPlan(
        addresses=plan_addresses(len(modes), asked),
        gpu_networks=modes,
        mtu=MTU if fabric is None else fabric.mtu,
        nat=nat,
        private_services=private_services,
        existing=asked.existing,
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


def _storage(spec: ClusterSpec, location: Location, prices: Prices | None) -> SharedPlan:
    shared = spec.storage.shared
    return (
        plan_shared_bucket(shared)
        or plan_mounted(shared)
        or plan_lustre(shared, tier_prices(prices, CLOUD, location.region))
    )


def _sizes(storage: SharedPlan) -> tuple[int, Decimal | None]:
    """Capacity, GiB, and throughput, GB/s; None where none is promised."""
    if not isinstance(storage, LustrePlan):
        return storage.usable_gib, None
    return storage.capacity_gib, storage.gb_per_s


def label_problems(labels: Mapping[str, str]) -> list[Problem]:
    """Labels that Google Cloud does not take."""
    wrong = [key for key in labels if problem_of_key(key, LabelSyntax.GOOGLE) is not None]
    return [
        Problem("labels", f"has the name {key!r}", "on Google Cloud a label's name starts with a letter")
        for key in wrong
    ]


def _other_quotas(network: NetworkPlan, storage: SharedPlan) -> Iterator[str]:
    """VPC networks: the cluster's own, one for each GPU interface over TCP, one for all over RoCE."""
    if isinstance(storage, LustrePlan):
        yield f"{storage.capacity_gib:,} GiB of Managed Lustre"
    modes = network.gpu_networks
    if networks := (network.existing is None) + modes.count("NetDevice") + ("RDMA" in modes):
        yield f"{networks} VPC networks"
    if network.nat:
        yield "IN_USE_ADDRESSES for NAT"


def _address_problems(spec: ClusterSpec, network: NetworkPlan) -> list[Problem]:
    return address_problems(
        network.addresses,
        gpu_nodes=spec.training.nodes + spec.training.spares,
        other_nodes=_nodes_beside_training(spec) + _system(spec).most,
        peers=spec.access.cidrs if isinstance(spec.access, PrivateAccess) else (),
        existing=network.existing is not None,
    )


def _co_location(spec: ClusterSpec, placement: PlacementPlan) -> str:
    if placement.reservation is not None:
        return f"as reserved in {placement.reservation}"
    if placement.compact:
        return "one compact placement group"
    return "best effort, as flex-start places them" if spec.placement.kind == "group" else "none, a single node"


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
    if spec.storage.shared.bucket is not None:
        back = " and write_back" if spec.storage.shared.write_back else ""
        losses.append(
            f"storage.shared.bucket{back}: Managed Lustre follows no bucket by itself; it copies at a command "
            "(docs/data.md)"
        )
    if spec.teams and spec.mig is not None and spec.storage.shared.kind == "lustre":
        # Source: GoogleCloudPlatform/lustre-csi-driver, pkg/csi_driver/node.go (hasMountWithSameFSName).
        losses.append(
            "teams: a node mounts one Managed Lustre once, so that a machine of the MIG pool serves one team at a time"
        )
    return losses


def _notes(spec: ClusterSpec, storage: SharedPlan, location: Location, *, cidr: str) -> list[str]:
    """What the spec does not say of itself. cidr: addresses of the nodes."""
    notes: list[str] = []
    if isinstance(storage, LustrePlan):
        notes += [f"shared storage: {storage.choice}", *zone_notes(location.zone)]
    elif isinstance(storage, MountedPlan):
        notes += mounted_notes(storage, cidr)
    else:
        notes.append(SHARED_BUCKET_NOTE)
    home = plan_home(spec.storage.home)
    if home is not None:
        notes.append(
            f"home folders: Filestore is billed as provisioned, {home.capacity_gib:,} GiB, not by what is stored"
        )
    return notes

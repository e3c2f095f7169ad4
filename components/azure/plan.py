"""The whole cluster on Azure as plain values: what needs no cloud is answered here. Imports no Pulumi."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.access import AccessPlan, access_notes, access_problems, people_problems, plan_access
from gpucluster.components.azure.addresses import AddressPlan, address_problems, plan_addresses
from gpucluster.components.azure.arm import REGISTRY, RESERVATION_GROUP
from gpucluster.components.azure.bucket import bucket_config_problems
from gpucluster.components.azure.elastic import (
    ElasticPlan,
    elastic_losses,
    elastic_notes,
    elastic_problems,
    plan_elastic,
)
from gpucluster.components.azure.existing import existing_place_problems, existing_problems, network_notes
from gpucluster.components.azure.files import HomePlan, home_problems, plan_home
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.lustre import LustrePlan
from gpucluster.components.azure.machines import CLOUD, machine_problems, training_machine
from gpucluster.components.azure.mig import MigPlan, driver_problems, mig_losses, mig_notes, plan_mig
from gpucluster.components.azure.node_health import REPAIR
from gpucluster.components.azure.purchase import (
    other_purchase_problems,
    purchase_notes,
    purchase_problems,
    scale_set_problems,
)
from gpucluster.components.azure.quotas import quota_note
from gpucluster.components.azure.settings import FEATURE, FEATURE_NAMESPACE, TORSET, Driver
from gpucluster.components.azure.shared import SharedPlan, plan_shared, shared_notes, shared_problems, shared_sizes
from gpucluster.components.azure.system import SystemPlan, plan_system
from gpucluster.components.buckets import (
    BucketPlan,
    IdentityPlan,
    OwnBucketPlan,
    identity_problems,
    plan_bucket,
    plan_identities,
)
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan import Equivalence, PlanError, Prices, cluster_facts, lower_case_name, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.registry import RegistryPlan, plan_registry, registry_problems
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import BrokenNodes
from gpucluster.components.spec.parts import TrainingSpec
from gpucluster.components.spec.training import CapacityBlockPurchase, ReservationPlacement
from gpucluster.components.teams import PeoplePlan, plan_people
from gpucluster.components.versions import VersionPlan, plan_versions, support_notes, version_problems
from gpucluster.program.facts import Facts
from gpucluster.record import record

__all__ = [
    "AzureClusterPlan",
    "PlacementPlan",
    "TrainingPlan",
    "config_problems",
    "plan_cluster",
    "plan_problems",
    "plan_training",
    "training_losses",
]

# Of what is declared, and of the machines that AKS makes; each subscription registers them once.
_SERVICES = (
    "Microsoft.AlertsManagement",
    "Microsoft.Compute",
    "Microsoft.ContainerRegistry",
    "Microsoft.ContainerService",
    "Microsoft.Insights",
    "Microsoft.ManagedIdentity",
    "Microsoft.Monitor",
    "Microsoft.Network",
    "Microsoft.OperationalInsights",
    "Microsoft.Storage",
    "Microsoft.StorageCache",
)

_REGISTRY = (
    "the resource id of a container registry, /subscriptions/.../providers/Microsoft.ContainerRegistry/registries/NAME "
    "(`az acr show --name NAME --query id`)"
)

# Of the one way to pay for a workspace that is still sold. Source: terraform-provider-azurerm,
# azurerm_log_analytics_workspace (retention_in_days).
_LOG_DAYS = range(30, 731)

# A cluster's name is its DNS prefix, too. Source: AKS documentation, "Naming rules".
_CLUSTER_NAME = 54


@record(kw_only=True)
class PlacementPlan:
    """One scale set is one InfiniBand domain, whatever stands here.

    reservation: id of a capacity reservation group, which lies in the resource group of id `reserved_in`.
    proximity_group: made for the pool.
    """

    reservation: str | None = None
    reserved_in: str | None = None
    proximity_group: bool = False


@record(kw_only=True)
class TrainingPlan:
    """active: the capacity can be had now; that of a block only once it has begun. roll: its nodes may be replaced.
    root_gib: on the machine's own disk of 1,024 GiB.
    """

    shape: Machine
    nodes: int
    spares: int
    placement: PlacementPlan
    active: bool = True
    roll: bool = False
    root_gib: int = 1_000

    @property
    def size(self) -> int:
        """Nodes bought: asked and spare."""
        return self.nodes + self.spares

    @property
    def started(self) -> int:
        """Nodes that AKS is asked for now."""
        return self.size if self.active else 0


@record(kw_only=True)
class AzureClusterPlan:
    """cluster_name: of the AKS cluster. account_name, bucket_account, shared_account: of the storage accounts for home
    folders, for the cluster's own bucket and for one that nodes mount, unique among all of Azure's, as the registry's
    is among registries. driver: who owns the drivers of all GPU nodes.
    """

    name: str
    cluster_name: str
    account_name: str
    bucket_account: str
    shared_account: str
    stack: str
    location: Location
    labels: Mapping[str, str]
    versions: VersionPlan
    driver: Driver
    access: AccessPlan
    people: PeoplePlan
    addresses: AddressPlan
    system: SystemPlan
    training: TrainingPlan
    storage: SharedPlan
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

    @property
    def blobs(self) -> bool:
        """Whether nodes mount a container of blobs."""
        return isinstance(self.storage, BucketPlan)


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    *,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> AzureClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why Azure can't carry it.

    machine: machine type of the training pool, where it shall not be the one that the spec implies.
    prices: choose the tier of the shared storage, and stand in alerts; without them, nothing has a known price.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape, driver = training_machine(spec, machine), location.settings.driver
    elastic, mig = plan_elastic(spec), plan_mig(spec, driver)
    training = plan_training(spec, shape, location)
    others = training.size + (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0)
    system = plan_system(others, location.settings.system_machine)
    telemetry = plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    storage = plan_shared(spec.storage.shared, tier_prices(prices, CLOUD, location.region))
    capacity, speed = shared_sizes(storage)
    addresses = plan_addresses(spec.network, lustre_tib=storage.capacity_tib if isinstance(storage, LustrePlan) else 0)
    return AzureClusterPlan(
        name=spec.name,
        cluster_name=lower_case_name(spec, stack),
        account_name=_account_name(spec, stack, location),
        bucket_account=_account_name(spec, f"{stack} bucket", location),
        shared_account=_account_name(spec, f"{stack} shared", location),
        stack=stack,
        location=location,
        labels=dict(spec.labels),
        versions=plan_versions(spec.versions),
        driver=driver,
        access=plan_access(spec.access, network_cidr=addresses.network),
        people=plan_people(spec),
        addresses=addresses,
        system=system,
        training=training,
        storage=storage,
        home=plan_home(spec.storage.home),
        bucket=plan_bucket(spec),
        identities=plan_identities(spec),
        elastic=elastic,
        mig=mig,
        broken_nodes=spec.health.broken_nodes,
        registry=plan_registry(spec, name=_account_name(spec, stack, location)),
        keep_logs_days=spec.telemetry.logs.keep_days,
        telemetry=telemetry,
        facts=cluster_facts(
            spec,
            equivalence=Equivalence(
                shape=shape,
                nodes=spec.training.nodes,
                co_location=_co_location(training),
                storage_gib=capacity,
                storage_gb_per_s=speed,
            ),
            slices={} if mig is None else {f"{spec.name}-mig": mig.pool.shares},
            outside_training=[
                *([f"{spec.name}-elastic"] if elastic else []),
                *([f"{spec.name}-mig"] if mig else []),
            ],
            not_built=[],
            losses=[*_losses(spec, shape), *elastic_losses(spec, elastic), *mig_losses(spec, mig)],
            notes=[
                *shared_notes(storage, location.region, addresses.network),
                *_notes(spec, location, shape.machine_type, _without_infiniband(elastic, mig)),
                *network_notes(spec, nodes=others + system.nodes),
                *purchase_notes(spec, shape, location),
                *elastic_notes(elastic),
                *mig_notes(mig),
                health_note(spec.health.broken_nodes, spares=training.spares, repair=REPAIR),
                *telemetry_notes(telemetry, metrics="the Azure Monitor workspace", shape=shape, region=location.region),
                log_note(spec.telemetry.logs.keep_days, where="a Log Analytics workspace, with the control plane's"),
                *_sold_notes(shape, location, prices),
                _quotas(spec, training, elastic, mig, location, system, storage),
                *access_notes(spec.access),
                *support_notes(plan_versions(spec.versions), CLOUD),
                *example_range_notes(spec.access),
            ],
            scale_set_limit=location.settings.scale_set_limit,  # read by the policies
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the machine, or what a stack's configuration chooses, can't be used, in the words of the configuration."""
    problems = machine_problems(spec, machine)
    if location is None:
        return problems
    settings = location.settings
    problems += [*scale_set_problems(spec, location), *driver_problems(spec, settings.driver)]
    return [*problems, *existing_place_problems(spec, location), *bucket_config_problems(spec, settings)]


def plan_problems(spec: ClusterSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every reason why Azure can't carry a spec anywhere."""
    del machine
    return [
        *other_purchase_problems(spec),
        *purchase_problems(spec),
        *name_problems(lower_case_name(spec, stack), service="AKS", longest=_CLUSTER_NAME),
        *access_problems(spec.access),
        *people_problems(spec),
        *existing_problems(spec),
        *registry_problems(spec, REGISTRY, looks=_REGISTRY),
        *log_problems(spec, _LOG_DAYS, named="Log Analytics keeps logs for 30 to 730 days: write one of these"),
        *_address_problems(spec),
        *elastic_problems(spec),
        *home_problems(spec.storage.home),
        *identity_problems(spec, cloud="Azure", form="https://ACCOUNT.blob.core.windows.net/CONTAINER"),
        *shared_problems(spec.storage.shared),
        *version_problems(spec.versions, CLOUD, None),
    ]


def _account_name(spec: ClusterSpec, stack: str, location: Location) -> str:
    """3 to 24 lower-case letters and digits, which nobody else in Azure has."""
    own = hashlib.sha256(f"{location.subscription} {stack} {spec.name}".encode()).hexdigest()[:10]
    return f"{re.sub(r'[^a-z0-9]', '', spec.name)[:14]}{own}"


def plan_training(spec: TrainingSpec, shape: Machine, location: Location) -> TrainingPlan:
    """The training pool of a spec that can be bought. shape: of its machines."""
    reserved = RESERVATION_GROUP.match(spec.placement.id) if isinstance(spec.placement, ReservationPlacement) else None
    return TrainingPlan(
        shape=shape,
        nodes=spec.training.nodes,
        spares=spec.training.spares,
        placement=PlacementPlan(
            reservation=reserved[0] if reserved else None,
            reserved_in=reserved["group"] if reserved else None,
            proximity_group=location.settings.proximity_group,
        ),
        active=not isinstance(spec.purchase, CapacityBlockPurchase) or spec.purchase.active,
        roll=spec.training.roll,
        root_gib=min(TrainingPlan.root_gib, shape.nvme_gb // 2),
    )


def _address_problems(spec: ClusterSpec) -> list[Problem]:
    elastic, mig = plan_elastic(spec), plan_mig(spec, "operators")
    nodes = spec.training.nodes + spec.training.spares + SystemPlan.nodes
    nodes += (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0)
    peers = spec.access.cidrs if isinstance(spec.access, PrivateAccess) else ()
    return address_problems(plan_addresses(spec.network), nodes=nodes, peers=peers)


def _co_location(training: TrainingPlan) -> str:
    if training.size == 1:
        return "none, a single node"
    where = f", in {training.placement.reservation}" if training.placement.reservation else ""
    return f"one scale set, a non-blocking InfiniBand domain{where}"


def training_losses(spec: TrainingSpec, shape: Machine) -> list[str]:
    """What the machines of the training pool can't give of what the spec asks."""
    losses: list[str] = []
    if shape.fabric_gbps < spec.training.fabric_gbps:
        asked, given = f"{spec.training.fabric_gbps:,}", f"{shape.fabric_gbps:,}"
        losses.append(f"GPU fabric: {asked} Gb/s a node asked, {given} on {shape.machine_type}")
    if shape.gpus != 8:
        losses.append(f"GPUs a node: 8 asked, {shape.gpus} on {shape.machine_type}")
    return losses


def _losses(spec: ClusterSpec, shape: Machine) -> list[str]:
    """What Azure can't give of what the spec asks."""
    losses = training_losses(spec, shape)
    if spec.storage.shared.fabric:
        losses.append(
            f"storage.shared.fabric: Azure Managed Lustre is reached by TCP over {shape.host_gbps} Gb/s a node, never "
            "over InfiniBand"
        )
    return losses


def _notes(spec: ClusterSpec, location: Location, machine_type: str, single: list[str]) -> list[str]:
    """What the spec does not say of itself. single: machine types with GPUs and without InfiniBand."""
    notes: list[str] = []
    home = plan_home(spec.storage.home)
    if home is not None:
        notes.append(
            f"home folders: Azure Files is billed as provisioned, {home.capacity_gib:,} GiB, not by what is stored"
        )
    fabric = has_infiniband(machine_type)
    if fabric:
        notes.append(
            "InfiniBand without SHARP, sums in the switches: jobs reduce by NCCL's rings and trees, and figures "
            "published with it, 450 GB/s at 16 GiB, are not promised (docs/jobs.md)"
        )
    if fabric:
        notes.append(_feature_note(location))
        notes += _torset_notes(spec.training.nodes, location)
    # pulumi/pulumi-azure-native issue 3479, open.
    notes.append(
        "a new subscription has to register what it uses, which the provider may not do by itself: az provider "
        f"register --wait --namespace NAME, once for each of {', '.join(_SERVICES)}"
    )
    # AKS documentation, "Node auto-repair" (fb060abe6, 2026-07-01).
    notes.append(
        "AKS auto-repair cannot be disabled: a node that is not ready for 5 minutes is rebooted, "
        "reimaged, then redeployed, which empties its /scratch (docs/replacing-a-node.md)"
    )
    if location.settings.driver == "operators":
        notes.append("the operators own GPU and InfiniBand drivers: AKS's own GPU and link checks of nodes do not run")
        if fabric and single:
            # NVIDIA/gpu-operator v26.3.3, assets/state-driver/0500_daemonset.yaml; NVIDIA/gpu-driver-container,
            # nvidia-driver (reload_nvidia_peermem, probe_nvidia_peermem).
            notes.append(
                f"{' and '.join(single)} without InfiniBand: the driver's container nvidia-peermem-ctr finds no cards "
                "there and may restart every 20 minutes, with ClusterPolicy notReady; GPUs and slices work "
                "(docs/inside-aks.md)"
            )
    elif fabric:
        # Azure/AKS issue 3507.
        notes.append(
            "AKS owns the GPU driver: nothing here loads nvidia-peermem, without which GPUDirect RDMA may be slow; "
            "measure NCCL between nodes before training"
        )
    return notes


def _torset_notes(nodes: int, location: Location) -> list[str]:
    if nodes == 1:
        return []
    labelers = "Microsoft's labelers (Azure/ai-infrastructure-on-azure, utilities/aks)"
    if location.settings.torsets:
        return [
            f"queue: pods of a job are put on nodes of one leaf switch by the label {TORSET}, which AKS does not set: "
            f"run {labelers} after up and for every new node, for one without the label takes no job"
        ]
    return [
        f"queue: AKS sets no leaf-switch labels; where {labelers} set "
        f'{TORSET} on all training nodes, write gpucluster:torsets: "true"'
    ]


def _sold_notes(shape: Machine, location: Location, prices: Prices | None) -> list[str]:
    """Where a machine is listed is known by its price alone; no list names zones, which differ by subscription."""
    region, machine = location.region, shape.machine_type
    if prices is not None and prices.machine_usd(CLOUD, region, machine, "on-demand") is None:
        return [f"no price list has {machine} in {region}: whether it is sold there is not known"]
    return [
        f"which zones of {region} have {machine}, Azure says to your subscription alone: az vm list-skus --location "
        f"{region} --size {machine} --zone --all"
    ]


def _feature_note(location: Location) -> str:
    """GB200 and GB300: Azure/ai-infrastructure-on-azure a01b073, infrastructure_references/aks/README.md."""
    apart = "GB200 and GB300 pools of one subscription need it off"
    if location.settings.infiniband_feature == "waived":
        return f"{FEATURE} is waived and not looked up: without it nodes may be on several InfiniBand networks; {apart}"
    return (
        f"the subscription must have the feature {FEATURE}, or up ends before anything dear is made: run az feature "
        f"register --namespace {FEATURE_NAMESPACE} --name {FEATURE} once and wait for Registered; {apart}"
    )


def _without_infiniband(*pools: ElasticPlan | MigPlan | None) -> list[str]:
    found = {pool.shape.machine_type for pool in pools if pool is not None}
    return sorted(machine for machine in found if not has_infiniband(machine))


def _quotas(
    spec: ClusterSpec,
    training: TrainingPlan,
    elastic: ElasticPlan | None,
    mig: MigPlan | None,
    location: Location,
    system: SystemPlan,
    storage: SharedPlan,
) -> str:
    pools = [] if isinstance(spec.purchase, CapacityBlockPurchase) else [(training.shape, training.size)]
    spot: list[tuple[Machine, int]] = []
    if elastic is not None:
        pools += [(elastic.shape, nodes)] if (nodes := elastic.bought("on-demand")) else []
        spot += [(elastic.shape, nodes)] if (nodes := elastic.bought("spot")) else []
    if mig is not None:
        (spot if mig.spot else pools).append((mig.shape, mig.nodes))
    return quota_note(
        pools,
        spot,
        region=location.region,
        system=system,
        storage=storage if isinstance(storage, LustrePlan) else None,
    )

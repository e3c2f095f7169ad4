"""Plan of the whole Azure cluster as plain values, made without access to the cloud. Imports no Pulumi."""

from __future__ import annotations

import hashlib
import re

from gpucluster.catalog.machines import Machine
from gpucluster.components.azure.access import AccessPlan, access_notes, access_problems, people_problems, plan_access
from gpucluster.components.azure.addresses import AddressPlan, address_problems, plan_addresses
from gpucluster.components.azure.arm import REGISTRY
from gpucluster.components.azure.bucket import bucket_config_problems
from gpucluster.components.azure.elastic import (
    ElasticPlan,
    elastic_losses,
    elastic_notes,
    elastic_problems,
    plan_elastic,
)
from gpucluster.components.azure.existing import existing_place_problems, existing_problems, network_notes
from gpucluster.components.azure.files import MOST_GIB, plan_home
from gpucluster.components.azure.infiniband_notes import driver_notes, infiniband_notes
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.lustre import LustrePlan
from gpucluster.components.azure.machines import CLOUD, machine_problems, training_machine
from gpucluster.components.azure.mig import MigPlan, driver_problems, mig_losses, plan_mig
from gpucluster.components.azure.node_health import REPAIR
from gpucluster.components.azure.node_image import image_problems
from gpucluster.components.azure.purchase import purchase_notes, purchase_problems, scale_set_problems
from gpucluster.components.azure.quotas import quota_note
from gpucluster.components.azure.settings import ZONES, Driver
from gpucluster.components.azure.shared import (
    SharedPlan,
    plan_shared,
    shared_notes,
    shared_place_problems,
    shared_problems,
)
from gpucluster.components.azure.system import SystemPlan, plan_system
from gpucluster.components.azure.training import TrainingPlan, plan_training
from gpucluster.components.azure.zones import zone_losses, zone_notes
from gpucluster.components.buckets import BucketPlan, identity_problems, old_plan_bucket, old_plan_identities
from gpucluster.components.cluster_plan import PlannedCluster
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.flex_start import other_flex_start_problems
from gpucluster.components.home import HomePlan, home_notes, home_problems
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import old_plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.mig import mig_note
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan_facts import old_cluster_facts
from gpucluster.components.planning import PlanError, Prices, lower_case_name, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.registry import old_plan_registry, registry_problems
from gpucluster.components.shared_storage import shared_sizes
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.training import CapacityBlockPurchase
from gpucluster.components.teams import old_plan_people
from gpucluster.components.training import training_losses
from gpucluster.components.versions import old_plan_versions, support_notes, version_problems
from gpucluster.record import record

# Providers of the declared resources and of machines that AKS creates; each subscription registers them once.
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

# pulumi/pulumi-azure-native issue 3479, open. AKS documentation, "Node auto-repair" (fb060abe6, 2026-07-01).
_SUBSCRIPTION_NOTES = (
    "a new subscription must register its resource providers, which Pulumi's provider may not do automatically: az "
    f"provider register --wait --namespace NAME, once for each of {', '.join(_SERVICES)}",
    "AKS auto-repair cannot be disabled: a node that is not ready for 5 minutes is rebooted, reimaged, then "
    "redeployed, which empties its /scratch (docs/replacing-a-node.md)",
)

_REGISTRY = (
    "the resource id of a container registry, /subscriptions/.../providers/Microsoft.ContainerRegistry/registries/NAME "
    "(`az acr show --name NAME --query id`)"
)

# Of the only workspace pricing that is still sold. Source: terraform-provider-azurerm, azurerm_log_analytics_workspace
# (retention_in_days).
_LOG_DAYS = range(30, 731)

# A cluster's name is also its DNS prefix. Source: AKS documentation, "Naming rules".
_CLUSTER_NAME = 54


@record(kw_only=True)
class AzureClusterPlan(PlannedCluster):
    """account_name, bucket_account, shared_account: names of the storage accounts for home folders, the cluster's own
    bucket and the one that nodes mount; unique in all of Azure, as the registry's name is among registries. driver: the
    owner of the drivers of all GPU nodes.
    """

    account_name: str
    bucket_account: str
    shared_account: str
    location: Location
    driver: Driver
    access: AccessPlan
    addresses: AddressPlan
    system: SystemPlan
    training: TrainingPlan
    storage: SharedPlan
    home: HomePlan | None
    elastic: ElasticPlan | None
    mig: MigPlan | None

    @property
    def blobs(self) -> bool:
        """Whether nodes mount a blob container."""
        return isinstance(self.storage, BucketPlan)


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> AzureClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why Azure can't run it.

    machine: machine type of the training pool, if not the one that the spec implies.
    prices: decide the tier of the shared storage and appear in alerts; without them, every price is unknown.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape, driver = training_machine(spec, machine), location.settings.driver
    elastic, mig = plan_elastic(spec), plan_mig(spec, driver)
    training = plan_training(spec, shape, location)
    pools = {"training pool": shape}
    pools |= {} if elastic is None else {"elastic pools": elastic.shape}
    pools |= {} if mig is None else {"MIG pool": mig.shape}
    others = training.size + (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0)
    system = plan_system(others, location.settings.system_machine, ZONES if location.zonal else ())
    telemetry = old_plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    storage = plan_shared(spec.storage.shared, tier_prices(prices, CLOUD, location.region))
    home = plan_home(spec.storage.home)
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
        versions=old_plan_versions(spec.versions),
        driver=driver,
        access=plan_access(spec.access, network_cidr=addresses.network, routed=addresses.routed),
        people=old_plan_people(spec),
        addresses=addresses,
        system=system,
        training=training,
        storage=storage,
        home=home,
        bucket=old_plan_bucket(spec),
        identities=old_plan_identities(spec),
        elastic=elastic,
        mig=mig,
        broken_nodes=spec.health.broken_nodes,
        grace_seconds=spec.health.grace_seconds,
        registry=old_plan_registry(spec, name=_account_name(spec, stack, location)),
        keep_logs_days=spec.telemetry.logs.keep_days,
        telemetry=telemetry,
        facts=old_cluster_facts(
            spec,
            shape,
            co_location=training.co_location,
            storage=shared_sizes(storage),
            elastic=elastic is not None,
            mig=None if mig is None else mig.pool,
            losses=[
                *_losses(spec, shape),
                *zone_losses(location),
                *elastic_losses(spec, elastic),
                *mig_losses(spec, mig),
            ],
            notes=[
                *shared_notes(storage, location, addresses.network),
                *home_notes(home, "Azure Files"),
                *infiniband_notes(shape.machine_type, spec.training.nodes, location),
                *_SUBSCRIPTION_NOTES,
                *driver_notes(shape.machine_type, location, elastic, mig),
                *network_notes(spec, location, nodes=others + system.nodes),
                *purchase_notes(spec, shape, location),
                *elastic_notes(elastic),
                *(mig_note(mig.pool) if mig else []),
                health_note(spec.health.broken_nodes, spares=training.spares, repair=REPAIR),
                *telemetry_notes(telemetry, metrics="the Azure Monitor workspace", shape=shape, region=location.region),
                log_note(spec.telemetry.logs.keep_days, where="a Log Analytics workspace, with the control plane's"),
                *zone_notes(location, prices, pools),
                _quotas(spec, training, elastic, mig, location, system, storage),
                *access_notes(spec.access),
                *support_notes(old_plan_versions(spec.versions), CLOUD),
                *example_range_notes(spec.access),
            ],
            scale_set_limit=location.settings.scale_set_limit,  # read by the policies
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the machine, or a choice in a stack's configuration, can't be used, in the terms of the configuration."""
    problems = machine_problems(spec, machine)
    if location is None:
        return problems
    settings = location.settings
    problems += [*scale_set_problems(spec, location), *driver_problems(spec, settings.driver)]
    problems += shared_place_problems(spec.storage.shared, location)
    problems += image_problems(spec.versions, settings.ubuntu)
    return [*problems, *existing_place_problems(spec, location), *bucket_config_problems(spec, settings)]


def plan_problems(spec: ClusterSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every reason why Azure can't run a spec in any location."""
    del machine
    return [
        *other_flex_start_problems(spec, "Azure"),
        *purchase_problems(spec),
        *name_problems(lower_case_name(spec, stack), service="AKS", longest=_CLUSTER_NAME),
        *access_problems(spec.access),
        *people_problems(spec),
        *existing_problems(spec),
        *registry_problems(spec, REGISTRY, looks=_REGISTRY),
        *log_problems(spec, _LOG_DAYS, named="Log Analytics keeps logs for 30 to 730 days: write one of these"),
        *_address_problems(spec),
        *elastic_problems(spec),
        *home_problems(spec.storage.home, most_gib=MOST_GIB, service="a share of Azure Files"),
        *identity_problems(spec, cloud="Azure", form="https://ACCOUNT.blob.core.windows.net/CONTAINER"),
        *shared_problems(spec.storage.shared),
        *version_problems(spec.versions, CLOUD, None),
    ]


def _account_name(spec: ClusterSpec, stack: str, location: Location) -> str:
    """3 to 24 lower-case letters and digits, unique in Azure."""
    own = hashlib.sha256(f"{location.subscription} {stack} {spec.name}".encode()).hexdigest()[:10]
    return f"{re.sub(r'[^a-z0-9]', '', spec.name)[:14]}{own}"


def _address_problems(spec: ClusterSpec) -> list[Problem]:
    elastic, mig = plan_elastic(spec), plan_mig(spec, "operators")
    nodes = spec.training.size + SystemPlan.nodes
    nodes += (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0)
    peers = spec.access.cidrs if isinstance(spec.access, PrivateAccess) else ()
    return address_problems(plan_addresses(spec.network), nodes=nodes, peers=peers)


def _losses(spec: ClusterSpec, shape: Machine) -> list[str]:
    """Requests of the spec that Azure cannot provide."""
    losses = training_losses(spec, shape)
    if spec.storage.shared.fabric:
        losses.append(
            f"storage.shared.fabric: nodes reach Azure Managed Lustre by TCP over {shape.host_gbps} Gb/s a node, never "
            "over InfiniBand"
        )
    return losses


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

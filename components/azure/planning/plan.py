"""Plans of a whole Azure cluster and of a single pool as plain values, made without access to the cloud. Imports no
Pulumi.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.components.azure.arm import ACTION_GROUP, REGISTRY, resource_group_id
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.access import AccessPlan, plan_access, refuse_people
from gpucluster.components.azure.planning.declared import ask_about, declared_types
from gpucluster.components.azure.planning.machines import (
    CLOUD,
    REPAIR,
    SystemPlan,
    plan_system,
    plan_training_machine,
    report_no_zone,
    report_zones,
)
from gpucluster.components.azure.planning.network_plan import (
    AddressPlan,
    plan_addresses,
    refuse_addresses,
    report_existing,
)
from gpucluster.components.azure.planning.pools import ElasticPlan, MigPlan, plan_elastic, plan_mig
from gpucluster.components.azure.planning.quotas import report_quotas
from gpucluster.components.azure.planning.rights import ASSIGN, rights_question
from gpucluster.components.azure.planning.storage import LustrePlan, SharedPlan, plan_shared, refuse_containers
from gpucluster.components.azure.planning.training import TrainingPlan, plan_training, report_drivers, report_infiniband
from gpucluster.components.azure.settings import GRANTED, SYSTEMS, Driver, refuse_versions
from gpucluster.components.cluster.cluster_plan import (
    CloudTraits,
    PlannedCluster,
    PoolPlan,
    cluster_facts,
    plan_shared_parts,
    pool_plan,
)
from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.components.planning.planning import HEADROOM, Planning, lower_case
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import HomePlan, plan_home_files
from gpucluster.components.shared.registry import plan_registry
from gpucluster.components.shared.teams import people_fields
from gpucluster.components.spec.access import PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.spec.storage import OWN, ExistingRegistry, HomeStorage
from gpucluster.core.program.questions import Question

_REGISTRY = (
    "the resource id of a container registry, /subscriptions/.../providers/Microsoft.ContainerRegistry/registries/NAME "
    "(`az acr show --name NAME --query id`)"
)

_TRAITS = CloudTraits(
    cloud=CLOUD,
    service="AKS",
    name_form=lower_case,
    longest_name=54,  # It is also the DNS prefix. Source: AKS documentation, "Naming rules".
    # Of the only workspace pricing that is still sold. Source: terraform-provider-azurerm,
    # azurerm_log_analytics_workspace (retention_in_days).
    log_days=range(30, 731),
    log_service="Log Analytics keeps logs for 30 to 730 days: write one of these",
    log_store=lambda _: "a Log Analytics workspace, with the control plane's (docs/operate/logs.md)",
    metrics="the Azure Monitor workspace",
    repair=REPAIR,
    bucket="https://ACCOUNT.blob.core.windows.net/CONTAINER",
)


@dataclass(frozen=True, kw_only=True)
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


def plan_cluster(spec: ClusterSpec, planning: Planning[Location]) -> AzureClusterPlan:
    """The plan of a spec, which reports every reason why Azure can't run it."""
    location, accelerator, shared = planning.location, spec.accelerator, spec.storage.shared
    shape = plan_training_machine(accelerator, spec.training, planning)
    parts = plan_shared_parts(spec, shape, planning, _TRAITS)
    refuse_versions(spec.versions, planning)
    refuse_people(people_fields(spec.access, spec.teams), planning)
    training = plan_training(spec, shape, planning)
    network = plan_addresses(spec.network)
    storage = plan_shared(shared, planning, cidr=network.network, host_gbps=shape.host_gbps)
    refuse_containers(shared.bucket, spec.identities, planning)
    report_no_zone(planning)
    home = plan_home(spec.storage.home, planning)
    elastic = plan_elastic(spec.elastic, accelerator, planning)
    mig = plan_mig(spec.mig, accelerator, planning)
    report_infiniband(shape.machine_type, spec.training.nodes, planning)
    report_drivers(shape.machine_type, planning, elastic, mig)
    nodes = training.size + (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0)
    system = plan_system(nodes, planning)
    access = plan_access(spec.access, planning, network=network)
    nodes += system.nodes
    refuse_addresses(
        network, planning, nodes=nodes, peers=() if isinstance(spec.access, PublicAccess) else spec.access.cidrs
    )
    report_existing(spec.network.existing, spec.access, planning, lustre=shared.makes_lustre, nodes=nodes)
    report_zones(
        {
            "training pool": shape,
            **({"elastic pools": elastic.shape} if elastic else {}),
            **({"MIG pool": mig.shape} if mig else {}),
        },
        planning,
        spot=[
            *([elastic.shape.machine_type] if elastic and elastic.bought("spot") else []),
            *([mig.shape.machine_type] if mig and mig.spot else []),
        ],
    )
    _refuse_topic(spec.telemetry.alerts, planning)
    _report_subscription(declared_types(spec, parts, location, storage=storage, home=home), planning)
    _ask_versions(parts.versions, planning)
    addresses = plan_addresses(spec.network, lustre_tib=storage.capacity_tib if isinstance(storage, LustrePlan) else 0)
    _ask_addresses(addresses, storage, planning)
    _ask_rights_elsewhere(spec, storage, planning)
    report_quotas(planning)
    if spec.secrets_key is not None:
        fix = "remove it: Azure encrypts secrets with platform-managed keys"
        planning.refuse("secrets_key", "is set, but your own key is not supported on Azure", fix)
    account = _account_name(spec.name, planning.stack, location)
    return AzureClusterPlan(
        **vars(parts),
        account_name=account,
        bucket_account=_account_name(spec.name, f"{planning.stack} bucket", location),
        shared_account=_account_name(spec.name, f"{planning.stack} shared", location),
        location=location,
        driver=location.settings.driver,
        access=access,
        addresses=addresses,
        system=system,
        training=training,
        storage=storage,
        home=home,
        elastic=elastic,
        mig=mig,
        registry=plan_registry(spec.registry, planning, name=account, pattern=REGISTRY, form=_REGISTRY),
        facts=cluster_facts(
            spec,
            planning,
            training=training,
            co_location=training.co_location,
            storage=storage,
            elastic=elastic,
            mig=mig,
            scale_set_limit=location.settings.scale_set_limit,  # read by the policies
        ),
    )


def _account_name(name: str, stack: str, location: Location) -> str:
    """3 to 24 lower-case letters and digits, unique in Azure. name: of the spec."""
    own = hashlib.sha256(f"{location.subscription} {stack} {name}".encode()).hexdigest()[:10]
    return f"{re.sub(r'[^a-z0-9]', '', name)[:14]}{own}"


def _refuse_topic(alerts: Alerts | None, planning: Planning[Location]) -> None:
    topic = None if alerts is None else alerts.topic
    if topic is not None and not re.fullmatch(ACTION_GROUP, topic):
        example = (
            "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/mine/providers/Microsoft.Insights/"
            "actionGroups/pager"
        )
        planning.refuse(
            "telemetry.alerts.topic", f"is {topic!r}", f"write the id of an action group, such as {example}"
        )


def _report_subscription(types: Sequence[str], planning: Planning[Location]) -> None:
    """pulumi/pulumi-azure-native issue 3479, open. AKS documentation, "Node auto-repair" (fb060abe6, 2026-07-01)."""
    ask_about(
        types,
        planning,
        "a new subscription must register its resource providers, which Pulumi's provider may not do automatically: az "
        "provider register --wait --namespace NAME, once for each of {services}",
    )
    planning.notes.append(
        "AKS auto-repair cannot be disabled: a node that is not ready for 5 minutes is rebooted, reimaged, then "
        "redeployed, which empties its /scratch (docs/operate/replacing-a-node.md)"
    )


def _ask_versions(versions: VersionPlan, planning: Planning[Location]) -> None:
    region = planning.location.region
    planning.ask(
        Question(
            about="kubernetes",
            subject=versions.control_plane,
            needed="with long-term support" if versions.extended else "offered",
            place=region,
            title="Kubernetes of AKS",
            details={"extended": "yes" if versions.extended else ""},
        )
    )
    if versions.image is not None:
        planning.ask(
            Question(
                about="snapshot",
                subject=versions.image,
                needed=f"of Kubernetes {versions.nodes}",
                place=region,
                title="node pool snapshot",
                details={
                    "version": versions.nodes or "",
                    "region": region,
                    "sku": SYSTEMS[planning.location.settings.ubuntu].os_sku,
                },
            )
        )


def _ask_addresses(addresses: AddressPlan, storage: SharedPlan, planning: Planning[Location]) -> None:
    existing = addresses.existing
    if existing is None:
        planning.ask(
            Question(
                about="addresses",
                subject="StandardSkuPublicIpAddresses",
                needed=1,
                unit="public address",
                place=planning.location.region,
                decides=False,
            )
        )
    if isinstance(storage, LustrePlan):
        subnet = None if existing is None else existing.storage
        planning.ask(
            Question(
                about="lustre-subnet",
                subject=f"{storage.capacity_tib:,} TiB at {storage.tier} MB/s per TiB",
                needed=f"room in {addresses.lustre if subnet is None else subnet.rpartition('/')[2]}",
                title="subnet of the file system",
                details={
                    "sku": storage.sku,
                    "tib": str(storage.capacity_tib),
                    "cidr": addresses.lustre if subnet is None else "",
                    "subnet": subnet or "",
                },
                decides=False,
            )
        )


def _ask_rights_elsewhere(spec: ClusterSpec, storage: SharedPlan, planning: Planning[Location]) -> None:
    """Where `up` grants rights on resources of the user."""
    subscription, group = planning.location.subscription, planning.location.settings.bucket_group
    outside = any(bucket != OWN for one in spec.identities.values() for bucket in (*one.reads, *one.writes))
    linked = isinstance(storage, LustrePlan) and storage.bucket is not None and bool(storage.bucket.account)
    granted = linked and planning.location.settings.lustre_principal != GRANTED
    if group is not None and (outside or granted):
        planning.ask(rights_question("assign roles for containers", resource_group_id(subscription, group), ASSIGN))
    registry = spec.registry
    if isinstance(registry, ExistingRegistry) and (found := re.match(_IN_GROUP, registry.id)):
        planning.ask(rights_question("assign roles for the registry", found[0], ASSIGN))


_IN_GROUP: Final = r"(?i)^/subscriptions/[^/]+/resourceGroups/[^/]+"

# A premium share by NFS, GiB. Source: Azure Files documentation, "Understanding billing: provisioned v1 model".
_LEAST, _MOST_GIB = 100, 102_400


def plan_home(home: HomeStorage | None, planning: Planning[Location]) -> HomePlan | None:
    """The smallest share for the expected size plus headroom."""
    if home is None:
        return None
    size = max(_LEAST, math.ceil(home.expected_gib * HEADROOM))
    return plan_home_files(
        home,
        planning,
        capacity_gib=size,
        most_gib=_MOST_GIB,
        service="a share of Azure Files",
        store="Azure Files",
    )


# Source: AKS documentation, "Naming rules" (Linux node pools).
_NAME: Final = r"^[a-z][a-z0-9]{0,11}$"


def plan_pool(spec: PoolSpec, planning: Planning[Location]) -> PoolPlan[TrainingPlan]:
    """The plan of a pool."""
    if not re.fullmatch(_NAME, spec.name):
        fix = "AKS allows 1 to 12 lower-case letters and digits for a pool, starting with a letter"
        planning.refuse("name", f"is {spec.name!r}", fix)
    shape = plan_training_machine(spec.accelerator, spec.training, planning)
    training = plan_training(spec, shape, planning)
    report_quotas(planning)
    return pool_plan(spec, training, planning)

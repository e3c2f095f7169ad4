"""Plans of a whole Google Cloud cluster and of a single part as plain values, made without access to the cloud. Imports
no Pulumi.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.components.cluster.cluster_plan import (
    CloudTraits,
    PlannedCluster,
    PoolPlan,
    cluster_facts,
    plan_shared_parts,
    pool_plan,
)
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.access import AccessPlan, has_nat, plan_access, plan_groups, report_grants
from gpucluster.components.gcp.planning.machines import (
    CLOUD,
    REPAIR,
    SystemPlan,
    plan_system,
    plan_training_machine,
    refuse_labels,
    refuse_zones,
)
from gpucluster.components.gcp.planning.network_plan import (
    NetworkPlan,
    network_modes,
    plan_network,
    refuse_addresses,
    refuse_region,
    report_existing,
)
from gpucluster.components.gcp.planning.pools import ElasticPlan, MigPlan, PoolSize, plan_elastic, plan_limits, plan_mig
from gpucluster.components.gcp.planning.project import ask_project, ask_version, ask_zone, services
from gpucluster.components.gcp.planning.quotas import report_quotas
from gpucluster.components.gcp.planning.storage import SharedPlan, plan_shared
from gpucluster.components.gcp.planning.training import TrainingPlan, co_location, plan_training, report_purchase
from gpucluster.components.planning.planning import HEADROOM, Planning, lower_case
from gpucluster.components.planning.problem import did_you_mean
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.file_systems import HomePlan, plan_home_files
from gpucluster.components.shared.machine_choice import shapes
from gpucluster.components.shared.registry import RegistryPlan, plan_registry
from gpucluster.components.shared.teams import people_fields
from gpucluster.components.spec.access import PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec, NetworkSpec, PoolSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.spec.storage import OWN, HomeStorage, Registry
from gpucluster.core.catalog.machines import flexible_only
from gpucluster.errors import InputError

DAYS_OF_DEFAULT = 30
"""Retention of a project's default log bucket, which receives all logs, unless the project sets another.

Source: Cloud Logging documentation, "Quotas and limits" (logs retention periods: 1 to 3650 days of other buckets).
"""


def _log_store(days: int) -> str:
    where = "the bucket _Default of Cloud Logging"
    if days == DAYS_OF_DEFAULT:
        return f"{where} (docs/operate/logs.md), unless the project sets another time"
    return f"the cluster's own bucket, and paid once more for {where} (docs/operate/logs.md)"


_TRAITS = CloudTraits(
    cloud=CLOUD,
    service="GKE",
    name_form=lower_case,
    longest_name=40,  # Source: Kubernetes Engine API, names of clusters and node pools.
    log_days=range(1, 3651),
    log_service="Cloud Logging keeps logs for 1 to 3650 days: write one of these",
    log_store=_log_store,
    metrics="Google Cloud Managed Service for Prometheus",
    repair=REPAIR,
    bucket="gs://NAME",
    fabrics=True,
    maintenance=True,
    fixed_address=False,
)


@dataclass(frozen=True, kw_only=True)
class GcpClusterPlan(PlannedCluster):
    """cluster_name: also names the Lustre instance. account_suffix: distinguishes the service accounts of two stacks,
    whose ids are too short for a stack's name. limits: maximum of all pools together, by GKE's resource type; None if
    GKE creates no pools automatically. security_group: the group in which GKE looks up users' groups; None if no group
    submits jobs. services: the APIs in use, such as `container`.
    """

    account_suffix: str
    location: Location
    services: tuple[str, ...]
    access: AccessPlan
    security_group: str | None
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: SharedPlan
    secrets_key: str | None
    home: HomePlan | None
    elastic: ElasticPlan | None
    mig: MigPlan | None
    limits: Mapping[str, int] | None


def plan_cluster(spec: ClusterSpec, planning: Planning[Location]) -> GcpClusterPlan:
    """The plan of a spec, which reports every reason why Google Cloud can't run it."""
    accelerator, shared = spec.accelerator, spec.storage.shared
    shape = plan_training_machine(accelerator, spec.training, planning)
    fits = not planning.config_problems
    parts = plan_shared_parts(spec, shape, planning, _TRAITS)
    refuse_labels(spec.labels, planning)
    training = plan_training(spec, shape, planning, fabric=parts.versions.fabric, queue=True)
    network = plan_network(
        shape,
        planning,
        nat=has_nat(spec.access),
        private_services=shared.makes_lustre or spec.storage.home is not None,
        network=spec.network,
    )
    nodes_cidr = network.addresses.nodes
    storage = plan_shared(shared, planning, cidr=nodes_cidr)
    _report_mig_teams(spec, planning)
    report_purchase(training, spec.purchase, spec.placement, planning)
    home = plan_home(spec.storage.home, planning)
    mig = plan_mig(spec.mig, accelerator, planning)
    elastic = plan_elastic(spec.elastic, accelerator, planning)
    other_gpu_nodes = (elastic.most_nodes if elastic else 0) + (spec.mig.nodes if spec.mig else 0)
    system = plan_system(training.size + other_gpu_nodes, planning)
    limits = plan_limits(elastic, _other_pools(training, mig), system, planning)
    access = plan_access(spec.access, planning, nodes_cidr=nodes_cidr)
    people = people_fields(spec.access, spec.teams)
    report_existing(spec.network, network, planning)
    refuse_addresses(
        network.addresses,
        planning,
        gpu_nodes=training.size,
        other_nodes=other_gpu_nodes + system.most,
        peers=() if isinstance(spec.access, PublicAccess) else spec.access.cidrs,
        existing=network.existing is not None,
    )
    pools = {
        **({mig.shape: "the MIG pool"} if mig else {}),
        **({elastic.shape: "the elastic pools"} if elastic else {}),
        **({shape: "the training pool"} if fits else {}),
    }
    refuse_zones(pools, planning)
    report_receivers(spec.telemetry.alerts, planning, nat=access.nat)
    buckets = [bucket for one in spec.identities.values() for bucket in (*one.reads, *one.writes)]
    report_grants(
        (*access.admins, *people.values()),
        [bucket for bucket in (*buckets, shared.bucket) if bucket is not None and bucket != OWN],
        planning,
    )
    report_quotas(planning, reserved=training.placement.reservation is not None)
    registry = plan_repository(spec.registry, planning, name=parts.cluster_name)
    own_bucket = isinstance(storage, BucketPlan)
    apis = services(
        {
            "artifactregistry": registry is not None,
            "file": home is not None,
            "logging": parts.keep_logs_days not in (0, DAYS_OF_DEFAULT),
            "servicenetworking": network.private_services,
            "storage": own_bucket or parts.bucket is not None,
            "lustre": not own_bucket,
        }
    )
    created = {
        **dict.fromkeys(apis, True),
        "cloudkms": spec.secrets_key is None,
        "lustre": shared.makes_lustre,
        "servicenetworking": network.private_services and network.existing is None,
        "placement": training.placement.compact and training.placement.policy is None,
        "roles": access.dns or (elastic is not None and elastic.engine == "karpenter"),
    }
    ask_project(planning, apis, created, nat=access.nat and network.existing is None)
    ask_zone(planning, pools, training, hours=spec.duration)
    ask_version(planning, parts.versions)
    return GcpClusterPlan(
        **vars(parts),
        services=apis,
        account_suffix=hashlib.sha256(planning.stack.encode()).hexdigest()[:4],
        location=planning.location,
        access=access,
        security_group=plan_groups(people, planning),
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=plan_key(spec.secrets_key, planning),
        home=home,
        elastic=elastic,
        mig=mig,
        limits=limits,
        registry=registry,
        facts=cluster_facts(
            spec,
            planning,
            training=training,
            co_location=co_location(training, spec.placement),
            storage=storage,
            elastic=elastic,
            mig=mig,
        ),
    )


def _report_mig_teams(spec: ClusterSpec, planning: Planning[Location]) -> None:
    """Source: GoogleCloudPlatform/lustre-csi-driver, pkg/csi_driver/node.go (hasMountWithSameFSName)."""
    if spec.teams and spec.mig is not None and spec.storage.shared.kind == "lustre":
        planning.losses.append(
            "teams: a node mounts a Managed Lustre file system only once, so a machine of the MIG pool serves one "
            "team at a time"
        )


def _other_pools(training: TrainingPlan, mig: MigPlan | None) -> list[PoolSize]:
    """The GPU pools except the elastic ones; GKE scales those bought as flex-start."""
    pools = [PoolSize(shape=training.shape, nodes=training.size, scaled=training.flex_start_hours is not None)]
    if mig is not None:
        pools.append(PoolSize(shape=mig.shape, nodes=mig.nodes, scaled=mig.purchase == "flex-start"))
    return pools


_KEY = (
    r"^projects/[a-z][a-z0-9-]{4,28}[a-z0-9]/locations/(?P<region>[a-z0-9-]+)/keyRings/[\w-]{1,63}/cryptoKeys/"
    r"[\w-]{1,63}$"
)


def plan_key(key: str | None, planning: Planning[Location]) -> str | None:
    """key: the user's; None if the cluster creates its own."""
    if key is None:
        return None
    found = re.fullmatch(_KEY, key)
    if found is None:
        example = "projects/my-project/locations/us-central1/keyRings/mine/cryptoKeys/secrets"
        planning.refuse("secrets_key", f"is {key!r}", f"write the id of a key, such as {example}")
    elif found["region"] != planning.location.region:
        refuse_region("secrets_key", found["region"], planning)
    planning.notes.append(
        f"secrets_key: {key} is your key: destroy leaves GKE's permission to use it, which all clusters of the project "
        "share; if none is left, remove it: gcloud kms keys remove-iam-policy-binding"
    )
    return key


# Zonal tier, GiB: from 1 to 9.75 TiB in steps of 256 GiB, from 10 to 100 TiB in steps of 2.5 TiB.
# Source: Filestore documentation, "Service tiers".
_LEAST, _STEP, _SMALL_MOST = 1_024, 256, 9_984
_LARGE_STEP, _MOST_GIB = 2_560, 102_400


def plan_home(home: HomeStorage | None, planning: Planning[Location]) -> HomePlan | None:
    """The smallest zonal Filestore instance for the expected size plus headroom."""
    if home is None:
        return None
    needed = max(home.expected_gib * HEADROOM, Decimal(_LEAST))
    step = _STEP if needed <= _SMALL_MOST else _LARGE_STEP
    size = math.ceil(needed / step) * step
    return plan_home_files(
        home, planning, capacity_gib=size, most_gib=_MOST_GIB, service="Filestore", store="Filestore"
    )


_SENDER = "the Alertmanager that Google Cloud runs"


def report_receivers(receivers: Alerts | None, planning: Planning[Location], *, nat: bool) -> None:
    """Refuses mail and topics: the rules are evaluated in the cluster, by software that sends only to an Alertmanager.
    nat: the network has a route to the internet.

    Sources: Managed Service for Prometheus documentation, "Managed rule evaluation and alerting"; Alertmanager
    documentation, "Configuration" (email_config, receiver).
    """
    if receivers is None:
        return
    if receivers.mail:
        seen = f"is set, but {_SENDER} can send mail only through your SMTP server, which is not supported"
        fix = "remove it and write a webhook that sends mail, such as that of a paging service"
        planning.refuse("telemetry.alerts.mail", seen, fix)
    if receivers.topic:
        seen = (
            f"is set, but {_SENDER} supports no topics: neither Pub/Sub nor a notification channel of Cloud "
            "Monitoring, whose own policies do not evaluate these rules"
        )
        planning.refuse("telemetry.alerts.topic", seen, "remove it and write a webhook")
    if not nat:
        planning.notes.append(
            "alerts: access.egress is none, so the webhook must be reachable inside the network: an Alertmanager in "
            "the cluster posts to it"
        )


REPOSITORY: Final = (
    r"^(?P<location>[a-z0-9-]+)-docker\.pkg\.dev/(?P<project>[a-z][a-z0-9:.-]+)/(?P<id>[a-z][a-z0-9-]{0,62})$"
)
"""Path of a repository. Source: Artifact Registry documentation, "Repository and image names"."""


def plan_repository(registry: Registry, planning: Planning[Location], *, name: str) -> RegistryPlan | None:
    """name: of a new repository. The user's must be in Artifact Registry."""
    form = "the path of an Artifact Registry repository, such as us-central1-docker.pkg.dev/my-project/training"
    return plan_registry(registry, planning, name=name, pattern=REPOSITORY, form=form)


def plan_pool(spec: PoolSpec, planning: Planning[Location], *, gpu_subnets: int) -> PoolPlan[TrainingPlan]:
    """The plan of a pool. gpu_subnets: their number. Raises InputError if the machine needs another."""
    shape = plan_training_machine(spec.accelerator, spec.training, planning)
    if not planning.config_problems:
        refuse_zones({shape: "the training pool"}, planning)
    refuse_labels(spec.labels, planning)
    training = plan_training(spec, shape, planning, queue=False)
    report_purchase(training, spec.purchase, spec.placement, planning)
    report_quotas(planning, reserved=training.placement.reservation is not None)
    needed = len(network_modes(shape))
    if gpu_subnets != needed and not planning.problems and not planning.config_problems:
        problem = f"gpu_subnets has {gpu_subnets}; {shape.machine_type} has {needed} GPU networks: give one for each"
        raise InputError(f"gpucluster.gcp.TrainingPool {spec.name}", [problem])
    return pool_plan(spec, training, planning)


def plan_networks(spec: NetworkSpec, planning: Planning[Location]) -> tuple[NetworkSpec, NetworkPlan]:
    """The networks for nodes of the machine, which must be one that a training pool can use."""
    refuse_labels(spec.labels, planning)
    rows = (row for row in shapes() if row.cloud == CLOUD and not flexible_only(row.machine_type))
    known = {row.machine_type: row for row in rows}
    shape = known.get(planning.machine or "")
    if shape is None:
        near = did_you_mean(str(planning.machine), known)
        planning.refuse_config("machine", f"is {planning.machine!r}", f"allowed: {', '.join(known)}{near}")
        shape = next(iter(known.values()))
    else:
        refuse_zones({shape: "the GPU nodes"}, planning)
    return spec, plan_network(shape, planning, nat=spec.nat, private_services=spec.private_services)

"""Plan of the whole Google Cloud cluster as plain values, made without access to the cloud. Imports no Pulumi."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpucluster.components.cluster.cluster_plan import CloudTraits, PlannedCluster, plan_shared_parts
from gpucluster.components.cluster.plan_facts import cluster_facts
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import CLOUD, plan_training_machine, refuse_labels, refuse_zones
from gpucluster.components.gcp.node_health import REPAIR
from gpucluster.components.gcp.planning.access import AccessPlan, has_nat, plan_access, plan_groups, report_grants
from gpucluster.components.gcp.planning.elastic import ElasticPlan, PoolSize, plan_elastic, plan_limits
from gpucluster.components.gcp.planning.filestore import plan_home
from gpucluster.components.gcp.planning.key import plan_key
from gpucluster.components.gcp.planning.lustre import LustrePlan, SharedPlan, plan_shared
from gpucluster.components.gcp.planning.mig import MigPlan, plan_mig
from gpucluster.components.gcp.planning.network_plan import NetworkPlan, plan_network, refuse_addresses, report_existing
from gpucluster.components.gcp.planning.quotas import report_quotas
from gpucluster.components.gcp.planning.receivers import report_receivers
from gpucluster.components.gcp.planning.system import SystemPlan, plan_system
from gpucluster.components.gcp.planning.training import TrainingPlan, co_location, plan_training, report_purchase
from gpucluster.components.gcp.repository import plan_repository
from gpucluster.components.planning.planning import Planning, lower_case
from gpucluster.components.shared.jobs.teams import people_fields
from gpucluster.components.shared.storage.home import HomePlan
from gpucluster.components.spec.access import PublicAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.storage import OWN

DAYS_OF_DEFAULT = 30
"""Retention of a project's default log bucket, which receives all logs, unless the project sets another.

Source: Cloud Logging documentation, "Quotas and limits" (logs retention periods: 1 to 3650 days of other buckets).
"""


def _log_store(days: int) -> str:
    where = "the bucket _Default of Cloud Logging"
    if days == DAYS_OF_DEFAULT:
        return f"{where} (docs/logs.md), unless the project sets another time"
    return f"the cluster's own bucket, and paid once more for {where} (docs/logs.md)"


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
)


@dataclass(frozen=True, kw_only=True)
class GcpClusterPlan(PlannedCluster):
    """cluster_name: also names the Lustre instance. account_suffix: distinguishes the service accounts of two stacks,
    whose ids are too short for a stack's name. limits: maximum of all pools together, by GKE's resource type; None if
    GKE creates no pools automatically. security_group: the group in which GKE looks up users' groups; None if no group
    submits jobs.
    """

    account_suffix: str
    location: Location
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
    beside = (elastic.most_nodes if elastic else 0) + (spec.mig.nodes if spec.mig else 0)
    system = plan_system(training.size + beside)
    limits = plan_limits(elastic, _other_pools(training, mig), system, planning)
    access = plan_access(spec.access, planning, nodes_cidr=nodes_cidr)
    people = people_fields(spec.access, spec.teams)
    report_existing(spec.network, network, planning)
    refuse_addresses(
        network.addresses,
        planning,
        gpu_nodes=training.size,
        other_nodes=beside + system.most,
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
    named = [bucket for one in spec.identities.values() for bucket in (*one.reads, *one.writes)]
    report_grants(
        (*access.admins, *people.values()),
        [bucket for bucket in (*named, shared.bucket) if bucket is not None and bucket != OWN],
        planning,
    )
    report_quotas(
        planning, training, elastic, mig, system_gib=system.most * system.root_gib, more=_more_quotas(network, storage)
    )
    return GcpClusterPlan(
        **vars(parts),
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
        registry=plan_repository(spec.registry, planning, name=parts.cluster_name),
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


def _more_quotas(network: NetworkPlan, storage: SharedPlan) -> Iterator[str]:
    if isinstance(storage, LustrePlan):
        yield f"{storage.capacity_gib:,} GiB of Managed Lustre"
    if network.vpcs:
        yield f"{network.vpcs} VPC networks"
    if network.nat:
        yield "IN_USE_ADDRESSES for NAT"

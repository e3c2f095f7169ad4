"""Plan of the whole Google Cloud cluster as plain values, made without access to the cloud. Imports no Pulumi."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from gpucluster.catalog.label_syntax import LabelSyntax, problem_of_key
from gpucluster.catalog.machines import Machine
from gpucluster.components.buckets import (
    SHARED_BUCKET_NOTE,
    BucketPlan,
    identity_problems,
    old_plan_bucket,
    old_plan_identities,
    old_plan_shared_bucket,
)
from gpucluster.components.cluster_plan import PlannedCluster
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.gcp.access import (
    AccessPlan,
    access_problems,
    people_notes,
    people_problems,
    plan_access,
    security_group,
)
from gpucluster.components.gcp.addresses import address_problems
from gpucluster.components.gcp.auto_provisioning import PoolSize, cluster_limits, limit_losses
from gpucluster.components.gcp.elastic import ElasticPlan, elastic_losses, elastic_notes, elastic_problems, plan_elastic
from gpucluster.components.gcp.existing import existing_notes, existing_place_problems, existing_problems
from gpucluster.components.gcp.filestore import MOST_GIB, plan_home
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.lustre import LustrePlan, lustre_problems, plan_lustre, zone_notes
from gpucluster.components.gcp.machines import CLOUD, machine_problems, training_machine, zone_problems
from gpucluster.components.gcp.mig import MigPlan, mig_notes, mig_problems, plan_mig
from gpucluster.components.gcp.network_plan import NetworkPlan, plan_network
from gpucluster.components.gcp.node_health import REPAIR
from gpucluster.components.gcp.purchase import purchase_losses, purchase_notes, purchase_problems
from gpucluster.components.gcp.quotas import quota_note
from gpucluster.components.gcp.receivers import receiver_notes, receiver_problems
from gpucluster.components.gcp.repository import repository_problems
from gpucluster.components.gcp.system import SystemPlan, plan_system
from gpucluster.components.gcp.training import TrainingPlan, co_location, plan_training, training_losses
from gpucluster.components.home import HomePlan, home_notes, home_problems
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import old_plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.mounted import MountedPlan, mounted_notes, old_plan_mounted
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan_facts import old_cluster_facts
from gpucluster.components.planning import PlanError, Prices, lower_case_name, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.registry import old_plan_registry
from gpucluster.components.shared_storage import shared_sizes
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.teams import old_plan_people
from gpucluster.components.versions import chosen_fabric_notes, old_plan_versions, support_notes, version_problems
from gpucluster.record import record

DAYS_OF_DEFAULT = 30
"""Retention of a project's default log bucket, which receives all logs, unless the project sets another.

Source: Cloud Logging documentation, "Quotas and limits" (logs retention periods: 1 to 3650 days of other buckets).
"""

# Source: Kubernetes Engine API, names of clusters and node pools.
_CLUSTER_NAME = 40

SharedPlan = LustrePlan | BucketPlan | MountedPlan


@record(kw_only=True)
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


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> GcpClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why Google Cloud can't run it.

    machine: machine type of the training pool, if not the one that the spec implies.
    prices: decide the tier of the shared storage and appear in alerts; without them, every price is unknown.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape = training_machine(spec, machine)
    network = _network(spec, shape)
    access = plan_access(spec.access, nodes_cidr=network.addresses.nodes)
    elastic, mig = plan_elastic(spec), plan_mig(spec)
    training = plan_training(spec, shape, spec.versions.fabric)
    telemetry = old_plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices, maintenance=True)
    storage = _storage(spec, location, prices)
    system, home = _system(spec), plan_home(spec.storage.home)
    others = _other_pools(training, mig)
    return GcpClusterPlan(
        name=spec.name,
        cluster_name=lower_case_name(spec, stack),
        account_suffix=hashlib.sha256(stack.encode()).hexdigest()[:4],
        stack=stack,
        location=location,
        labels=dict(spec.labels),
        versions=old_plan_versions(spec.versions),
        access=access,
        people=old_plan_people(spec),
        security_group=security_group(spec),
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=spec.secrets_key,
        home=home,
        bucket=old_plan_bucket(spec),
        identities=old_plan_identities(spec),
        elastic=elastic,
        mig=mig,
        limits=_limits(elastic, others, system),
        broken_nodes=spec.health.broken_nodes,
        grace_seconds=spec.health.grace_seconds,
        registry=old_plan_registry(spec, name=lower_case_name(spec, stack)),
        keep_logs_days=spec.telemetry.logs.keep_days,
        telemetry=telemetry,
        facts=old_cluster_facts(
            spec,
            shape,
            co_location=co_location(spec, training.placement),
            storage=shared_sizes(storage),
            elastic=elastic is not None,
            mig=None if mig is None else mig.pool,
            losses=[
                *_losses(spec, shape),
                *purchase_losses(spec, shape),
                *elastic_losses(spec, elastic),
                *(limit_losses(elastic, others) if elastic else []),
            ],
            notes=[
                *_storage_notes(storage, location, cidr=network.addresses.nodes),
                *home_notes(home, "Filestore"),
                *existing_notes(spec, nat=access.nat, mtu=network.mtu),
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
                *support_notes(old_plan_versions(spec.versions), "gcp"),
                *chosen_fabric_notes(spec.versions, "gcp", shape),
            ],
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the machine, or the zone for the spec's machines, can't be used, in the terms of the configuration."""
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
    """Every reason why Google Cloud can't run a spec in any location."""
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
        *home_problems(spec.storage.home, most_gib=MOST_GIB, service="Filestore"),
        *identity_problems(spec, cloud="Google Cloud", form="gs://NAME"),
        *receiver_problems(spec.telemetry.alerts),
        *(lustre_problems(spec.storage.shared) if spec.storage.shared.makes_lustre else []),
        *version_problems(spec.versions, "gcp", shape),
    ]


def _logs_note(spec: ClusterSpec) -> str:
    keep = spec.telemetry.logs.keep_days
    where = "the bucket _Default of Cloud Logging"
    if keep == DAYS_OF_DEFAULT:
        return f"{log_note(keep, where=where)}, unless the project sets another time"
    return log_note(keep, where=f"the cluster's own bucket, and paid once more for {where}" if keep else where)


def _network(spec: ClusterSpec, shape: Machine) -> NetworkPlan:
    return plan_network(
        shape,
        nat=not isinstance(spec.access, PrivateAccess) or spec.access.egress == "nat",
        private_services=spec.storage.shared.makes_lustre or spec.storage.home is not None,
        asked=spec.network,
    )


def _system(spec: ClusterSpec) -> SystemPlan:
    return plan_system(spec.training.size + _nodes_beside_training(spec))


def _nodes_beside_training(spec: ClusterSpec) -> int:
    """GPU nodes of the other pools."""
    elastic = plan_elastic(spec)
    return (elastic.most_nodes if elastic else 0) + (spec.mig.nodes if spec.mig else 0)


def _other_pools(training: TrainingPlan, mig: MigPlan | None) -> list[PoolSize]:
    """The GPU pools except the elastic ones; GKE scales those bought as flex-start."""
    pools = [PoolSize(shape=training.shape, nodes=training.size, scaled=training.flex_start_hours is not None)]
    if mig is not None:
        pools.append(PoolSize(shape=mig.shape, nodes=mig.nodes, scaled=mig.purchase == "flex-start"))
    return pools


def _limits(elastic: ElasticPlan | None, others: list[PoolSize], system: SystemPlan) -> Mapping[str, int] | None:
    if elastic is None or not elastic.open_ended:
        return None
    pool = PoolSize(shape=elastic.shape, nodes=elastic.most_nodes, scaled=True)
    return cluster_limits(
        elastic.shape,
        [*others, pool],
        vcpus=system.most * system.vcpus,
        memory_gib=system.most * system.memory_gib,
    )


def _storage(spec: ClusterSpec, location: Location, prices: Prices | None) -> SharedPlan:
    shared = spec.storage.shared
    return (
        old_plan_shared_bucket(shared)
        or old_plan_mounted(shared)
        or plan_lustre(shared, tier_prices(prices, CLOUD, location.region))
    )


def label_problems(labels: Mapping[str, str]) -> list[Problem]:
    """Labels that Google Cloud refuses. Source: Google Cloud documentation, "Requirements for labels"."""
    wrong = [key for key in labels if problem_of_key(key, LabelSyntax.GOOGLE) is not None]
    return [
        Problem("labels", f"has the name {key!r}", "on Google Cloud a label's name starts with a letter")
        for key in wrong
    ]


def _other_quotas(network: NetworkPlan, storage: SharedPlan) -> Iterator[str]:
    if isinstance(storage, LustrePlan):
        yield f"{storage.capacity_gib:,} GiB of Managed Lustre"
    if network.vpcs:
        yield f"{network.vpcs} VPC networks"
    if network.nat:
        yield "IN_USE_ADDRESSES for NAT"


def _address_problems(spec: ClusterSpec, network: NetworkPlan) -> list[Problem]:
    return address_problems(
        network.addresses,
        gpu_nodes=spec.training.size,
        other_nodes=_nodes_beside_training(spec) + _system(spec).most,
        peers=spec.access.cidrs if isinstance(spec.access, PrivateAccess) else (),
        existing=network.existing is not None,
    )


def _losses(spec: ClusterSpec, shape: Machine) -> list[str]:
    """Requests of the spec that Google Cloud cannot provide."""
    losses = training_losses(spec, shape)
    if spec.storage.shared.fabric:
        losses.append(
            "storage.shared.fabric: nodes reach Managed Lustre over the host network, never over the GPU fabric"
        )
    if spec.storage.shared.bucket is not None:
        back = " and write_back" if spec.storage.shared.write_back else ""
        losses.append(
            f"storage.shared.bucket{back}: Managed Lustre does not sync with a bucket automatically; a command copies "
            "data (docs/data.md)"
        )
    if spec.teams and spec.mig is not None and spec.storage.shared.kind == "lustre":
        # Source: GoogleCloudPlatform/lustre-csi-driver, pkg/csi_driver/node.go (hasMountWithSameFSName).
        losses.append(
            "teams: a node mounts a Managed Lustre file system only once, so a machine of the MIG pool serves one "
            "team at a time"
        )
    return losses


def _storage_notes(storage: SharedPlan, location: Location, *, cidr: str) -> list[str]:
    """cidr: addresses of the nodes."""
    if isinstance(storage, LustrePlan):
        return [f"shared storage: {storage.choice}", *zone_notes(location.zone)]
    return mounted_notes(storage, cidr) if isinstance(storage, MountedPlan) else [SHARED_BUCKET_NOTE]

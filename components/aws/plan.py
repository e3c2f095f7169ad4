"""Plan of the whole AWS cluster as plain values, made without access to the cloud. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.catalog.machines import Machine
from gpucluster.components.aws.access import AccessPlan, access_problems, people_problems, plan_access
from gpucluster.components.aws.addon_builds import AddonBuilds, addon_notes, addon_problems, plan_addons
from gpucluster.components.aws.bucket import storage_problems
from gpucluster.components.aws.elastic import elastic_not_built, plan_elastic
from gpucluster.components.aws.key import key_place_problems, key_problems
from gpucluster.components.aws.location import Location
from gpucluster.components.aws.lustre import LustrePlan, plan_lustre
from gpucluster.components.aws.lustre_clients import client_losses, client_notes, lustre_cards
from gpucluster.components.aws.machines import machine_problems, training_machine
from gpucluster.components.aws.mig import MigPlan, mig_not_built, plan_mig
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
from gpucluster.components.aws.quotas import cluster_quotas, quota_note
from gpucluster.components.aws.repository import plan_repository, repository_problems
from gpucluster.components.aws.system import SystemPlan, plan_system
from gpucluster.components.aws.topic import receiver_notes, topic_place_problems, topic_problems
from gpucluster.components.aws.training import (
    TrainingPlan,
    plan_training,
    reservation_place_problems,
    training_notes,
    training_problems,
)
from gpucluster.components.buckets import identity_problems, old_plan_bucket, old_plan_identities
from gpucluster.components.cluster_plan import PlannedCluster
from gpucluster.components.elastic import ElasticMachines, shape_losses
from gpucluster.components.example_ranges import example_range_notes
from gpucluster.components.flex_start import other_flex_start_problems
from gpucluster.components.kubernetes.node_health.plan import health_note
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, old_plan_telemetry, telemetry_notes
from gpucluster.components.logs import log_note, log_problems
from gpucluster.components.mig import mig_note
from gpucluster.components.mounted import MountedPlan, mounted_notes, old_plan_mounted
from gpucluster.components.offers import tier_prices
from gpucluster.components.plan_facts import old_cluster_facts
from gpucluster.components.planning import PlanError, Prices, name_problems
from gpucluster.components.problem import Problem
from gpucluster.components.shared_storage import shared_sizes
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.data import OWN
from gpucluster.components.teams import old_plan_people
from gpucluster.components.training import training_losses
from gpucluster.components.versions import old_plan_versions, older_node_notes, support_notes, version_problems
from gpucluster.record import record

# Source: Amazon CloudWatch Logs API, PutRetentionPolicy; without 0, which means forever.
_LOG_DAYS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)

# Characters. Source: Amazon EKS API, CreateCluster.
_CLUSTER_NAME = 100


@record(kw_only=True)
class HomePlan:
    """The file system for small files. expected_gib: average size of its contents, for the cost."""

    expected_gib: str
    protect: bool


@record(kw_only=True)
class AwsClusterPlan(PlannedCluster):
    """secrets_key: ARN of an existing key; None if the cluster creates its own."""

    location: Location
    addons: AddonBuilds
    access: AccessPlan
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: LustrePlan | MountedPlan
    secrets_key: str | None
    home: HomePlan | None
    elastic: ElasticMachines | None
    mig: MigPlan | None


def plan_cluster(
    spec: ClusterSpec,
    location: Location,
    stack: str,
    machine: str | None = None,
    prices: Prices | None = None,
) -> AwsClusterPlan:
    """The plan of a spec at a location. Raises PlanError with every reason why AWS can't run it.

    machine: machine type of the training pool, if not the one that the spec implies.
    prices: decide the tier of the shared storage and appear in alerts; without them, every price is unknown.
    """
    problems = [*config_problems(spec, machine, location), *plan_problems(spec, stack, machine)]
    if problems:
        raise PlanError(problems)
    shape = training_machine(spec, machine)
    training = plan_training(spec, shape, lustre_cards=lustre_cards(spec, shape))
    storage = old_plan_mounted(spec.storage.shared) or _lustre(spec, location, prices)
    elastic, mig = plan_elastic(spec), plan_mig(spec)
    telemetry = old_plan_telemetry(spec, shape, region=location.region, stack=stack, prices=prices)
    system = plan_system(training.size + (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0))
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
        versions=old_plan_versions(spec.versions),
        addons=plan_addons(spec.versions, location.region),
        access=access,
        people=old_plan_people(spec),
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=spec.secrets_key,
        home=_home(spec),
        bucket=old_plan_bucket(spec),
        identities=old_plan_identities(spec),
        elastic=elastic,
        mig=mig,
        broken_nodes=spec.health.broken_nodes,
        grace_seconds=spec.health.grace_seconds,
        registry=plan_repository(spec, location, stack=stack, nat=access.nat),
        keep_logs_days=spec.telemetry.logs.keep_days,
        telemetry=telemetry,
        facts=old_cluster_facts(
            spec,
            shape,
            co_location=training.placement.co_location,
            storage=shared_sizes(storage),
            elastic=elastic is not None,
            mig=None if mig is None else mig.pool,
            not_built=_not_built(spec, location),
            losses=_losses(spec, shape, elastic),
            notes=[
                *_notes(training, storage, location, cidr=network.vpc_cidr),
                *client_notes(spec, shape),
                *network_notes(spec.network, network, location, nodes=training.size),
                *zone_notes(location),
                *machine_notes(_machines(spec, machine), location),
                *example_range_notes(spec.access),
                *support_notes(old_plan_versions(spec.versions), "aws"),
                *older_node_notes(old_plan_versions(spec.versions), "aws"),
                *addon_notes(spec.versions, location.region),
                *(mig_note(mig.pool) if mig else []),
                health_note(spec.health.broken_nodes, spares=training.spares, repair=REPAIR),
                *_metrics_notes(telemetry, shape, location.region),
                *receiver_notes(telemetry.receivers),
                log_note(spec.telemetry.logs.keep_days, where="a log group of CloudWatch"),
                *_spot_notes(elastic, mig),
                quota_note(training, elastic, mig, cluster=cluster_quotas(system, network, storage)),
            ],
        ),
    )


def config_problems(spec: ClusterSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Problems of machine and location, in the terms of the stack's configuration."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    return [
        *place_problems(spec, _machines(spec, machine), location),
        *reservation_place_problems(spec, location),
        *topic_place_problems(spec.telemetry.alerts, location),
        *key_place_problems(spec.secrets_key, location),
    ]


def _machines(spec: ClusterSpec, machine: str | None) -> dict[str, Machine]:
    """The machine of each pool, by the pool's name in prose."""
    elastic, mig = plan_elastic(spec), plan_mig(spec)
    return {
        TRAINING: training_machine(spec, machine),
        **({"the elastic pools": elastic.shape} if elastic else {}),
        **({"the MIG pool": mig.shape} if mig else {}),
    }


def plan_problems(spec: ClusterSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every reason why AWS can't run a spec in any location."""
    del machine
    return [
        *training_problems(spec),
        *other_flex_start_problems(spec, "AWS"),
        *name_problems(_cluster_name(spec, stack), service="EKS", longest=_CLUSTER_NAME),
        *access_problems(spec.access),
        *people_problems(spec),
        *storage_problems(spec.storage.shared),
        *network_problems(spec.network, spec.access),
        *key_problems(spec.secrets_key),
        *version_problems(spec.versions, "aws", None),
        *addon_problems(spec),
        *repository_problems(spec),
        *log_problems(spec, _LOG_DAYS, named=f"CloudWatch keeps logs for {', '.join(map(str, _LOG_DAYS))} days"),
        *identity_problems(spec, cloud="AWS", form="s3://NAME"),
        *topic_problems(spec.telemetry.alerts),
    ]


def _cluster_name(spec: ClusterSpec, stack: str) -> str:
    """Stack names may contain dots, cluster names may not."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{spec.name}-{stack}")


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


def _metrics_notes(telemetry: TelemetryPlan, shape: Machine, region: str) -> list[str]:
    if not collects_metrics(region):
        return []
    return telemetry_notes(telemetry, metrics="Amazon Managed Service for Prometheus", shape=shape, region=region)


def _not_built(spec: ClusterSpec, location: Location) -> list[str]:
    """Parts that the spec requests and this cluster lacks."""
    not_built = mig_not_built(spec)
    if not collects_metrics(location.region):
        not_built.append(
            f"metrics of the GPUs: EKS has no managed collector in {location.region}, so no GPU alerts are sent; "
            "metrics that jobs send reach the workspace (telemetry.collector)"
        )
    return not_built + elastic_not_built(spec)


def _notes(training: TrainingPlan, storage: LustrePlan | MountedPlan, location: Location, *, cidr: str) -> list[str]:
    """Facts that the plan can't check or the spec does not state. cidr: of the network."""
    if isinstance(storage, MountedPlan):
        return [*mounted_notes(storage, cidr), *training_notes(training, location)]
    notes = [f"shared storage: {storage.choice}"]
    if storage.bucket is not None:
        which = (
            "storage.bucket: its" if storage.bucket == OWN else f"{storage.bucket} must exist in {location.region}; its"
        )
        back = "are written back automatically" if storage.write_back else "are not written back"
        notes.append(f"{which} objects appear under /bucket, and changes there {back}")
    return [*notes, *training_notes(training, location)]


def _spot_notes(elastic: ElasticMachines | None, mig: MigPlan | None) -> list[str]:
    """The role that an account lacks before it first buys spot capacity.

    Source: aws/karpenter-provider-aws v1.14.1, troubleshooting ("Missing Service Linked Role").
    """
    if not (mig is not None and mig.spot) and not (elastic is not None and elastic.bought("spot")):
        return []
    return [
        "spot machines start only if the account has the role AWSServiceRoleForEC2Spot: `aws iam "
        "create-service-linked-role --aws-service-name spot.amazonaws.com`, once for each account"
    ]


def _losses(spec: ClusterSpec, shape: Machine, elastic: ElasticMachines | None) -> list[str]:
    """Requests of the spec that AWS cannot provide."""
    losses = [*training_losses(spec, shape), *client_losses(spec, shape)]
    return losses + shape_losses(spec.accelerator, elastic.shape) if elastic else losses

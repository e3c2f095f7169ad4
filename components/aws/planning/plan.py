"""Plans of a whole AWS cluster and of a single pool as plain values, made without access to the cloud. Imports no
Pulumi.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from gpucluster.components.aws.location import Location, partition
from gpucluster.components.aws.planning.access import AccessPlan, plan_access
from gpucluster.components.aws.planning.addon_builds import AddonBuilds, plan_addons
from gpucluster.components.aws.planning.belongings import (
    account_questions,
    key_question,
    role_question,
    topic_question,
    version_questions,
)
from gpucluster.components.aws.planning.machines import REPAIR, SystemPlan, plan_machine, plan_system
from gpucluster.components.aws.planning.network_plan import NetworkPlan, network_range, plan_network
from gpucluster.components.aws.planning.pools import MigPlan, plan_elastic, plan_mig
from gpucluster.components.aws.planning.quotas import SPOT, report_quotas
from gpucluster.components.aws.planning.storage import LustrePlan, plan_lustre_cards, plan_storage
from gpucluster.components.aws.planning.training import TrainingPlan, plan_training
from gpucluster.components.cluster.cluster_plan import (
    CloudTraits,
    PlannedCluster,
    PoolPlan,
    cluster_facts,
    plan_shared_parts,
    pool_plan,
)
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.elastic import ElasticMachines
from gpucluster.components.shared.file_systems import ExistingStoragePlan
from gpucluster.components.shared.registry import RegistryPlan, plan_registry
from gpucluster.components.spec.access import PrivateAccess
from gpucluster.components.spec.cluster import ClusterSpec, PoolSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.spec.storage import HomeStorage, Registry
from gpucluster.core.catalog.aws_regions import aws_regions

# Source: Amazon CloudWatch Logs API, PutRetentionPolicy; without 0, which means forever.
_LOG_DAYS: Final = (
    1,
    3,
    5,
    7,
    14,
    30,
    60,
    90,
    120,
    150,
    180,
    365,
    400,
    545,
    731,
    1096,
    1827,
    2192,
    2557,
    2922,
    3288,
    3653,
)

# Stack names may contain dots, cluster names may not. Source of the length: Amazon EKS API, CreateCluster.
_TRAITS: Final = CloudTraits(
    cloud="aws",
    service="EKS",
    name_form=lambda name: re.sub(r"[^A-Za-z0-9_-]", "-", name),
    longest_name=100,
    log_days=_LOG_DAYS,
    log_service=f"CloudWatch keeps logs for {', '.join(map(str, _LOG_DAYS))} days",
    log_store=lambda _: "a log group of CloudWatch (docs/operate/logs.md)",
    metrics="Amazon Managed Service for Prometheus",
    repair=REPAIR,
    bucket="s3://NAME",
)

# Source: AWS KMS developer guide, "Key ARN"; a multi-Region key is one of each region.
_KEY: Final = r"^arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):key/(mrk-)?[0-9a-f-]{32,36}$"

# URI of a repository. Source: Amazon ECR user guide, "Private registry".
_REPOSITORY: Final = r"^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?/[a-z0-9][a-z0-9._/-]*$"


@dataclass(frozen=True, kw_only=True)
class HomePlan:
    """The file system for small files. expected_gib: average size of its contents, for the cost."""

    expected_gib: str
    protect: bool


@dataclass(frozen=True, kw_only=True)
class AwsClusterPlan(PlannedCluster):
    """secrets_key: ARN of an existing key; None if the cluster creates its own."""

    location: Location
    addons: AddonBuilds
    access: AccessPlan
    network: NetworkPlan
    system: SystemPlan
    training: TrainingPlan
    storage: LustrePlan | ExistingStoragePlan
    secrets_key: str | None
    home: HomePlan | None
    elastic: ElasticMachines | None
    mig: MigPlan | None


def plan_cluster(spec: ClusterSpec, planning: Planning[Location]) -> AwsClusterPlan:
    """To be used only if the planning has no problems."""
    shape = plan_machine(spec, planning)
    shared = plan_shared_parts(spec, shape, planning, _TRAITS, metrics=collects_metrics(planning.location.region))
    files, nodes = spec.storage.shared, spec.training.size
    cards = plan_lustre_cards(files, shared.versions, shape, planning, nodes=nodes)
    mig = plan_mig(spec.mig, spec.accelerator, planning)
    _check_metrics(planning)
    report_receivers(spec.telemetry.alerts, planning)
    elastic = plan_elastic(spec.elastic, spec.accelerator, planning)
    access = plan_access(
        spec.access,
        spec.teams,
        planning,
        vpc_cidr=network_range(spec.network),
        karpenter=elastic is not None,
        collector=spec.telemetry.collector,
    )
    network = plan_network(
        spec.network,
        planning,
        nodes=nodes,
        peers=spec.access.cidrs if isinstance(spec.access, PrivateAccess) else (),
        nat=access.nat,
        services=access.services,
    )
    training = plan_training(spec, shape, planning, most_nodes=network.most_nodes, lustre_cards=cards)
    storage = plan_storage(files, planning, cidr=network.vpc_cidr)
    system = plan_system(nodes + (elastic.most_nodes if elastic else 0) + (mig.nodes if mig else 0), planning)
    _report_spot(planning)
    report_quotas(planning)
    planning.ask(*account_questions(planning.location), *version_questions(shared.versions, planning.location.region))
    return AwsClusterPlan(
        **vars(shared),
        location=planning.location,
        addons=plan_addons(spec.versions, shared.versions.control_plane, planning, home=spec.storage.home is not None),
        access=access,
        network=network,
        system=system,
        training=training,
        storage=storage,
        secrets_key=_plan_key(spec.secrets_key, planning),
        home=_plan_home(spec.storage.home, planning),
        elastic=elastic,
        mig=mig,
        registry=_plan_registry(spec.registry, spec.name, planning, nat=access.nat),
        facts=cluster_facts(
            spec,
            planning,
            training=training,
            co_location=training.placement.co_location,
            storage=storage,
            elastic=elastic,
            mig=mig,
        ),
    )


def collects_metrics(region: str) -> bool:
    """Whether EKS has a managed collector of metrics there."""
    return aws_regions()[region].prometheus == "collector"


def _check_metrics(planning: Planning[Location]) -> None:
    region = planning.location.region
    if aws_regions()[region].prometheus == "no":
        why = "has no Amazon Managed Service for Prometheus, which stores metrics and evaluates alerts of the cluster"
        planning.refuse_place("region", f"is {region!r}, which {why}", "choose another region")
    elif not collects_metrics(region):
        planning.not_built.append(
            f"metrics of the GPUs: EKS has no managed collector in {region}, so no GPU alerts are sent; metrics that "
            "jobs send reach the workspace (telemetry.collector)"
        )


def _plan_key(key: str | None, planning: Planning[Location]) -> str | None:
    """ARN of the user's key for Kubernetes secrets."""
    found, region = re.fullmatch(_KEY, key or ""), planning.location.region
    if key is not None and found is None:
        example = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
        planning.refuse("secrets_key", f"is {key!r}", f"write the ARN of a KMS key, such as {example}")
    elif found is not None and found["region"] != region:
        seen = f"is {region!r}, but secrets_key of the spec is in {found['region']}"
        planning.refuse_place("region", seen, "use one")
    elif key is not None:
        planning.ask(key_question(key, region))
    return key


def _plan_home(home: HomeStorage | None, planning: Planning[Location]) -> HomePlan | None:
    if home is None:
        return None
    if planning.location.local_zone is not None:
        why = "a Local Zone, where EFS has no mount target"
        fix = "remove storage.home from the spec, or choose an Availability Zone"
        planning.refuse_place("zone", f"is {planning.location.zone!r}, {why}", fix)
    return HomePlan(expected_gib=f"{home.expected_gib:f}", protect=home.protect)


def _plan_registry(registry: Registry, name: str, planning: Planning[Location], *, nat: bool) -> RegistryPlan | None:
    """nat: whether the network has a route out. A first pull through a cache needs one even if ECR has an endpoint;
    partitions other than AWS's main one do not list the public registries. Prefixes of caches have at most 30
    characters, and the name of a stack may be longer.

    Sources: Amazon ECR API, CreatePullThroughCacheRule; Amazon ECR user guide, vpc-endpoints.
    """
    return plan_registry(
        registry,
        planning,
        name=f"{re.sub('-+', '-', name)}-{hashlib.sha256(planning.stack.encode()).hexdigest()[:4]}",
        pattern=_REPOSITORY,
        form="the URI of an ECR repository, such as 123456789012.dkr.ecr.us-east-1.amazonaws.com/training",
        caches=nat and partition(planning.location.region) == "aws",
    )


def _report_spot(planning: Planning[Location]) -> None:
    """The role that an account lacks before it first buys spot capacity.

    Source: aws/karpenter-provider-aws v1.14.1, troubleshooting ("Missing Service Linked Role").
    """
    if planning.quotas[SPOT]:
        note = (
            "spot machines start only if the account has the role AWSServiceRoleForEC2Spot: `aws iam "
            "create-service-linked-role --aws-service-name spot.amazonaws.com`, once for each account"
        )
        planning.ask(role_question("AWSServiceRoleForEC2Spot", "spot", note))


# Source: Amazon SNS API, CreateTopic (names); a FIFO topic ends in .fifo, and Amazon Managed Service for Prometheus
# sends to standard ones (its user guide, AMP-alertmanager-receiver-config).
_TOPIC: Final = r"(?a)^arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):[A-Za-z0-9_-]{1,256}$"
_FIELD: Final = "telemetry.alerts.topic"


def report_receivers(receivers: Alerts | None, planning: Planning[Location]) -> None:
    """Checks the topic, and notes the steps required before each receiver gets alerts.

    Sources: Amazon Managed Service for Prometheus user guide, AMP-alert-manager (topics in the same account) and
    AMP-alertmanager-receiver-AMPpermission; Amazon SNS developer guide, "Email notifications" and "Confirming the
    subscription" of HTTP endpoints.
    """
    if receivers is None:
        return
    if receivers.mail:
        planning.notes.append(
            "alerts: AWS mails each address a confirmation link, and sends alerts only after it is confirmed"
        )
    if receivers.webhook:
        planning.notes.append(
            "alerts: SNS posts a SubscribeURL to the webhook, and sends alerts only after the webhook fetches it; "
            "alerts are SNS messages in JSON, which chat services do not read natively"
        )
    if receivers.topic:
        _check_topic(receivers.topic, planning)
        planning.notes.append(
            f"alerts: the policy of {receivers.topic} must allow aps.amazonaws.com sns:Publish and "
            "sns:GetTopicAttributes; if the topic is encrypted with your key, the key policy must allow "
            "kms:GenerateDataKey* and kms:Decrypt"
        )


def _check_topic(topic: str, planning: Planning[Location]) -> None:
    found, account = re.fullmatch(_TOPIC, topic), planning.location.account
    if found is None:
        fix = "write the ARN of a standard SNS topic, such as arn:aws:sns:us-east-1:123456789012:pager"
        planning.refuse(_FIELD, f"is {topic!r}", fix)
    elif account not in (None, found["account"]):
        seen = f"is {account}, but {_FIELD} of the spec is in {found['account']}"
        planning.refuse_place("account", seen, "write a topic of this account: alerts reach no other")
    else:
        planning.ask(topic_question(topic))


def topic_region(topic: str) -> str:
    """The region in its ARN."""
    return topic.split(":")[3]


def plan_pool(spec: PoolSpec, planning: Planning[Location]) -> PoolPlan[TrainingPlan]:
    """The user's subnet is taken to be as large as that of a cluster."""
    shape = plan_machine(spec, planning)
    training = plan_training(spec, shape, planning, most_nodes=NetworkPlan().most_nodes)
    report_quotas(planning)
    return pool_plan(spec, training, planning)

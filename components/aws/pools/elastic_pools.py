"""The elastic pools: single-node GPU machines that Karpenter starts for a job and removes after it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_aws import cloudwatch, eks, iam, sqs

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import node_role, pod_role_of_policies
from gpucluster.components.aws.location import is_zone_id
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.planning.access import AccessPlan
from gpucluster.components.aws.pools.karpenter_iam import POLICIES, controller_policies
from gpucluster.components.aws.pools.user_data import karpenter_user_data
from gpucluster.components.kubernetes.karpenter import ZONE, node_pool, price_overlays
from gpucluster.components.kubernetes.objects.charts import KARPENTER, KARPENTER_CRD
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.planning.names import ELASTIC, SYSTEM_NAMESPACE
from gpucluster.components.shared.elastic import ElasticMachines

_SERVICE_ACCOUNT = "karpenter"
# Source: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/labels.go.
_ZONE_ID = "topology.k8s.aws/zone-id"
# A pool is deleted after its last machine, which takes EC2 longer than Pulumi's default wait of ten minutes.
_DRAIN = pulumi.CustomTimeouts(delete="30m")


class ElasticPools(pulumi.ComponentResource):
    """One Karpenter release, one node class, a node pool for each of the plan's.

    Each waits for the previous one: permissions and interruption queue, CRDs, controller, class, pools.
    Deleted in reverse order, before the system nodes: a controller deleted first would leave its machines running.
    """

    node_role: iam.Role

    def __init__(
        self,
        name: str,
        plan: ElasticMachines,
        *,
        region: str,
        zone: str,
        access: AccessPlan,
        network: Network,
        control_plane: ControlPlane,
        after: list[pulumi.Resource],
        image: str | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the nodes the controller runs on; it never runs on its own machines. image: as in `node_class`."""
        super().__init__("gpucluster:aws:ElasticPools", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        cluster = control_plane.cluster
        role, attachments = node_role(f"{name}-node-role", region, here)
        self.node_role = role
        node_access = eks.AccessEntry(
            f"{name}-node-access",
            cluster_name=cluster.name,
            principal_arn=role.arn,
            type="EC2_LINUX",
            opts=here,
        )
        queue, news = interruption_queue(f"{name}-interruption", here)
        policies = pulumi.Output.all(cluster.name, cluster.arn, role.arn, queue.arn).apply(
            lambda values: controller_policies(
                cluster=values[0], cluster_arn=values[1], node_role_arn=values[2], queue_arn=values[3], region=region
            )
        )
        _, grants = pod_role_of_policies(
            f"{name}-karpenter-role",
            cluster_name=cluster.name,
            namespace=SYSTEM_NAMESPACE,
            service_account=_SERVICE_ACCOUNT,
            policies={suffix: policies[suffix] for suffix in POLICIES},
            opts=here,
        )
        controller = self._controller(
            name,
            cluster,
            queue.name,
            access,
            [*after, *grants, *attachments, node_access, *news],
            overlays=bool(plan.own_prices),
        )
        price_overlays(name, plan, pulumi.ResourceOptions(parent=self, depends_on=[controller]))
        # Karpenter creates an instance profile for a role by the IAM API, which a closed network can't reach.
        # Source: aws/karpenter-provider-aws, getting-started-with-karpenter, private clusters.
        identity: dict[str, pulumi.Input[str]] = {"role": role.name}
        if not access.nat:
            profile = iam.InstanceProfile(f"{name}-node-profile", role=role.name, opts=here)
            identity = {"instanceProfile": profile.name}
        nodes = node_class(
            f"{name}-class",
            object_name=ELASTIC,
            machine_name=f"{name}-node",
            identity=identity,
            subnet_id=network.gpu_subnet_id,
            security_group_ids=[control_plane.security_group_id],
            root_gib=plan.root_gib,
            image=image,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[controller], custom_timeouts=_DRAIN),
        )
        for pool in plan.pools:
            node_pool(
                f"{name}-{pool.name}-pool",
                pool,
                node_class=("karpenter.k8s.aws", EC2_NODE_CLASS.name, ELASTIC),
                machine_types=[plan.shape.machine_type],
                zone=zone,
                zone_label=_ZONE_ID if is_zone_id(zone) else ZONE,
                opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes], custom_timeouts=_DRAIN),
            )
        self.register_outputs({"maxGpus": {pool.name: pool.max_gpus for pool in plan.pools}})

    def _controller(
        self,
        name: str,
        cluster: eks.Cluster,
        queue: pulumi.Input[str],
        access: AccessPlan,
        after: Sequence[pulumi.Resource],
        *,
        overlays: bool,
    ) -> pulumi.Resource:
        """Karpenter, after its CRDs. queue: name of the interruption queue. overlays: whether it reads NodeOverlays, an
        alpha feature (aws/karpenter-provider-aws v1.15.2, charts/karpenter, settings.featureGates.nodeOverlay).
        """
        here = pulumi.ResourceOptions(parent=self)
        definitions = release(
            f"{name}-karpenter-crd",
            KARPENTER_CRD,
            namespace=SYSTEM_NAMESPACE,
            values={},
            after=after,
            opts=here,
        )
        return release(
            f"{name}-karpenter",
            KARPENTER,
            release_name="karpenter",
            namespace=SYSTEM_NAMESPACE,
            skip_crds=True,
            values={
                "settings": {
                    "clusterName": cluster.name,
                    "clusterEndpoint": cluster.endpoint,
                    "interruptionQueue": queue,
                    # The price list has no endpoint inside a network.
                    **({} if access.nat else {"isolatedVPC": True}),
                    **({"featureGates": {"nodeOverlay": True}} if overlays else {}),
                },
                "serviceAccount": {"name": _SERVICE_ACCOUNT},
            },
            registry=access.registry,
            after=[definitions],
            opts=here,
        )


# Source: cloudformation.yaml of the getting-started guide, aws/karpenter-provider-aws v1.14.1.
# suffix of the rule -> source and kind of its events
EVENTS = {
    "health": ("aws.health", "AWS Health Event"),
    "spot": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "rebalance": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "state": ("aws.ec2", "EC2 Instance State-change Notification"),
    "reservation": ("aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
}

_RETENTION_SECONDS = 300
_TARGET_ID = "karpenter"


def interruption_queue(name: str, opts: pulumi.ResourceOptions) -> tuple[sqs.Queue, list[pulumi.Resource]]:
    """The queue, and the resources that fill it, on which others depend."""
    queue = sqs.Queue(
        f"{name}-queue",
        # An older warning is useless: the machine no longer exists.
        message_retention_seconds=_RETENTION_SECONDS,
        sqs_managed_sse_enabled=True,
        opts=opts,
    )
    ready: list[pulumi.Resource] = [
        sqs.QueuePolicy(f"{name}-queue-policy", queue_url=queue.url, policy=queue.arn.apply(_policy), opts=opts)
    ]
    for suffix, (source, kind) in EVENTS.items():
        rule = cloudwatch.EventRule(
            f"{name}-{suffix}",
            description=f"{kind} for Karpenter",
            event_pattern=json.dumps({"source": [source], "detail-type": [kind]}),
            opts=opts,
        )
        ready.append(_target(f"{name}-{suffix}-target", rule, queue, opts))
    return queue, ready


def _target(
    name: str, rule: cloudwatch.EventRule, queue: sqs.Queue, opts: pulumi.ResourceOptions
) -> cloudwatch.EventTarget:
    """The queue as the target of a rule. Without an id, its own long name would be the id, which EventBridge refuses
    above 64 characters; a changed id replaces the target, so existing targets keep theirs.

    Source: Amazon EventBridge API, Target.
    """
    keeps = pulumi.ResourceOptions(ignore_changes=["targetId"])
    return cloudwatch.EventTarget(
        name, rule=rule.name, arn=queue.arn, target_id=_TARGET_ID, opts=pulumi.ResourceOptions.merge(opts, keeps)
    )


def _policy(queue_arn: str) -> str:
    """EventBridge and SQS may send; access without TLS is denied."""
    statements: list[dict[str, Any]] = [
        {
            "Effect": "Allow",
            "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
            "Action": "sqs:SendMessage",
            "Resource": queue_arn,
        },
        {
            "Sid": "DenyHTTP",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sqs:*",
            "Resource": queue_arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        },
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


# Source: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go.
EC2_NODE_CLASS: Final = Kind("karpenter.k8s.aws/v1", "EC2NodeClass")

# Pinned: @latest would replace nodes whenever AWS publishes an image.
# Source: awslabs/amazon-eks-ami, release v20260714.
_IMAGE: Final = "al2023@v20260714"


def node_class(
    name: str,
    *,
    object_name: str,
    machine_name: str,
    identity: Mapping[str, pulumi.Input[str]],
    subnet_id: pulumi.Input[str],
    security_group_ids: Sequence[pulumi.Input[str]],
    root_gib: int,
    image: str | None = None,
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Private machines with encrypted root disks, their NVMe disks as one RAID0, and the Lustre client.

    machine_name: name of its machines in EC2. identity: `role`, or `instanceProfile` if Karpenter can't create one.
    image: the day of the EKS release, by default that of this package.
    """
    spec = {
        **identity,
        # Source: Karpenter documentation, "Managing AMIs".
        "amiSelectorTerms": [{"alias": f"al2023@v{image}" if image else _IMAGE}],
        "subnetSelectorTerms": [{"id": subnet_id}],
        "securityGroupSelectorTerms": [{"id": id_} for id_ in security_group_ids],
        "instanceStorePolicy": "RAID0",
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "rootVolume": True,
                "ebs": {
                    "volumeSize": f"{root_gib}Gi",
                    "volumeType": "gp3",
                    "encrypted": True,
                    "deleteOnTermination": True,
                },
            }
        ],
        "userData": karpenter_user_data(),
        "tags": {"Name": machine_name},
    }
    return Declared(
        name,
        manifest_of(EC2_NODE_CLASS, spec, object_name=object_name),
        opts,
    )

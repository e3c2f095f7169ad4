"""The elastic pool: single-node GPU machines that Karpenter starts for a job and removes after it."""

from __future__ import annotations

from collections.abc import Mapping

import pulumi
from pulumi_aws import eks, iam
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from components.aws.access import AccessPlan
from components.aws.control_plane import ControlPlane
from components.aws.identity import Tagger, node_role, pod_role
from components.aws.karpenter_iam import controller_statements
from components.aws.network import Network
from components.aws.plan import ElasticPlan
from components.aws.user_data import GPU_NODE_SETUP
from components.kubernetes.charts import KARPENTER, KARPENTER_CRD
from components.kubernetes.images import image_values
from components.kubernetes.karpenter import node_pool
from components.kubernetes.release import release

__all__ = ["ElasticPool"]

# Pinned: @latest would replace nodes whenever AWS publishes an image.
# Source: awslabs/amazon-eks-ami, release v20260714.
_IMAGE = "al2023@v20260714"

_NAMESPACE = "kube-system"
_SERVICE_ACCOUNT = "karpenter"


class ElasticPool(pulumi.ComponentResource):
    """One Karpenter release, one node class, one node pool.

    Destroyed in the opposite order: pool, class, controller, definitions, permissions. A controller that goes first
    leaves its machines running.
    """

    def __init__(
        self,
        name: str,
        plan: ElasticPlan,
        *,
        region: str,
        zone: str,
        access: AccessPlan,
        network: Network,
        control_plane: ControlPlane,
        after: list[pulumi.Resource],
        labels: Mapping[str, str],
        tags: Tagger,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the nodes the controller runs on; it never runs on its own."""
        super().__init__("gpucluster:aws:ElasticPool", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        cluster = control_plane.cluster
        role, attachments = node_role(f"{name}-node-role", tags, here)
        node_access = eks.AccessEntry(
            f"{name}-node-access",
            cluster_name=cluster.name,
            principal_arn=role.arn,
            type="EC2_LINUX",
            tags=tags(f"{name}-node-access"),
            opts=here,
        )
        statements = pulumi.Output.all(cluster.name, cluster.arn, role.arn).apply(
            lambda values: controller_statements(
                cluster=values[0], cluster_arn=values[1], node_role_arn=values[2], region=region
            )
        )
        _, grants = pod_role(
            f"{name}-karpenter-role",
            cluster_name=cluster.name,
            namespace=_NAMESPACE,
            service_account=_SERVICE_ACCOUNT,
            statements=statements,
            tags=tags,
            opts=here,
        )
        definitions = release(
            f"{name}-karpenter-crd", KARPENTER_CRD, namespace=_NAMESPACE, values={}, after=after, opts=here
        )
        controller = release(
            f"{name}-karpenter",
            KARPENTER,
            release_name="karpenter",
            namespace=_NAMESPACE,
            skip_crds=True,
            values={
                "settings": {
                    "clusterName": cluster.name,
                    "clusterEndpoint": cluster.endpoint,
                    # The price list has no endpoint inside a network.
                    **({} if access.nat else {"isolatedVPC": True}),
                },
                "serviceAccount": {"name": _SERVICE_ACCOUNT},
                **image_values(KARPENTER, access.registry),
            },
            after=[definitions, *grants, *attachments, node_access],
            opts=here,
        )
        # Karpenter makes an instance profile of a role by the IAM API, which a closed network can't reach.
        # Source: aws/karpenter-provider-aws, getting-started-with-karpenter, private clusters.
        identity: dict[str, pulumi.Input[str]] = {"role": role.name}
        if not access.nat:
            profile = iam.InstanceProfile(
                f"{name}-node-profile", role=role.name, tags=tags(f"{name}-node-profile"), opts=here
            )
            identity = {"instanceProfile": profile.name}
        nodes = CustomResource(
            f"{name}-class",
            api_version="karpenter.k8s.aws/v1",
            kind="EC2NodeClass",
            metadata=ObjectMetaArgs(name="elastic", labels=dict(labels)),
            spec={
                **identity,
                "amiSelectorTerms": [{"alias": _IMAGE}],
                "subnetSelectorTerms": [{"id": network.gpu_subnet_id}],
                "securityGroupSelectorTerms": [{"id": control_plane.security_group_id}],
                "instanceStorePolicy": "RAID0",
                "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
                "blockDeviceMappings": [
                    {
                        "deviceName": "/dev/xvda",
                        "rootVolume": True,
                        "ebs": {
                            "volumeSize": f"{plan.root_gib}Gi",
                            "volumeType": "gp3",
                            "encrypted": True,
                            "deleteOnTermination": True,
                        },
                    }
                ],
                # Karpenter adds the node's own configuration, the RAID among it, to a plain script.
                "userData": GPU_NODE_SETUP,
                "tags": tags(f"{name}-node"),
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=[controller]),
        )
        node_pool(
            f"{name}-pool",
            object_name="elastic",
            node_class=("karpenter.k8s.aws", "EC2NodeClass", "elastic"),
            machine_types=[plan.shape.machine_type],
            capacity_types=plan.capacity_types,
            zone=zone,
            max_gpus=plan.max_gpus,
            expected_gpus=plan.expected_gpus,
            labels=labels,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes]),
        )
        self.register_outputs({"nodePool": "elastic", "maxGpus": plan.max_gpus})

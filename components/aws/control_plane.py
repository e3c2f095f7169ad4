"""The EKS control plane and the add-ons that need no node."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pulumi
from pulumi_aws import eks

from components.aws.addon import addon
from components.aws.identity import Tagger, service_role

__all__ = ["ControlPlane"]


class ControlPlane(pulumi.ComponentResource):
    """Outputs: cluster_name, security_group_id (of control plane and nodes), kubeconfig.

    The kubeconfig holds no credential: it asks `aws eks get-token` for one at each use.
    """

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    cluster: eks.Cluster
    addons: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        version: str,
        region: str,
        api_cidrs: Sequence[str],
        subnet_ids: Sequence[pulumi.Input[str]],
        tags: Tagger,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """api_cidrs: ranges that may reach the API over the internet; none closes it to the network's inside."""
        super().__init__("gpucluster:aws:ControlPlane", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        role, attachments = service_role(
            f"{name}-role", "eks.amazonaws.com", {"cluster": "AmazonEKSClusterPolicy"}, tags, here
        )
        self.cluster = eks.Cluster(
            f"{name}-cluster",
            role_arn=role.arn,
            version=version,
            # Standard support only: extended support costs six times as much and starts by itself otherwise.
            upgrade_policy=eks.ClusterUpgradePolicyArgs(support_type="STANDARD"),
            vpc_config=eks.ClusterVpcConfigArgs(
                subnet_ids=list(subnet_ids),
                endpoint_private_access=True,
                endpoint_public_access=bool(api_cidrs),
                public_access_cidrs=list(api_cidrs) or None,
            ),
            # Access entries only: the aws-auth config map can lock everyone out by a typing mistake.
            access_config=eks.ClusterAccessConfigArgs(
                authentication_mode="API", bootstrap_cluster_creator_admin_permissions=True
            ),
            bootstrap_self_managed_addons=False,
            enabled_cluster_log_types=["api", "audit", "authenticator"],
            tags=tags(f"{name}-cluster"),
            opts=pulumi.ResourceOptions(parent=self, depends_on=attachments),
        )
        self.addons = [
            addon(f"{name}-{suffix}", addon_name, cluster_name=self.cluster.name, tags=tags, opts=here)
            for suffix, addon_name in (
                ("vpc-cni", "vpc-cni"),
                ("kube-proxy", "kube-proxy"),
                ("pod-identity", "eks-pod-identity-agent"),
            )
        ]
        self.cluster_name = self.cluster.name
        self.endpoint = self.cluster.endpoint
        self.security_group_id = self.cluster.vpc_config.cluster_security_group_id
        self.kubeconfig = pulumi.Output.all(
            self.cluster.name, self.cluster.endpoint, self.cluster.certificate_authority.data
        ).apply(lambda values: _kubeconfig(region, *values))
        self.register_outputs(
            {
                "clusterName": self.cluster_name,
                "endpoint": self.endpoint,
                "securityGroupId": self.security_group_id,
                "kubeconfig": self.kubeconfig,
            }
        )


def _kubeconfig(region: str, cluster: str, endpoint: str, certificate: str) -> str:
    """A kubeconfig, as JSON, which is YAML too."""
    token = ["--region", region, "eks", "get-token", "--cluster-name", cluster, "--output", "json"]
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": cluster,
            "clusters": [{"name": cluster, "cluster": {"server": endpoint, "certificate-authority-data": certificate}}],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "users": [
                {
                    "name": cluster,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "aws",
                            "args": token,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

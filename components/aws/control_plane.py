"""The EKS control plane, the key for its secrets, and its add-ons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_aws import cloudwatch, ec2, eks, iam, kms, vpc

from gpucluster.components.aws.identity import admin_access, pod_role, service_role
from gpucluster.components.aws.planning.access import AccessPlan
from gpucluster.components.aws.planning.addon_builds import AddonBuilds
from gpucluster.components.planning.names import SYSTEM_NAMESPACE

_LOG_RETENTION_DAYS: Final = 90

# Nodes allocate addresses in blocks of 16: pods start sooner, and a p5.48xlarge has addresses for more than 51 of them.
# Source: Amazon EKS best practices, prefix mode for Linux; awslabs/amazon-eks-ami issue 1392.
# Without enableNetworkPolicy, NetworkPolicies are not enforced. Source: Amazon EKS user guide,
# cni-network-policy-configure.
_NETWORK_PLUGIN: Final = {"env": {"ENABLE_PREFIX_DELEGATION": "true"}, "enableNetworkPolicy": "true"}


class ControlPlane(pulumi.ComponentResource):
    """Outputs: cluster_name, security_group_id (of control plane and nodes), kubeconfig.

    before_nodes: prerequisites for a node to join: the add-ons that nodes need, and the network's routes out.

    The kubeconfig holds no credential: it runs `aws eks get-token` at each use, as the user's own identity.
    provider_kubeconfig: as the role that `up` assumes, which is an admin; never an output.
    """

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    security_group_id: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    provider_kubeconfig: pulumi.Output[str]
    cluster: eks.Cluster
    region: str
    builds: AddonBuilds
    before_nodes: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        cluster_name: str,
        version: str,
        builds: AddonBuilds,
        extended: bool = False,
        region: str,
        role: str | None,
        access: AccessPlan,
        vpc_id: pulumi.Input[str],
        subnet_ids: Sequence[pulumi.Input[str]],
        service_cidr: str | None,
        existing_key: str | None,
        nodes_after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """role: ARN of the role that `up` assumes, an admin of the cluster. service_cidr: range of services; None if
        EKS chooses it. existing_key: ARN of the key for secrets; None to create one. nodes_after: parts of the network
        that nodes need to join.
        """
        super().__init__("gpucluster:aws:ControlPlane", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        own, attachments = service_role(
            f"{name}-role", "eks.amazonaws.com", {"cluster": "AmazonEKSClusterPolicy"}, region, here
        )
        key, key_use = secrets_key(f"{name}-secrets", existing_key, own.name, here)
        # Created before the cluster: EKS would create a log group that keeps logs forever and is never deleted.
        logs = cloudwatch.LogGroup(
            f"{name}-logs",
            name=f"/aws/eks/{cluster_name}/cluster",
            retention_in_days=_LOG_RETENTION_DAYS,
            opts=here,
        )
        clients = _client_group(f"{name}-api", vpc_id, access.client_cidrs, here) if access.client_cidrs else None
        self.cluster = eks.Cluster(
            f"{name}-cluster",
            name=cluster_name,
            role_arn=own.arn,
            version=version,
            # Standard support by default: extended support costs six times as much and starts automatically if not set.
            upgrade_policy=eks.ClusterUpgradePolicyArgs(support_type="EXTENDED" if extended else "STANDARD"),
            vpc_config=eks.ClusterVpcConfigArgs(
                subnet_ids=list(subnet_ids),
                endpoint_private_access=True,
                endpoint_public_access=bool(access.public_cidrs),
                public_access_cidrs=list(access.public_cidrs) or None,
                security_group_ids=None if clients is None else [clients.id],
            ),
            kubernetes_network_config=(
                eks.ClusterKubernetesNetworkConfigArgs(service_ipv4_cidr=service_cidr) if service_cidr else None
            ),
            encryption_config=eks.ClusterEncryptionConfigArgs(
                provider=eks.ClusterEncryptionConfigProviderArgs(key_arn=key), resources=["secrets"]
            ),
            # Access entries only: a typo in the aws-auth config map can lock everyone out.
            access_config=eks.ClusterAccessConfigArgs(
                authentication_mode="API", bootstrap_cluster_creator_admin_permissions=True
            ),
            bootstrap_self_managed_addons=False,
            enabled_cluster_log_types=["api", "audit", "authenticator"],
            # The name is in use until the old cluster is deleted.
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[*attachments, key_use, logs], delete_before_replace=True
            ),
        )
        admin_access(f"{name}-admin", access.admins, self.cluster.name, here)
        self.region, self.builds = region, builds
        self.before_nodes = [*self._addons(name), *nodes_after]
        self._set_outputs(role)

    def _addons(self, name: str) -> list[pulumi.Resource]:
        """The add-ons that nodes need to join."""
        return [
            addon(
                f"{name}-{suffix}",
                addon_name,
                cluster_name=self.cluster.name,
                builds=self.builds,
                configuration=configuration,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for suffix, addon_name, configuration in (
                ("vpc-cni", "vpc-cni", _NETWORK_PLUGIN),
                ("kube-proxy", "kube-proxy", None),
                ("pod-identity", "eks-pod-identity-agent", None),
            )
        ]

    def _set_outputs(self, role: str | None) -> None:
        self.cluster_name = self.cluster.name
        self.endpoint = self.cluster.endpoint
        self.security_group_id = self.cluster.vpc_config.cluster_security_group_id
        found = pulumi.Output.all(self.cluster.name, self.cluster.endpoint, self.cluster.certificate_authority.data)
        self.kubeconfig = found.apply(lambda values: _kubeconfig(self.region, None, *values))
        self.provider_kubeconfig = found.apply(lambda values: _kubeconfig(self.region, role, *values))
        self.register_outputs(
            {
                "clusterName": self.cluster_name,
                "endpoint": self.endpoint,
                "securityGroupId": self.security_group_id,
                "kubeconfig": self.kubeconfig,
            }
        )


def _client_group(
    name: str, vpc_id: pulumi.Input[str], cidrs: Sequence[str], opts: pulumi.ResourceOptions
) -> ec2.SecurityGroup:
    """A security group that admits these ranges to the private endpoint; the cluster's own admits only nodes."""
    group = ec2.SecurityGroup(name, vpc_id=vpc_id, description="Clients of the Kubernetes API", opts=opts)
    for cidr in cidrs:
        full = f"{name}-{cidr.replace('.', '-').replace('/', '-')}"
        vpc.SecurityGroupIngressRule(
            full,
            security_group_id=group.id,
            cidr_ipv4=cidr,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            description="Kubernetes API",
            opts=opts,
        )
    return group


def _kubeconfig(region: str, role: str | None, cluster: str, endpoint: str, certificate: str) -> str:
    """A kubeconfig as JSON, which is also valid YAML."""
    token = ["--region", region, "eks", "get-token", "--cluster-name", cluster, "--output", "json"]
    token += ["--role-arn", role] if role else []
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


def secrets_key(
    name: str, existing: str | None, role_name: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], iam.RolePolicy]:
    """The ARN of a key with yearly rotation, and the control plane's permission to use only this key.

    EKS can't remove the key from a cluster: a deleted key makes its secrets unreadable forever. So a deletion waits the
    longest time, 30 days, during which the key costs nothing. existing: ARN of a key to use instead.
    """
    key = existing or _key(name, opts).arn
    # Source: terraform-aws-modules/terraform-aws-eks v21, cluster encryption policy.
    statement = {
        "Effect": "Allow",
        "Action": ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"],
        "Resource": key,
    }
    use = iam.RolePolicy(
        f"{name}-use",
        role=role_name,
        policy=pulumi.Output.json_dumps({"Version": "2012-10-17", "Statement": [statement]}),
        opts=opts,
    )
    return key, use


def _key(name: str, opts: pulumi.ResourceOptions) -> kms.Key:
    return kms.Key(
        name,
        description="Kubernetes secrets of one EKS cluster",
        enable_key_rotation=True,
        deletion_window_in_days=30,
        opts=opts,
    )


def addon(
    name: str,
    addon_name: str,
    *,
    cluster_name: pulumi.Input[str],
    builds: AddonBuilds,
    opts: pulumi.ResourceOptions,
    configuration: Mapping[str, Any] | None = None,
) -> eks.Addon:
    """An add-on in its build, or in the one that EKS chooses or chose before; keeps later changes of users."""
    return eks.Addon(
        name,
        cluster_name=cluster_name,
        addon_name=addon_name,
        addon_version=builds.get(addon_name),
        configuration_values=None if configuration is None else json.dumps(configuration),
        resolve_conflicts_on_create="OVERWRITE",
        resolve_conflicts_on_update="PRESERVE",
        # A cluster has one add-on of a name.
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(delete_before_replace=True)),
    )


def csi_driver(
    name: str,
    file_system: str,
    *,
    reads: Mapping[str, Sequence[str]],
    cluster_name: pulumi.Input[str],
    builds: AddonBuilds,
    after: list[pulumi.Resource],
    parent: pulumi.Resource,
) -> eks.Addon:
    """The add-on, and a role that lets its controller read but not create.

    file_system: `efs` or `fsx`. reads: ARN, or `*` if IAM has none for an action -> the actions it needs.
    after: the nodes its controller runs on.
    """
    role, grants = pod_role(
        f"{name}-role",
        cluster_name=cluster_name,
        namespace=SYSTEM_NAMESPACE,
        service_account=f"{file_system}-csi-controller-sa",
        statements=[
            {"Effect": "Allow", "Action": list(actions), "Resource": resource} for resource, actions in reads.items()
        ],
        opts=pulumi.ResourceOptions(parent=parent),
    )
    return addon(
        name,
        f"aws-{file_system}-csi-driver",
        cluster_name=cluster_name,
        builds=builds,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[role, *grants, *after]),
    )

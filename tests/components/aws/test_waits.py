"""In every AWS example, each resource waits for the roles, rules, routes and registrations that AWS wants first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import pytest

from tests.components.waiting import KUBERNETES, Graph, Registered, Wait, early, graphs

pytestmark = pytest.mark.slow

CLUSTER: Final = "aws:eks/cluster:Cluster"
NODES: Final = "aws:eks/nodeGroup:NodeGroup"
ADDON: Final = "aws:eks/addon:Addon"
ASSOCIATION: Final = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ACCESS: Final = "aws:eks/accessEntry:AccessEntry"
DAEMON_SET: Final = "kubernetes:apps/v1:DaemonSet"
RELEASE: Final = "kubernetes:helm.sh/v3:Release"
NODE_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
ROLE: Final = "aws:iam/role:Role"
GRANTS: Final = ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "aws:iam/rolePolicy:RolePolicy")
RULES: Final = (
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
)
ROUTE: Final = "aws:ec2/route:Route"
ROUTED: Final = "aws:ec2/routeTableAssociation:RouteTableAssociation"
ENDPOINT: Final = "aws:ec2/vpcEndpoint:VpcEndpoint"

BEFORE_NODES: Final = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
# Add-on -> service accounts of kube-system that its pods ask EKS Pod Identity for a role with.
# Sources: Amazon EKS user guide, workloads-add-ons-available-eks; aws/amazon-vpc-cni-k8s charts/aws-vpc-cni.
ACCOUNTS: Final = {
    "vpc-cni": "aws-node",
    "aws-ebs-csi-driver": "ebs-csi-controller-sa",
    "aws-fsx-csi-driver": "fsx-csi-controller-sa",
    "aws-efs-csi-driver": "efs-csi-controller-sa",
}
# Add-ons whose pods stay pending until a node without a taint is there. Source: the same.
ON_NODES: Final = ("coredns", "aws-ebs-csi-driver", "aws-fsx-csi-driver", "aws-efs-csi-driver")


def granted(graph: Graph, roles: Iterable[Registered]) -> list[Registered]:
    """What gives these roles their rights, but for that of nodes to make repositories of caches: they join without."""
    found = [grant for role in roles if role.type == ROLE for grant in graph.users(role, "role", *GRANTS)]
    return [grant for grant in found if not grant.urn.endswith("-caches")]


def of_roles(property_: str) -> Callable[[Graph, Registered], list[Registered]]:
    return lambda graph, item: granted(graph, graph.sources(item, property_))


def of_the_account(graph: Graph, account: object, namespace: object) -> list[Registered]:
    """The association of a service account, and the rights of its role."""
    found = [
        item
        for item in graph.of(ASSOCIATION)
        if (item.inputs["namespace"], item.inputs["serviceAccount"]) == (namespace, account)
    ]
    return [*found, *(grant for item in found for grant in granted(graph, graph.sources(item, "roleArn")))]


def of_an_addon(graph: Graph, item: Registered) -> list[Registered]:
    return of_the_account(graph, ACCOUNTS.get(item.inputs["addonName"]), "kube-system")


def of_a_release(graph: Graph, item: Registered) -> list[Registered]:
    account = item.inputs["values"].get("serviceAccount", {}).get("name")
    return of_the_account(graph, account, item.inputs["namespace"])


def open_nodes(graph: Graph, item: Registered) -> list[Registered]:
    """The nodes that take any pod."""
    if item.type == ADDON and item.inputs["addonName"] not in ON_NODES:
        return []
    return [nodes for nodes in graph.of(NODES) if not nodes.inputs.get("taints")]


def egress(graph: Graph, item: Registered) -> list[Registered]:
    """What leads from the subnets of an item to AWS's services: routes, or endpoints."""
    subnets = graph.sources(item, "subnetIds", "spec")
    routed = [one for subnet in subnets for one in graph.users(subnet, "subnetId", ROUTED)]
    tables = {table.urn: table for one in routed for table in graph.sources(one, "routeTableId")}
    routes = [route for table in tables.values() for route in graph.users(table, "routeTableId", ROUTE)]
    return [*routed, *routes, *graph.of(ENDPOINT)]


def rules_of(graph: Graph, item: Registered) -> list[Registered]:
    """The rules of the security groups of an item's own interfaces."""
    groups = graph.sources(item, "securityGroupIds", "securityGroups")
    return [rule for group in groups for rule in graph.users(group, "securityGroupId", *RULES)]


def addons_before_nodes(graph: Graph, _: Registered) -> list[Registered]:
    return [addon for addon in graph.of(ADDON) if addon.inputs["addonName"] in BEFORE_NODES]


def log_group(graph: Graph, item: Registered) -> list[Registered]:
    wanted = f"/aws/eks/{item.inputs['name']}/cluster"
    return [group for group in graph.of("aws:cloudwatch/logGroup:LogGroup") if group.inputs.get("name") == wanted]


def entry_of_role(graph: Graph, item: Registered) -> list[Registered]:
    roles = [role for role in graph.sources(item, "spec") if role.type == ROLE]
    profiles = [one for one in graph.sources(item, "spec") if one.type == "aws:iam/instanceProfile:InstanceProfile"]
    roles += [role for profile in profiles for role in graph.sources(profile, "role")]
    entries = [entry for role in roles for entry in graph.users(role, "principalArn", ACCESS)]
    return [*entries, *granted(graph, roles)]


def the_cluster(graph: Graph, _: Registered) -> list[Registered]:
    return graph.of(CLUSTER)


def gateways(graph: Graph, _: Registered) -> list[Registered]:
    return graph.of("aws:ec2/internetGateway:InternetGateway")


RULES_OF_AWS: Final = (
    Wait(
        of=CLUSTER,
        what=of_roles("roleArn"),
        why="EKS acts by its role from the first minute (EKS user guide, cluster-iam-role)",
    ),
    Wait(of=CLUSTER, what=log_group, why="EKS makes the log group itself, kept for ever (control-plane-logs)"),
    Wait(of=NODES, what=of_roles("nodeRoleArn"), why="nodes that may not join end as NodeCreationFailure"),
    Wait(of=NODES, what=addons_before_nodes, why="a node is ready with its network plugin (managing-add-ons)"),
    Wait(of=NODES, what=egress, why="a node without a way to the services of AWS does not join"),
    Wait(of=ADDON, what=of_an_addon, why="a pod gets no role where it started before its association (pod-id-how)"),
    Wait(of=ADDON, what=open_nodes, why="its pods have no node, and EKS calls it degraded"),
    Wait(of=RELEASE, what=of_a_release, why="a pod gets no role where it started before its association"),
    Wait(of=RELEASE, what=open_nodes, why="it waits for its pods, which have no node"),
    Wait(of="kubernetes:*", what=the_cluster, why="there is no API server"),
    Wait(of=NODE_CLASS, what=entry_of_role, why="machines of Karpenter may not join (getting started)"),
    Wait(of=NODE_CLASS, what=egress, why="a machine without a way to the services of AWS does not join"),
    Wait(
        of="aws:fsx/lustreFileSystem:LustreFileSystem",
        what=rules_of,
        why="FSx looks at the group when it makes the file system (cannot-create-fs)",
    ),
    Wait(of="aws:efs/mountTarget:MountTarget", what=rules_of, why="a mount before the rule hangs"),
    Wait(
        of="aws:ec2/flowLog:FlowLog",
        what=of_roles("iamRoleArn"),
        why="its first deliveries are refused (flow-logs-iam-role)",
    ),
    Wait(of="aws:ec2/natGateway:NatGateway", what=gateways, why="EC2 wants the gateway attached (nat-gateway-working)"),
)


def test_every_resource_waits_for_what_aws_wants_first() -> None:
    assert [line for graph in graphs("aws") for line in early(graph, [*RULES_OF_AWS, *KUBERNETES])] == []


def test_no_rule_is_without_a_case() -> None:
    assert [rule for rule in RULES_OF_AWS if not any(rule.pairs(graph) for graph in graphs("aws"))] == []


def test_every_association_is_waited_for_by_what_runs_with_its_role() -> None:
    lonely = [
        f"{graph.example}: {item.name}"
        for graph in graphs("aws")
        for item in graph.of(ASSOCIATION)
        if not any(graph.waits(other, item) for other in graph.of(ADDON, RELEASE, DAEMON_SET))
    ]
    assert lonely == []

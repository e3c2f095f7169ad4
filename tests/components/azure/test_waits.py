"""In every Azure example, each resource waits for the roles, subnets, pools and software that Azure wants first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.components.waiting import KUBERNETES, Graph, Registered, Wait, early, graphs

pytestmark = pytest.mark.slow

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
POOL: Final = "azure-native:containerservice:AgentPool"
ROLE: Final = "azure-native:authorization:RoleAssignment"
SUBNET: Final = "azure-native:network:Subnet"
LUSTRE: Final = "azure-native:storagecache:AmlFilesystem"
PROVIDER: Final = "pulumi:providers:kubernetes"
RELEASE: Final = "kubernetes:helm.sh/v3:Release"

CLUSTER_USER: Final = "4abbcc35-e782-43d8-92c5-2d3f1bd2253f"
"""Azure Kubernetes Service Cluster User Role (Azure built-in roles)."""

Others = Callable[[Graph, Registered], list[Registered]]


def all_of(*types: str) -> Others:
    return lambda graph, _: graph.of(*types)


def roles_of_its_identity(graph: Graph, item: Registered) -> list[Registered]:
    identities = graph.sources(item, "identity")
    return [role for identity in identities for role in graph.users(identity, "principalId", ROLE)]


def roles_in_the_cluster(graph: Graph, _: Registered) -> list[Registered]:
    """Those of who runs the program; others may only find the cluster and log in to it."""
    roles = [role for cluster in graph.of(CLUSTER) for role in graph.users(cluster, "scope", ROLE)]
    return [role for role in roles if not role.inputs["roleDefinitionId"].endswith(CLUSTER_USER)]


def registered_before(type_: str) -> Others:
    """Those of a type that come earlier in the program."""

    def found(graph: Graph, item: Registered) -> list[Registered]:
        alike = graph.of(type_)
        return alike[: alike.index(item)]

    return found


def software(graph: Graph, _: Registered) -> list[Registered]:
    return [one for one in graph.of(RELEASE) if one.inputs["name"] in ("gpu-operator", "network-operator")]


RULES_OF_AZURE: Final = (
    Wait(
        of=CLUSTER,
        what=roles_of_its_identity,
        why="AKS joins the subnet by its identity (AKS documentation, configure-azure-cni)",
    ),
    Wait(of=CLUSTER, what=all_of(SUBNET), why="a network makes one change at a time (AnotherOperationInProgress)"),
    Wait(of=SUBNET, what=registered_before(SUBNET), why="a network makes one change at a time"),
    Wait(of=LUSTRE, what=all_of(SUBNET), why="a network makes one change at a time"),
    Wait(of=POOL, what=registered_before(POOL), why="SetVNetOwnershipFailed (Azure/AKS issue 4522)"),
    Wait(of=POOL, what=software, why="GPU nodes cost while nothing makes them usable"),
    Wait(of=PROVIDER, what=all_of(CLUSTER), why="there is no API server"),
    Wait(of="kubernetes:*", what=all_of(CLUSTER), why="there is no API server"),
    Wait(of="kubernetes:*", what=roles_in_the_cluster, why="who made the cluster has no rights in it (Forbidden)"),
)


def test_every_resource_waits_for_what_azure_wants_first() -> None:
    assert [line for graph in graphs("azure") for line in early(graph, [*RULES_OF_AZURE, *KUBERNETES])] == []


def test_no_rule_is_without_a_case() -> None:
    assert [rule for rule in RULES_OF_AZURE if not any(rule.pairs(graph) for graph in graphs("azure"))] == []

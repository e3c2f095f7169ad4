"""Refusals of a Kubernetes API server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.clusters import cluster_at
from gpucluster.sandbox.clouds.kubernetes.definitions import is_defined
from gpucluster.sandbox.clouds.kubernetes.gke import namespaces_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, name_of, namespace_of, object_id
from gpucluster.sandbox.clouds.ledger import Entry, Ledger

_NAMESPACE: Final = "kubernetes:core/v1:Namespace"
_AKS_ADMIN: Final = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"
"""Azure Kubernetes Service RBAC Cluster Admin (Azure built-in roles documentation)."""
_BUILT_IN: Final = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Initial namespaces of every cluster (Kubernetes documentation, "Namespaces")."""


def check_reachable(ledger: Ledger, server: str) -> None:
    """The cluster of the kubeconfig must exist; the message is the real provider's for an unreachable endpoint."""
    if cluster_at(ledger, server) is None:
        raise CloudError(
            "configured Kubernetes cluster is unreachable: unable to load schema information from the API server: "
            f'Get "{server}/openapi/v2?timeout=32s": no such cluster in the sandbox; '
            "was it deleted? `gpucluster sandbox status` lists what exists"
        )


def check_rights(resource: Resource, ledger: Ledger, server: str, ineffective: Sequence[Entry]) -> None:
    """Azure decides who may do what in a cluster of AKS, once it knows the role (Azure/guard authz/providers/azure)."""
    cluster = cluster_at(ledger, server)
    for entry in ineffective if cluster is not None else ():
        role = str(entry.inputs.get("roleDefinitionId")).rpartition("/")[2]
        if cluster is not None and role == _AKS_ADMIN and cluster.id.lower() == str(entry.inputs["scope"]).lower():
            raise CloudError(
                f'"{object_id(resource.inputs)}" is forbidden: User "{entry.inputs["principalId"]}" cannot create '
                "resource: User does not have access to the resource in Azure. Update role assignment to allow access."
            )


def check_namespace(resource: Resource, ledger: Ledger, server: str) -> None:
    """An object needs its namespace (API server, NamespaceLifecycle admission: `namespaces "x" not found`).

    A Helm release may create it.
    """
    namespace = namespace_of(resource.inputs)
    if not namespace or namespace in _BUILT_IN | namespaces_of(cluster_at(ledger, server)):
        return
    if resource.token == RELEASE and resource.inputs.get("createNamespace") is True:
        return
    if ledger.get("kubernetes", server, _NAMESPACE, namespace) is None and not _created_by_release(
        ledger, server, namespace
    ):
        raise CloudError(f'resource "{object_id(resource.inputs)}" was not created: namespaces "{namespace}" not found')


def check_definition(resource: Resource, ledger: Ledger, server: str) -> None:
    """A custom object needs the definition of its kind (client-go RESTMapper, `no matches for kind`)."""
    if not resource.type.open:
        return
    group_version, kind = resource.token.removeprefix("kubernetes:").rsplit(":", 1)
    group = group_version.split("/")[0]
    if not is_defined(ledger, server, group, kind):
        raise CloudError(
            f'resource "{object_id(resource.inputs)}" was not created: no matches for kind "{kind}" in version '
            f'"{group_version}": its definition is not in the cluster; make it depend on what brings it'
        )


def _created_by_release(ledger: Ledger, server: str, namespace: str) -> bool:
    releases = (entry.inputs for entry in ledger.mentioning({RELEASE}, namespace) if entry.scope == server)
    return any(inputs.get("createNamespace") is True and namespace_of(inputs) == namespace for inputs in releases)


def check_name_is_free(resource: Resource, ledger: Ledger, server: str) -> None:
    """A name is unique per kind and namespace (API server, AlreadyExists; Helm, "cannot re-use a name")."""
    id_ = object_id(resource.inputs)
    if ledger.get("kubernetes", server, resource.token, id_) is None:
        return
    if resource.token == RELEASE:
        raise CloudError(f"cannot re-use a name that is still in use: release {id_}")
    kind = resource.token.rsplit(":", 1)[-1]
    raise CloudError(
        f'resource "{id_}" was not successfully created by the Kubernetes API server: '
        f'{kind.lower()}s "{name_of(resource.inputs)}" already exists'
    )

"""The functions with an answer that needs no account; all others report that they are not simulated."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import NAMESPACE_DNS, uuid5

import yaml

from gpucluster.sandbox.clouds.azure.model import tenant_of, with_same_id
from gpucluster.sandbox.clouds.cloud import CloudError, UnansweredError
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

_FEATURE: Final = "azure-native:features:SubscriptionFeatureRegistration"


def feature(args: Mapping[str, Any], subscription: str, ledger: Ledger) -> Mapping[str, Any]:
    """Azure's answer for a feature, including an unregistered one."""
    namespace, name = str(args.get("providerNamespace")), str(args.get("featureName"))
    id_ = (
        f"/subscriptions/{subscription}/providers/Microsoft.Features/featureProviders/{namespace}"
        f"/subscriptionFeatureRegistrations/{name}"
    )
    found = with_same_id(ledger, id_, {_FEATURE})
    properties = feature_properties(subscription, namespace, name) if found is None else found.outputs["properties"]
    kind = "Microsoft.Features/featureProviders/subscriptionFeatureRegistrations"
    return {"id": id_, "name": name, "type": kind, "properties": properties}


def feature_properties(subscription: str, namespace: str, name: str) -> dict[str, Any]:
    """Registered by default; in a new subscription most are NotRegistered."""
    return {
        "approvalType": "AutoApproval",
        "displayName": name,
        "featureName": name,
        "providerNamespace": namespace,
        "state": "Registered",
        "subscriptionId": subscription,
        "tenantId": tenant_of(subscription),
    }


_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_CERTIFICATE: Final = base64.b64encode(b"this certificate belongs to the sandbox and certifies nothing").decode()

# The applications of every AKS cluster with Entra ID (Azure/kubelogin README, "AKS AAD Server" and "AKS AAD Client").
_SERVER_APPLICATION: Final = "6dae42f8-4368-4678-94ff-3960e28e3630"
_CLIENT_APPLICATION: Final = "80faf920-1908-4b52-b5ef-a8e7bedfc67a"


def answer(token: str, args: Mapping[str, Any], subscription: str, tenant: str, ledger: Ledger) -> Mapping[str, Any]:
    """The function's answer for the simulated subscription."""
    match token.rsplit(":", 1)[-1]:
        case "getClientConfig":
            principal = _unknown_principal(subscription)
            return {"clientId": principal, "objectId": principal, "subscriptionId": subscription, "tenantId": tenant}
        case "getClientToken":
            return {"token": _token(_unknown_principal(subscription), tenant)}
        case "getSubscriptionFeatureRegistration":
            return feature(args, subscription, ledger)
        case "getRoleAssignment":
            return _assignment(args, ledger)
        case "listManagedClusterUserCredentials":
            cluster = _cluster(args, subscription, ledger)
            return _credentials("clusterUser", _kubeconfig(cluster, "clusterUser", tenant, admin=False))
        case "listManagedClusterAdminCredentials":
            cluster = _cluster(args, subscription, ledger)
            if cluster.inputs.get("disableLocalAccounts") is True:
                message = (
                    "Getting static credential is not allowed because this cluster is set to disable local accounts."
                )
                raise _refused(cluster.id, 400, "BadRequest", message)
            return _credentials("clusterAdmin", _kubeconfig(cluster, "clusterAdmin", tenant, admin=True))
        case _:
            raise UnansweredError(token)


def _assignment(args: Mapping[str, Any], ledger: Ledger) -> Mapping[str, Any]:
    name = str(args["roleAssignmentName"])
    id_ = f"/{str(args['scope']).strip('/')}/providers/Microsoft.Authorization/roleAssignments/{name}"
    found = with_same_id(ledger, id_, {"azure-native:authorization:RoleAssignment"})
    if found is None:
        raise _refused(id_, 404, "RoleAssignmentNotFound", f"The role assignment '{name}' is not found.")
    return {**found.outputs, "id": found.id}


def _unknown_principal(subscription: str) -> str:
    """The object id of the logged-in user."""
    return str(uuid5(NAMESPACE_DNS, f"client.{subscription}"))


def _token(person: str, tenant: str) -> str:
    """A user's token in its real form, but without a signature, so it is useless."""
    claims = {"oid": person, "scp": "user_impersonation", "tid": tenant}
    parts = (base64.urlsafe_b64encode(json.dumps(part).encode()) for part in ({"alg": "none"}, claims))
    return ".".join([*(part.decode().rstrip("=") for part in parts), ""])


def _cluster(args: Mapping[str, Any], subscription: str, ledger: Ledger) -> Entry:
    group, name = args.get("resourceGroupName"), args.get("resourceName")
    path = f"/subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.ContainerService"
    id_ = f"{path}/managedClusters/{name}"
    found = with_same_id(ledger, id_, {_CLUSTER})
    if found is None:
        message = (
            f"The Resource 'Microsoft.ContainerService/managedClusters/{name}' under resource group '{group}' was not "
            "found."
        )
        raise _refused(id_, 404, "ResourceNotFound", message)
    return found


def _refused(id_: str, status: int, code: str, message: str) -> CloudError:
    return CloudError(f'request failed {id_}: Status={status} Code="{code}" Message="{message}"')


def _credentials(name: str, kubeconfig: Mapping[str, Any]) -> Mapping[str, Any]:
    text = yaml.safe_dump(dict(kubeconfig), sort_keys=False)
    return {"kubeconfigs": [{"name": name, "value": base64.b64encode(text.encode()).decode()}]}


def _kubeconfig(cluster: Entry, role: str, tenant: str, *, admin: bool) -> Mapping[str, Any]:
    """A kubeconfig as AKS writes it: certificates for local accounts, kubelogin for a cluster with Entra ID."""
    group = cluster.id.split("/")[4]
    user = f"{role}_{group}_{cluster.name}"
    context = f"{cluster.name}-admin" if admin else cluster.name
    host = cluster.outputs.get("privateFQDN") or cluster.outputs["fqdn"]
    server = {"certificate-authority-data": _CERTIFICATE, "server": f"https://{host}:443"}
    with_entra = bool(cluster.inputs.get("aadProfile")) and not admin
    return {
        "apiVersion": "v1",
        "clusters": [{"cluster": server, "name": cluster.name}],
        "contexts": [{"context": {"cluster": cluster.name, "user": user}, "name": context}],
        "current-context": context,
        "kind": "Config",
        "preferences": {},
        "users": [{"name": user, "user": _kubelogin(tenant) if with_entra else _certificates()}],
    }


def _certificates() -> Mapping[str, Any]:
    return {
        "client-certificate-data": _CERTIFICATE,
        "client-key-data": _CERTIFICATE,
        "token": "the token of a sandbox opens nothing",
    }


def _kubelogin(tenant: str) -> Mapping[str, Any]:
    flags = ["--environment", "AzurePublicCloud", "--server-id", _SERVER_APPLICATION, "--client-id"]
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "args": ["get-token", *flags, _CLIENT_APPLICATION, "--tenant-id", tenant, "--login", "devicecode"],
            "command": "kubelogin",
            "env": None,
            "provideClusterInfo": False,
        }
    }

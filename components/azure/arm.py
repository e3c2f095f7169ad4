"""Ids of Azure Resource Manager: their syntax, and those that are the same in every tenant. Imports no Pulumi."""

from __future__ import annotations

UUID = r"(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"

# Source: Azure Resource Manager, "Naming rules and restrictions for Azure resources".
_NAME = r"[\w().-]{0,89}[\w()-]"
GROUP_NAME = rf"^{_NAME}$"

RESERVATION_GROUP = (
    rf"(?i)^(?P<group>/subscriptions/[0-9a-f-]{{36}}/resourceGroups/{_NAME})"
    r"/providers/Microsoft\.Compute/capacityReservationGroups/[\w-]{1,80}$"
)

REGISTRY = (
    rf"(?i)^/subscriptions/[0-9a-f-]{{36}}/resourceGroups/{_NAME}"
    r"/providers/Microsoft\.ContainerRegistry/registries/[a-z0-9]{5,50}$"
)

ACTION_GROUP = (
    rf"(?i)^/subscriptions/[0-9a-f-]{{36}}/resourceGroups/{_NAME}"
    r"/providers/Microsoft\.Insights/actionGroups/[^/<>*%&:\\?+#]{1,260}$"
)

# Source: Azure documentation, "Azure built-in roles".
BUILT_IN_ROLES = {
    "AcrPull": "7f951dda-4ed3-4680-a7ca-43fe172d538d",
    "Azure Kubernetes Service RBAC Cluster Admin": "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b",
    "Azure Kubernetes Service Cluster User Role": "4abbcc35-e782-43d8-92c5-2d3f1bd2253f",
    "Contributor": "b24988ac-6180-42a0-ab88-20f7382dd24c",
    "Network Contributor": "4d97b98b-1d4f-4787-a291-c67834d212e7",
    "Storage Account Contributor": "17d1049b-9a84-46fb-8f53-869881c3d3ab",
    "Storage Blob Data Contributor": "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
    "Storage Blob Data Reader": "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
}


def role_id(subscription: str, role: str) -> str:
    """The id of a built-in role as a subscription sees it. Raises KeyError for a role that is not in the table."""
    return f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{BUILT_IN_ROLES[role]}"


def resource_group_id(subscription: str, group: str) -> str:
    """The id of a resource group by its name."""
    return f"/subscriptions/{subscription}/resourceGroups/{group}"


def storage_account_id(subscription: str, group: str, account: str) -> str:
    """The id of a storage account by its name."""
    return f"{resource_group_id(subscription, group)}/providers/Microsoft.Storage/storageAccounts/{account}"


def container_id(account_id: str, container: str) -> str:
    """The id of a blob container by that of its storage account."""
    return f"{account_id}/blobServices/default/containers/{container}"

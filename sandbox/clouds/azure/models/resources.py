"""Resource groups and features of a subscription."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.invokes import feature_properties
from gpucluster.sandbox.clouds.azure.model import DOMAIN, ManagedResource, guid, made, models


@models("azure-native:resources:ResourceGroup")
def resource_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "properties": {"provisioningState": "Succeeded"}}


@models("azure-native:features:SubscriptionFeatureRegistration")
def feature_registration(managed: ManagedResource) -> Mapping[str, Any]:
    """As in a scenario, which is the only way to create one.

    Source: Azure/azure-rest-api-specs features 2021-07-01, SubscriptionFeatureRegistration.
    """
    given = mapping(managed.inputs.get("properties"))
    properties = feature_properties(managed.subscription, str(managed.inputs["providerNamespace"]), managed.name)
    return {**made(managed), "properties": {**properties, **given}}


@models("azure-native:managedidentity:UserAssignedIdentity")
def user_assigned_identity(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "clientId": managed.keep("clientId", guid),
        "principalId": managed.keep("principalId", guid),
        "tenantId": managed.tenant,
    }


@models("azure-native:managedidentity:FederatedIdentityCredential")
def federated_credential(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)


@models("azure-native:authorization:RoleAssignment")
def role_assignment(managed: ManagedResource) -> Mapping[str, Any]:
    """The kind of the principal is looked up if the program has none.

    Source: Azure role-based access control API 2022-04-01, RoleAssignmentProperties: `principalType` is User unless the
    directory has another.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "createdOn": managed.keep("createdOn", lambda: now),
        "principalType": managed.inputs.get("principalType") or _kind(managed),
        "updatedOn": now,
    }


def _kind(managed: ManagedResource) -> str:
    principal = managed.inputs.get("principalId")
    identities = managed.ledger.mentioning({"azure-native:managedidentity:UserAssignedIdentity"}, str(principal))
    known = any(entry.outputs.get("principalId") == principal for entry in identities)
    return "ServicePrincipal" if known else "User"


@models("azure-native:compute:ProximityPlacementGroup")
def proximity_placement_group(managed: ManagedResource) -> Mapping[str, Any]:
    kind = managed.inputs.get("proximityPlacementGroupType") or "Standard"
    return {**made(managed), "proximityPlacementGroupType": kind, "virtualMachineScaleSets": [], "virtualMachines": []}


@models("azure-native:compute:CapacityReservationGroup")
def capacity_reservation_group(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "capacityReservations": [], "virtualMachinesAssociated": []}


@models("azure-native:compute:CapacityReservation")
def capacity_reservation(managed: ManagedResource) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "provisioningTime": managed.keep("provisioningTime", lambda: now),
        "reservationId": managed.keep("reservationId", guid),
        "timeCreated": managed.keep("timeCreated", lambda: now),
        "virtualMachinesAssociated": [],
    }


@models("azure-native:containerregistry:Registry")
def registry(managed: ManagedResource) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(managed),
        "creationDate": managed.keep("creationDate", lambda: now),
        "loginServer": f"{managed.name.lower()}.azurecr.{DOMAIN}",
        "publicNetworkAccess": managed.inputs.get("publicNetworkAccess") or "Enabled",
    }


@models("azure-native:containerregistry:CacheRule")
def cache_rule(managed: ManagedResource) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {**made(managed), "creationDate": managed.keep("creationDate", lambda: now)}

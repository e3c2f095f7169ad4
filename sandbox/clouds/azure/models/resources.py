"""Resource groups and features of a subscription."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import made
from gpucluster.sandbox.narrow import mapping

__all__: list[str] = []


@models("azure-native:resources:ResourceGroup")
def resource_group(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), "properties": {"provisioningState": "Succeeded"}}


@models("azure-native:features:SubscriptionFeatureRegistration")
def feature_registration(thing: Thing) -> Mapping[str, Any]:
    """A feature is registered at once here; in a subscription it takes minutes.

    Source: Azure/azure-rest-api-specs features 2021-07-01, SubscriptionFeatureRegistration.
    """
    properties = {
        "approvalType": "AutoApproval",
        **mapping(thing.inputs.get("properties")),
        "displayName": thing.name,
        "featureName": thing.name,
        "providerNamespace": thing.inputs["providerNamespace"],
        "state": "Registered",
        "subscriptionId": thing.subscription,
        "tenantId": thing.tenant,
    }
    return {**made(thing), "properties": properties}

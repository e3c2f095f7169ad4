"""Resource groups and features of a subscription."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.azure.features import feature_properties
from gpucluster.sandbox.clouds.azure.model import ManagedResource, models
from gpucluster.sandbox.clouds.azure.outputs import made
from gpucluster.sandbox.type_guards import mapping


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

"""Features of a subscription: available to all, and registered unless a scenario changes that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.identity import tenant_of, with_same_id
from gpucluster.sandbox.clouds.store.ledger import Ledger

_FEATURE: Final = "azure-native:features:SubscriptionFeatureRegistration"


def feature(args: Mapping[str, Any], subscription: str, ledger: Ledger) -> Mapping[str, Any]:
    """Azure's answer for a feature, including an unregistered one."""
    namespace, name = str(args.get("providerNamespace")), str(args.get("featureName"))
    id_ = (
        f"/subscriptions/{subscription}/providers/Microsoft.Features/featureProviders/{namespace}"
        f"/subscriptionFeatureRegistrations/{name}"
    )
    told = with_same_id(ledger, id_, {_FEATURE})
    properties = feature_properties(subscription, namespace, name) if told is None else told.outputs["properties"]
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

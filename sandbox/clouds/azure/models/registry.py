"""Container registries and their caching rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import DOMAIN
from gpucluster.sandbox.clouds.azure.model import ManagedResource, models
from gpucluster.sandbox.clouds.azure.outputs import made


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

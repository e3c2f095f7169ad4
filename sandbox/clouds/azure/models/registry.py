"""Container registries, and their rules of caching."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import DOMAIN
from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import made

__all__: list[str] = []


@models("azure-native:containerregistry:Registry")
def registry(thing: Thing) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        **made(thing),
        "creationDate": thing.keep("creationDate", lambda: now),
        "loginServer": f"{thing.name.lower()}.azurecr.{DOMAIN}",
        "publicNetworkAccess": thing.inputs.get("publicNetworkAccess") or "Enabled",
    }


@models("azure-native:containerregistry:CacheRule")
def cache_rule(thing: Thing) -> Mapping[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {**made(thing), "creationDate": thing.keep("creationDate", lambda: now)}

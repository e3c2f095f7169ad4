"""Identifiers of the simulated subscriptions and tenants, in Azure's form."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final
from uuid import UUID, uuid4, uuid5

from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

_GUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_TENANTS: Final = UUID("5a9db0c5-0a4e-4b3e-9c39-6a1d6f0f1a11")


def guid() -> str:
    """A random GUID."""
    return str(uuid4())


def is_guid(text: Any) -> bool:
    """Whether a value is a GUID in the form that ARM accepts."""
    return isinstance(text, str) and re.fullmatch(_GUID, text) is not None


def tenant_of(subscription: str) -> str:
    """The tenant of a subscription: a GUID derived from the subscription's."""
    return str(uuid5(_TENANTS, subscription))


def same_id(one: Any, other: Any) -> bool:
    """Whether two ids are of the same resource; ARM ignores case."""
    return str(one or "").rstrip("/").lower() == str(other or "").rstrip("/").lower()


def with_same_id(ledger: Ledger, id_: Any, types: Collection[str] = ()) -> Entry | None:
    """The resource with this id of these types, by default of any, in any subscription."""
    return next(iter(ledger.with_id(str(id_ or "").rstrip("/"), types)), None)


def location_of(text: Any) -> str:
    """A location in ARM's own form: `eastus` for `East US`.

    Source: pulumi/pulumi-azure-native provider/pkg/provider/diff.go (normalizedLocation).
    """
    return str(text or "").replace(" ", "").lower()

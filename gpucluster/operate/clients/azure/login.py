"""The login that asks: the one with which Pulumi's provider would run `up`, as far as the environment says."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from azure.core.credentials import TokenCredential
from azure.identity import (
    AzureCliCredential,
    ChainedTokenCredential,
    ClientAssertionCredential,
    ClientSecretCredential,
    DefaultAzureCredential,
    ManagedIdentityCredential,
)

# Without a handler, Python prints the warnings of a failed login beside our own line.
logging.getLogger("azure").addHandler(logging.NullHandler())

_CLI_SECONDS = 20


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, by the claims of the token. object_id: in the tenant; empty if the token has none."""

    name: str
    object_id: str
    tenant: str


def login(subscription: str, environment: Mapping[str, str]) -> TokenCredential:
    """As Pulumi's provider: a service principal, a federated token or a managed identity of ARM_* variables, else the
    Azure CLI; then the other ways of Microsoft's SDK. No managed identity is looked for unasked.

    Source: pulumi.com/docs/reference/clouds/azure/installation-configuration (authentication methods).
    """
    client, tenant = environment.get("ARM_CLIENT_ID", ""), environment.get("ARM_TENANT_ID", "")
    secret, token = environment.get("ARM_CLIENT_SECRET", ""), environment.get("ARM_OIDC_TOKEN", "")
    if client and tenant and secret:
        return ClientSecretCredential(tenant, client, secret)
    if client and tenant and token:
        return ClientAssertionCredential(tenant, client, lambda: token)
    if environment.get("ARM_USE_MSI", "").lower() == "true":
        return ManagedIdentityCredential(client_id=client or None)
    return ChainedTokenCredential(
        AzureCliCredential(subscription=subscription, process_timeout=_CLI_SECONDS),
        DefaultAzureCredential(
            exclude_cli_credential=True,
            exclude_developer_cli_credential=True,
            exclude_managed_identity_credential=True,
            exclude_powershell_credential=True,
            exclude_shared_token_cache_credential=True,
            exclude_visual_studio_code_credential=True,
            exclude_broker_credential=True,
        ),
    )


def caller_of(token: str) -> Caller:
    """Source: Microsoft identity platform documentation, "Access token claims reference"."""
    claims = _claims(token)
    named = (claims.get(name) for name in ("upn", "unique_name", "preferred_username", "appid", "oid"))
    return Caller(
        name=next((str(name) for name in named if name), "this login"),
        object_id=str(claims.get("oid", "")),
        tenant=str(claims.get("tid", "")),
    )


def _claims(token: str) -> Mapping[str, Any]:
    try:
        payload = token.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError):
        return {}
    return cast("Mapping[str, Any]", read) if isinstance(read, dict) else {}

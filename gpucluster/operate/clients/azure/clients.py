"""Clients of Azure's APIs that only read, and give up in time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from azure.core.credentials import TokenCredential
from azure.core.pipeline import PipelineRequest
from azure.core.pipeline.policies import (
    ContentDecodePolicy,
    HeadersPolicy,
    ProxyPolicy,
    RequestIdPolicy,
    RetryPolicy,
    SansIOHTTPPolicy,
    UserAgentPolicy,
)
from azure.mgmt.authorization.v2022_04_01 import AuthorizationManagementClient
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.containerservice import ContainerServiceClient
from azure.mgmt.core.policies import ARMChallengeAuthenticationPolicy
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.features import FeatureClient
from azure.mgmt.resource.resources import ResourceManagementClient
from azure.mgmt.resource.subscriptions import SubscriptionClient
from azure.mgmt.storagecache import StorageCacheManagementClient

ENDPOINT: Final = "https://management.azure.com"
READ_SECONDS: Final = 20
_CONNECT_SECONDS: Final = 5
_RETRIES: Final = 2
_LONGEST_WAIT: Final = 10
"""Seconds that a throttled request waits at most; Azure may ask for an hour."""
_READING: Final = "/getrequiredamlfssubnetssize"
"""The one POST that only computes."""


@dataclass(frozen=True, kw_only=True)
class Clients:
    """Of one subscription. endpoint: of Azure Resource Manager, with its scheme."""

    credential: TokenCredential
    subscription: str
    endpoint: str = ENDPOINT

    def of(self, subscription: str) -> Clients:
        """The same login in another subscription."""
        if subscription.lower() == self.subscription.lower():
            return self
        return Clients(credential=self.credential, subscription=subscription, endpoint=self.endpoint)

    @property
    def scope(self) -> str:
        """Of the tokens."""
        return f"{ENDPOINT}/.default"

    @cached_property
    def authorization(self) -> AuthorizationManagementClient:
        return AuthorizationManagementClient(**self._given())

    @cached_property
    def compute(self) -> ComputeManagementClient:
        return ComputeManagementClient(**self._given())

    @cached_property
    def kubernetes(self) -> ContainerServiceClient:
        return ContainerServiceClient(**self._given())

    @cached_property
    def features(self) -> FeatureClient:
        return FeatureClient(**self._given())

    @cached_property
    def lustre(self) -> StorageCacheManagementClient:
        return StorageCacheManagementClient(**self._given())

    @cached_property
    def network(self) -> NetworkManagementClient:
        return NetworkManagementClient(**self._given())

    @cached_property
    def resources(self) -> ResourceManagementClient:
        return ResourceManagementClient(**self._given())

    @cached_property
    def subscriptions(self) -> SubscriptionClient:
        given = self._given()
        del given["subscription_id"]
        return SubscriptionClient(**given)

    def _given(self) -> dict[str, Any]:
        """Without the policy of the SDKs that registers a resource provider if it is missing: that is a write."""
        return {
            "credential": self.credential,
            "subscription_id": self.subscription,
            "base_url": self.endpoint,
            "credential_scopes": [self.scope],
            "connection_timeout": _CONNECT_SECONDS,
            "read_timeout": READ_SECONDS,
            "policies": [
                _OnlyReads(),
                RequestIdPolicy(),
                HeadersPolicy(),
                UserAgentPolicy("gpucluster"),
                ProxyPolicy(),
                ContentDecodePolicy(),
                _Patience(retry_total=_RETRIES, retry_connect=0, retry_read=0),
                ARMChallengeAuthenticationPolicy(self.credential, self.scope),
            ],
        }


class _OnlyReads(SansIOHTTPPolicy[Any, Any]):
    def on_request(self, request: PipelineRequest[Any]) -> None:
        method, url = request.http_request.method, request.http_request.url.partition("?")[0]
        if method != "GET" and not url.lower().endswith(_READING):
            raise AssertionError(f"this command only reads, and this is {method} {url}")


class _Patience(RetryPolicy[Any, Any]):
    """Retries, unless Azure asks for a long wait: the answer is then the last one, 429."""

    def increment(self, settings: dict[str, Any], response: Any = None, error: Any = None) -> bool:
        # After an error of the transport, the SDK passes the request here.
        if hasattr(response, "http_response") and (self.get_retry_after(response) or 0) > _LONGEST_WAIT:
            return False
        return super().increment(settings, response=response, error=error)

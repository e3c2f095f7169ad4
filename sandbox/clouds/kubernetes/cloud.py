# ruff: noqa: ARG002 - the signatures are those of `Cloud`
"""The API server of a kubeconfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from gpucluster.core.text.type_guards import is_object, items, mapping
from gpucluster.sandbox.clouds.cloud import Account, Cloud
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.object_types import with_values
from gpucluster.sandbox.clouds.kubernetes.objects import STAND_IN, cluster_at, is_simulated, scope_of
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType, Schema
from gpucluster.sandbox.clouds.types.values import UNKNOWN

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers


def api_server(config: Mapping[str, Any]) -> str | None:
    """The server URL of a provider's settings; None if its kubeconfig has none.

    config: the provider's settings; `kubeconfig` as YAML or JSON text or as an object, `context` and `cluster` override
    the kubeconfig.
    """
    document = config.get("kubeconfig")
    if isinstance(document, str):
        try:
            document = yaml.safe_load(document)
        except yaml.YAMLError:
            return None
    if not is_object(document):
        return None
    contexts = _named(document, "contexts", "context")
    context = contexts.get(config.get("context") or document.get("current-context"), {})
    cluster = _named(document, "clusters", "cluster").get(config.get("cluster") or context.get("cluster"), {})
    server = cluster.get("server")
    return server if isinstance(server, str) else None


def _named(document: Mapping[str, Any], plural: str, singular: str) -> dict[Any, Mapping[str, Any]]:
    found = (mapping(item) for item in items(document.get(plural)))
    return {item.get("name"): mapping(item.get(singular)) for item in found}


class Kubernetes(Cloud):
    """The package `kubernetes`."""

    package = "kubernetes"

    def __init__(self, servers: RealServers | None = None) -> None:
        """servers: real API servers that validate and store the objects; by default only the simulation does."""
        self._servers = servers
        self._types: dict[str, ResourceType] = {}

    def resource_type(self, schema: Schema, token: str) -> ResourceType | None:
        """A type that is not in the SDK is a custom resource: its definition is in the cluster, not here."""
        if token not in self._types:
            found = schema.resource_type(token)
            self._types[token] = with_values(found) if found else ResourceType(token, {}, {}, open=True)
        return self._types[token]

    def function(self, schema: Schema, token: str) -> ResourceType | None:
        """Functions that read charts and folders run in the provider: its SDK does not declare their answer, which is
        objects.
        """
        return ResourceType(token, {}, {"result": Property({"list": "any"}, required=True)})

    def config_replaces(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
        """Another API server is another cluster; an unknown kubeconfig may be the same one."""
        if UNKNOWN in (old.get("kubeconfig"), new.get("kubeconfig")):
            return []
        return ["kubeconfig"] if api_server(old) != api_server(new) else []

    def configure(self, config: Mapping[str, Any], ledger: Ledger) -> Account:
        server = api_server(config)
        if server is None or not is_simulated(server):
            why = f"the kubeconfig points at {server}" if server else "the kubernetes provider has no kubeconfig"
            stand_in = Cluster(ledger, STAND_IN, config)
            stand_in.remark = (
                f"{why}: the sandbox talks to no real cluster and reads no kubeconfig of this machine; an empty "
                "cluster replaces it, and what is in the real one is not known"
            )
            return stand_in
        scope = scope_of(ledger, server)
        if self._servers is None or cluster_at(ledger, server) is None:
            return Cluster(ledger, scope, config)
        from gpucluster.sandbox.clouds.kubernetes.api_server import RealCluster

        return RealCluster(ledger, scope, config, self._servers)

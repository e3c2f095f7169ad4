"""The clusters of the simulated clouds that serve the Kubernetes API, and their addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

SUFFIX: Final = ".sandbox.invalid"
"""Suffix of the names of all simulated endpoints."""

STAND_IN: Final = f"https://cluster{SUFFIX}"
"""The address of objects in a cluster that the sandbox did not create."""

_ADDRESSES: Final = ip_network("203.0.113.0/24")
"""Range of endpoints without a name: a documentation range (RFC 5737), which no host uses."""


def _eks(outputs: Mapping[str, Any]) -> list[Any]:
    return [outputs.get("endpoint")]


def _gke(outputs: Mapping[str, Any]) -> list[Any]:
    """GKE returns an address and a name, both without a scheme."""
    named = mapping(mapping(outputs.get("controlPlaneEndpointsConfig")).get("dnsEndpointConfig")).get("endpoint")
    return [f"https://{host}" for host in (outputs.get("endpoint"), named) if host]


def _aks(outputs: Mapping[str, Any]) -> list[Any]:
    """AKS returns names without a scheme; its kubeconfigs add the port."""
    hosts = [host for host in (outputs.get("fqdn"), outputs.get("privateFQDN")) if host]
    return [f"https://{host}{port}" for host in hosts for port in (":443", "")]


_SERVERS: Final[Mapping[str, Callable[[Mapping[str, Any]], list[Any]]]] = {
    "aws:eks/cluster:Cluster": _eks,
    "azure-native:containerservice:ManagedCluster": _aks,
    "gcp:container/cluster:Cluster": _gke,
}


def api_servers(entry: Entry) -> list[str]:
    """The addresses of a cluster's API, the one that identifies its objects first.

    Empty for other resources.
    """
    servers = _SERVERS.get(entry.type)
    return [server for server in servers(entry.outputs) if isinstance(server, str)] if servers else []


def all_clusters(ledger: Ledger) -> list[Entry]:
    """Every cluster that exists, oldest first."""
    return ledger.of_types(_SERVERS.keys())


def cluster_at(ledger: Ledger, server: str) -> Entry | None:
    """The cluster at an address, None if there is none."""
    found = ledger.mentioning(_SERVERS.keys(), server, urlsplit(server).hostname or "")
    return next((entry for entry in found if server in api_servers(entry)), None)


def scope_of(ledger: Ledger, server: str) -> str:
    """The address that identifies the objects of the cluster at this address."""
    found = cluster_at(ledger, server)
    return api_servers(found)[0] if found is not None else server


def is_simulated(server: str) -> bool:
    """Whether an address may be that of a simulated cluster."""
    host = urlsplit(server).hostname or ""
    try:
        return ip_address(host) in _ADDRESSES
    except ValueError:
        return host.endswith(SUFFIX)

# ruff: noqa: SIM905 - long lists of words read better as text
"""Names, namespaces and ids of Kubernetes objects, and the simulated clusters that hold them, with their addresses."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import urlsplit

from gpucluster.core.text.type_guards import is_object, mapping
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.model import hex_suffix, random_hex
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, plain

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


AUTONAMED: Final = "pulumi.com/autonamed"
"""The real provider's annotation of generated names."""

RELEASE: Final = "kubernetes:helm.sh/v3:Release"

# Kinds of the built-in API groups without a namespace (Kubernetes API reference, `kubectl api-resources
# --namespaced=false`, v1.34).
_CLUSTER_WIDE: Final = frozenset(
    """
    APIService CSIDriver CSINode CertificateSigningRequest ClusterRole ClusterRoleBinding ClusterTrustBundle
    ComponentStatus CustomResourceDefinition DeviceClass FlowSchema IPAddress IngressClass
    MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace Node
    PersistentVolume PriorityClass PriorityLevelConfiguration ResourceSlice RuntimeClass ServiceCIDR
    StorageClass ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration
    VolumeAttachment VolumeAttributesClass
    """.split()
)


def is_namespaced(resource: Resource) -> bool | None:
    """Whether objects of this type have a namespace; None for custom resources, whose definition is unknown."""
    if resource.type.open:
        return None
    return resource.token.rsplit(":", 1)[-1].removesuffix("Patch") not in _CLUSTER_WIDE


def _metadata(values: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = plain(values.get("metadata"))
    return metadata if is_object(metadata) else {}


def name_of(values: Mapping[str, Any]) -> str:
    """The name of an object or of a Helm release."""
    name = _metadata(values).get("name") or plain(values.get("name"))
    return name if isinstance(name, str) else ""


def namespace_of(values: Mapping[str, Any]) -> str:
    """The namespace of an object or of a Helm release; may be empty."""
    namespace = _metadata(values).get("namespace") or plain(values.get("namespace"))
    return namespace if isinstance(namespace, str) else ""


def object_id(values: Mapping[str, Any]) -> str:
    """`namespace/name`, or only the name without a namespace."""
    namespace = namespace_of(values)
    return f"{namespace}/{name_of(values)}" if namespace else name_of(values)


def with_metadata(resource: Resource, namespace: str, seed: bytes) -> dict[str, Any]:
    """The inputs with `metadata.name` and `metadata.namespace`; a generated name stays in updates."""
    inputs = dict(resource.inputs)
    if inputs.get("metadata") is UNKNOWN:
        return inputs
    metadata = dict(mapping(inputs.get("metadata")))
    if _left_out(metadata, "name"):
        old = _metadata(resource.old_inputs)
        annotations = mapping(old.get("annotations"))
        kept = old.get("name") if annotations.get(AUTONAMED) == "true" else None
        metadata["name"] = kept or _generated(resource, metadata, seed)
        metadata["annotations"] = {**mapping(metadata.get("annotations")), AUTONAMED: "true"}
    if is_namespaced(resource) and metadata.get("namespace") is None:
        metadata["namespace"] = namespace
    return {**inputs, "metadata": metadata}


def with_release_name(resource: Resource, namespace: str, seed: bytes) -> dict[str, Any]:
    """The inputs of a Helm release with a name and a namespace."""
    inputs = dict(resource.inputs)
    if _left_out(inputs, "name"):
        inputs["name"] = resource.old_inputs.get("name") or f"{resource.logical_name}-{hex_suffix(seed, 8)}"
    if _left_out(inputs, "namespace"):
        inputs["namespace"] = namespace
    return inputs


def _left_out(values: Mapping[str, Any], key: str) -> bool:
    return values.get(key) is None or values[key] == ""


def _generated(resource: Resource, metadata: Mapping[str, Any], seed: bytes) -> str:
    """A name generated as by the provider, or as by the API server for `generateName`."""
    prefix = metadata.get("generateName")
    if isinstance(prefix, str) and prefix:
        return prefix + hex_suffix(seed, 5)
    return f"{resource.logical_name}-{hex_suffix(seed, 8)}"


def unsupported(field: str, value: Any, supported: tuple[str, ...]) -> str:
    """The API server's error for a value that is not in a list."""
    words = ", ".join(f'"{item}"' for item in supported)
    return f'{field}: Unsupported value: "{value}": supported values: {words}'


_STATUS: Mapping[str, Mapping[str, Any]] = {
    "Namespace": {"phase": "Active"},
    "PersistentVolume": {"phase": "Available"},
    "PersistentVolumeClaim": {"phase": "Bound"},
}


def live(resource: Resource) -> dict[str, Any]:
    """The outputs other than inputs after a create or update."""
    if resource.token == RELEASE:
        return {"status": _release_status(resource), "resourceNames": mapping(resource.inputs.get("resourceNames"))}
    outputs: dict[str, Any] = {"metadata": _live_metadata(resource)}
    if account := account_of(resource.inputs):
        outputs["data"] = resource.outputs.get("data") or Secret(_token(*account))
    status = _STATUS.get(resource.token.rsplit(":", 1)[-1])
    if status is not None:
        outputs["status"] = status
    return outputs


_TOKEN: Final = "kubernetes.io/service-account-token"
_ACCOUNT: Final = "kubernetes.io/service-account.name"


def account_of(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Namespace and name of the service account whose token an object holds; None for all others."""
    if plain(values.get("type")) != _TOKEN:
        return None
    return namespace_of(values), str(mapping(_metadata(values).get("annotations")).get(_ACCOUNT))


def _token(namespace: str, account: str) -> dict[str, str]:
    """What Kubernetes' token controller writes into such a Secret; the token is a JWT without a valid signature."""
    claims = {"sub": f"system:serviceaccount:{namespace}:{account}"}
    parts = [json.dumps(one).encode() for one in ({"alg": "RS256"}, claims)]
    token = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (*parts, random_hex(64).encode()))
    texts = {"token": token, "ca.crt": "simulated", "namespace": namespace}
    return {key: base64.b64encode(text.encode()).decode() for key, text in texts.items()}


def account_of_token(token: str) -> str:
    """The service account of a token, as the API server calls it. Raises ValueError for what is no token."""
    claims = token.split(".")[1] if token.count(".") == 2 else ""
    return str(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"])


def _live_metadata(resource: Resource) -> dict[str, Any]:
    before = mapping(resource.outputs.get("metadata"))
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    digits = (8, 4, 4, 4, 12)
    return {
        **mapping(resource.inputs.get("metadata")),
        "creationTimestamp": before.get("creationTimestamp") or now,
        "generation": int(before.get("generation") or 0) + 1,
        "resourceVersion": str(int(before.get("resourceVersion") or 1000) + 1),
        "uid": before.get("uid") or "-".join(random_hex(length) for length in digits),
    }


def _release_status(resource: Resource) -> dict[str, Any]:
    """A deployed release; each upgrade increments the revision (Helm, `helm history`)."""
    inputs = plain(resource.inputs)
    before = mapping(plain(resource.outputs).get("status"))
    return {
        "appVersion": "",
        "chart": str(inputs.get("chart")).rstrip("/").rsplit("/", 1)[-1],
        "name": name_of(inputs),
        "namespace": namespace_of(inputs),
        "revision": int(before.get("revision") or 0) + 1,
        "status": "deployed",
        "version": inputs.get("version") or "",
    }

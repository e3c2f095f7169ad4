"""The APIs' refusals of a deletion, and resources deleted together with another.

Sources: hashicorp/terraform-provider-google-beta@93c65b2d (deletion_policy and deletion_protection of each resource);
Compute Engine API, error reason `resourceInUseByAnotherResource`; Service Networking documentation, "Deleting a private
connection".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.model import forms, relative
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

_CLUSTER: Final = "gcp:container/cluster:Cluster"
_POOL: Final = "gcp:container/nodePool:NodePool"
_NETWORK: Final = "gcp:compute/network:Network"
_SUBNETWORK: Final = "gcp:compute/subnetwork:Subnetwork"
_POLICY: Final = "gcp:compute/resourcePolicy:ResourcePolicy"
_CONNECTION: Final = "gcp:servicenetworking/connection:Connection"

# What a project has once, and no destroy takes away from another cluster of it.
# Sources: terraform-provider-google, google_project_service_identity ("Once created, this resource cannot be updated or
# destroyed. These actions are a no-op.") and google_project_service (disable_on_destroy).
_SERVICE: Final = "gcp:projects/service:Service"
_IDENTITY: Final = "gcp:projects/serviceIdentity:ServiceIdentity"

# Cannot be deleted: the provider removes them from the state, and destroys the versions of a key.
# Source: hashicorp/terraform-provider-google-beta@93c65b2d kms/resource_kms_key_ring.go, resource_kms_crypto_key.go.
_FOR_EVER: Final = frozenset({"gcp:kms/keyRing:KeyRing", "gcp:kms/cryptoKey:CryptoKey"})

_PRODUCERS: Final = ("gcp:lustre/instance:Instance", "gcp:filestore/instance:Instance")


def delete(entry: Entry, ledger: Ledger) -> bool:
    """Whether the resource is deleted afterwards; raises CloudError if provider or API refuse."""
    policy = entry.outputs.get("deletionPolicy")
    kind = entry.type.rsplit(":", 1)[-1]
    if policy == "PREVENT":
        raise CloudError(f'cannot destroy {kind} {entry.id} without setting deletion_policy="DELETE" first')
    if policy == "ABANDON":
        return False
    if entry.inputs.get("deletionProtection") is True:
        raise CloudError(
            f"Cannot destroy {kind.lower()} {entry.name} because deletion_protection is set to true. "
            "Set it to false to proceed with deletion."
        )
    if _is_shared(entry) and ledger.find("gcp", entry.scope, _CLUSTER):
        return False
    if entry.type in _FOR_EVER:
        ledger.retire(entry.type, entry.id)
    if entry.type == _CONNECTION:
        _check_producers(entry, ledger)
    else:
        _check_users(entry, ledger)
    if entry.type == _CLUSTER:
        _take_along(entry, ledger)
    return True


def _is_shared(entry: Entry) -> bool:
    return entry.type == _IDENTITY or (entry.type == _SERVICE and entry.inputs.get("disableOnDestroy") is False)


def _check_users(entry: Entry, ledger: Ledger) -> None:
    kind = entry.type.rsplit(":", 1)[-1].lower()
    for token, uses in _USERS.get(entry.type, {}).items():
        user = next((other for other in ledger.mentioning({token}, *forms(entry.id)) if entry.id in uses(other)), None)
        if user is not None:
            raise CloudError(
                f"Error waiting for deleting {kind}: googleapi: Error 400: The {kind} resource '{entry.id}' is already "
                f"being used by '{user.id}', resourceInUseByAnotherResource"
            )


def _check_producers(entry: Entry, ledger: Ledger) -> None:
    network = relative(str(entry.inputs.get("network")))
    for user in ledger.mentioning(_PRODUCERS, *forms(network)):
        if network in _networks(user) and _is_private(user):
            raise CloudError(
                "Error waiting for Delete Service Networking Connection: Error code 9, message: Failed to delete "
                f"connection; Producer services (e.g. {user.id}) are still using this connection."
            )


def _is_private(entry: Entry) -> bool:
    """Whether a file system uses the private connection; Lustre always, Filestore if configured."""
    modes = [mapping(item).get("connectMode") for item in items(entry.inputs.get("networks"))]
    return not modes or "PRIVATE_SERVICE_ACCESS" in modes


def _take_along(entry: Entry, ledger: Ledger) -> None:
    """Deletes a cluster's node pools and objects."""
    for pool in ledger.under(entry.id, {_POOL}):
        ledger.remove(pool.provider, pool.scope, pool.type, pool.id)
    for server in api_servers(entry):
        ledger.remove_scope(server)


def _full(entry: Entry, reference: object, under: str) -> str:
    text = relative(str(reference or ""))
    return text if text.startswith("projects/") else f"projects/{entry.scope}/{under}/{text}"


def _networks(entry: Entry) -> Iterator[str]:
    """The networks of a resource, as full paths."""
    inputs = entry.inputs
    config = mapping(inputs.get("networkConfig"))
    named = [inputs.get("network")]
    for name in ("networks", "networkInterfaces"):
        named += [mapping(item).get("network") for item in items(inputs.get(name))]
    named += [mapping(item).get("network") for item in items(config.get("additionalNodeNetworkConfigs"))]
    yield from (_full(entry, name, "global/networks") for name in named if name)


def _subnetworks(entry: Entry) -> Iterator[str]:
    """The subnetworks of a resource, as full paths."""
    location = str(entry.outputs.get("region") or entry.outputs.get("location") or entry.outputs.get("zone") or "")
    region = "-".join(location.split("-")[:2])
    config = mapping(entry.inputs.get("networkConfig"))
    named = [entry.inputs.get("subnetwork"), config.get("subnetwork")]
    named += [mapping(item).get("subnetwork") for item in items(entry.inputs.get("networkInterfaces"))]
    named += [mapping(item).get("subnetwork") for item in items(config.get("additionalNodeNetworkConfigs"))]
    yield from (_full(entry, name, f"regions/{region}/subnetworks") for name in named if name)


def _policies(entry: Entry) -> Iterator[str]:
    """The placement policy of a node pool."""
    name = mapping(entry.inputs.get("placementPolicy")).get("policyName")
    region = "-".join(str(entry.outputs.get("location")).split("-")[:2])
    if name:
        yield _full(entry, name, f"regions/{region}/resourcePolicies")


_Uses = Callable[[Entry], Iterator[str]]

_USERS: Final[Mapping[str, Mapping[str, _Uses]]] = {
    _NETWORK: dict.fromkeys(
        (
            _SUBNETWORK,
            "gcp:compute/firewall:Firewall",
            "gcp:compute/router:Router",
            "gcp:compute/instance:Instance",
            _CONNECTION,
            _CLUSTER,
            *_PRODUCERS,
        ),
        _networks,
    ),
    _SUBNETWORK: dict.fromkeys(("gcp:compute/instance:Instance", _CLUSTER, _POOL), _subnetworks),
    _POLICY: {_POOL: _policies},
}

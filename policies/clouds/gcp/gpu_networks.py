"""Whether the networks of a training pool carry its GPU fabric (how many, in which order, with which MTU), and whether
pods can request them: by a GKENetworkParamSet, and a Network that refers to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.fabrics import Fabric
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, text, whole
from gpucluster.policies.clouds.gcp.declared_pools import is_zone
from gpucluster.policies.clouds.gcp.networks import (
    NETWORK,
    SUBNETWORK,
    Entry,
    Place,
    own_network,
    place,
    profile_of,
    resolved,
)
from gpucluster.policies.clouds.gcp.pools import NodePool
from gpucluster.policies.engine.rule import CannotTell, Finding

# Default MTU of a network; `mtu` of gcp:compute/network:Network.
_DEFAULT_MTU = 1460


def network_findings(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    """Problems of the additional networks, if there are enough of them."""
    yield from _distinct(pool, fabric, entries, resources)
    if fabric.kind == "RoCE":
        yield from _roce(pool, fabric, entries)
    else:
        yield from _mtu(pool, fabric, entries, resources)


def gpu_networks_of(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> list[Resource]:
    """The networks in this stack that connect the GPUs of a pool."""
    if fabric.kind != "RoCE":
        return resolved(pool, entries, resources)
    return [network for network in resolved(pool, entries, resources) if isinstance(profile_of(network), str)]


def _distinct(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    """Every interface has a separate network, with RoCE a separate subnet, and none is the cluster's."""
    places = [entry.subnet if fabric.kind == "RoCE" else entry.network for entry in entries]
    what = "subnets" if fabric.kind == "RoCE" else "networks"
    known = {place.identity for place in places if place.identity is not UNKNOWN}
    if any(place.identity is UNKNOWN for place in places):
        made = [resources.get(urn) for urn in pool.declared.dependencies("networkConfig")]
        if not made or any(found is None or found.type not in (NETWORK, SUBNETWORK) for found in made):
            yield CannotTell(pool.resource, "the networks of its GPUs are not known yet")
            return
        type_ = SUBNETWORK if fabric.kind == "RoCE" else NETWORK
        if not any(found is not None and found.type == type_ for found in made):
            return
        known |= {found.urn for found in made if found is not None and found.type == type_}
    if len(known) < min(len(places), fabric.networks):
        yield pool.finding(f"{pool.label} with {len(places)} additional networks on {len(known)} {what}")
    own = own_network(pool.cluster, resources).identity if pool.cluster is not None else UNKNOWN
    if own is not UNKNOWN and own in {entry.network.identity for entry in entries}:
        yield pool.finding(f"{pool.label} with the cluster's own network among its additional networks")


def _mtu(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    places = [entry.network for entry in entries if entry.network.identity is not UNKNOWN]
    places += [Place(UNKNOWN, network) for network in resolved(pool, entries, resources)]
    if pool.cluster is not None:
        places.append(own_network(pool.cluster, resources))
    by_identity = {place.identity: place for place in places}
    wrong: list[str] = []
    hidden: list[str] = []
    for network in by_identity.values():
        if network.resource is None:
            hidden.append(network.label)
            continue
        mtu = whole(network.resource.inputs, "mtu")
        if mtu is UNKNOWN:
            hidden.append(network.label)
        elif (mtu or _DEFAULT_MTU) != fabric.mtu:
            wrong.append(f"{network.label} has {mtu or _DEFAULT_MTU}")
    if wrong:
        kind = fabric.name
        yield pool.finding(
            f"{pool.label}: {kind} requires MTU {fabric.mtu}; {', '.join(wrong)}",
            fix=f"Set mtu={fabric.mtu} on every GPU network and on the cluster's own network.",
        )
    if hidden:
        yield CannotTell(pool.resource, f"the MTU of network {', '.join(hidden)} is unknown")


def _roce(pool: NodePool, fabric: Fabric, entries: list[Entry]) -> Iterator[Finding]:
    """One network of the second gVNIC, then the eight subnets of one network with the RoCE profile of the zone."""
    for entry in entries:
        network = entry.network.resource
        if network is None or profile_of(network) is UNKNOWN or not entry.certain:
            yield CannotTell(pool.resource, f"whether network {entry.network.label} is a RoCE network is unknown")
            return
    networks = [entry.network.resource for entry in entries if entry.network.resource is not None]
    roce = [isinstance(profile_of(network), str) for network in networks]
    if roce != [False] * fabric.host_networks + [True] * fabric.gpu_networks:
        order = ", ".join("RoCE" if of else "gVNIC" for of in roce)
        yield pool.finding(
            f"{pool.label} with additional networks in the order {order}; required: 1 gVNIC, then 8 RoCE"
        )
        return
    gpu = {network.urn: network for network in networks[fabric.host_networks :]}
    if len(gpu) > 1:
        names = ", ".join(f"`{network.name}`" for network in gpu.values())
        yield pool.finding(f"{pool.label} over {len(gpu)} RoCE networks, {names}; the GPUs of a pool share one")
    for network in gpu.values():
        yield from _in_its_zone(pool, network)
        mtu = whole(network.inputs, "mtu")
        if mtu is UNKNOWN:
            yield CannotTell(pool.resource, f"the MTU of network `{network.name}` is not known yet")
        elif mtu not in (None, fabric.mtu):  # the profile sets the right one
            yield pool.finding(f"{pool.label} on RoCE network `{network.name}` with MTU {mtu}; required: {fabric.mtu}")


def _in_its_zone(pool: NodePool, network: Resource) -> Iterator[Finding]:
    zone, zones = profile_of(network), pool.zones.names
    if isinstance(zone, str) and is_zone(zone) and zones is not UNKNOWN and zones not in ((zone,), ()):
        yield pool.finding(
            f"{pool.label} in {', '.join(zones)}, but RoCE network `{network.name}` is tied to {zone}",
            fix="Create the RoCE network with the network profile of the node pool's zone.",
        )


NETWORK_OBJECT: Final = "kubernetes:networking.gke.io/v1:Network"
_PARAMETERS: Final = "kubernetes:networking.gke.io/v1:GKENetworkParamSet"

# GKE page "Set up multi-network support for Pods", for networks of type Device.
LONGEST_NAME: Final = 41


@dataclass(frozen=True, kw_only=True)
class _Parameters:
    resource: Resource
    name: str | Unknown | None
    subnet: Place
    mode: str | Unknown | None


def object_findings(pool: NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    """Additional networks of a pool that no pod can request."""
    sets = [_parameters(resource, resources) for resource in resources.of_type(_PARAMETERS)]
    if not sets:
        yield CannotTell(
            pool.resource, "this stack has no GKENetworkParamSet, which pods need to attach to GPU networks"
        )
        return
    if not all(entry.certain for entry in entries) or any(of.subnet.identity is UNKNOWN for of in sets):
        yield CannotTell(pool.resource, "the GKENetworkParamSets of its networks are not known yet")
        return
    by_subnet = {of.subnet.identity: of for of in sets}
    missing = [entry.subnet.label for entry in entries if entry.subnet.identity not in by_subnet]
    if missing:
        yield pool.finding(
            f"{pool.label} with additional networks without a GKENetworkParamSet: {', '.join(missing)}",
            fix="Declare a GKENetworkParamSet (vpc, vpcSubnet, deviceMode) and a Network for each additional network.",
        )
    for number, entry in enumerate(entries):
        of = by_subnet.get(entry.subnet.identity)
        if of is not None:
            gpu = fabric.host_networks <= number < fabric.networks
            yield from _mode(pool, of, "RDMA" if gpu and fabric.kind == "RoCE" else "NetDevice")
            yield from _referred(pool, of, resources)


def _parameters(resource: Resource, resources: Resources) -> _Parameters:
    made = resources.present(resource.dependencies.get("spec", ()))
    subnets = [found for found in made if found.type == SUBNETWORK]
    return _Parameters(
        resource=resource,
        name=text(resource.inputs, "metadata", "name"),
        subnet=place(at(resource.inputs, "spec", "vpcSubnet"), SUBNETWORK, resources, subnets),
        mode=text(resource.inputs, "spec", "deviceMode"),
    )


def _mode(pool: NodePool, of: _Parameters, right: str) -> Iterator[Finding]:
    if of.mode is UNKNOWN:
        yield CannotTell(pool.resource, f"deviceMode of GKENetworkParamSet `{of.resource.name}` is not known yet")
    elif of.mode != right:
        yield pool.finding(
            f"{pool.label}: GKENetworkParamSet `{of.resource.name}` has deviceMode {of.mode}, not {right}",
            fix=f"Set spec.deviceMode to {right}.",
        )


def _referred(pool: NodePool, of: _Parameters, resources: Resources) -> Iterator[Finding]:
    names = [text(network.inputs, "spec", "parametersRef", "name") for network in resources.of_type(NETWORK_OBJECT)]
    if of.name in names and of.name is not UNKNOWN:
        return
    if UNKNOWN in names or of.name is UNKNOWN:
        yield CannotTell(pool.resource, f"which Network refers to GKENetworkParamSet `{of.resource.name}` is not known")
        return
    yield pool.finding(
        f"{pool.label}: no Network refers to GKENetworkParamSet `{of.resource.name}`",
        fix="Declare a Network (type Device, parametersRef) for each GKENetworkParamSet.",
    )

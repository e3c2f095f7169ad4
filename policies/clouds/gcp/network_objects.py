"""The Kubernetes objects with which pods request a GPU network: GKENetworkParamSet, and Network that refers to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.gpudirect import Fabric
from gpucluster.policies.clouds.gcp.networks import SUBNETWORK, Entry, Place, place
from gpucluster.policies.clouds.gcp.pools import NodePool
from gpucluster.policies.rule import CannotTell, Finding
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, text
from gpucluster.record import record

NETWORK_OBJECT: Final = "kubernetes:networking.gke.io/v1:Network"
_PARAMETERS: Final = "kubernetes:networking.gke.io/v1:GKENetworkParamSet"

# GKE page "Set up multi-network support for Pods", for networks of type Device.
LONGEST_NAME: Final = 41


@record(kw_only=True)
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

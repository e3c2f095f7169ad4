"""The networks of a GPU fabric.

Sources: GKE documentation, "Set up multi-network support for Pods" and "Maximize GPU network bandwidth in Standard mode
clusters"; AI Hypercomputer documentation, "Create a custom AI-optimized GKE cluster which uses A4 or A3 Ultra" and
"Allocate network resources by using GKE managed DRANET"; NVIDIA/aicr docs/integrator/gke-tcpxo-networking.md (an
additional network on A3 Mega replaces a GPU's); GoogleCloudPlatform/cluster-toolkit v1.95.0 examples.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

from gpucluster.sandbox.clouds.address_ranges import first_overlap
from gpucluster.sandbox.clouds.gcp.machines import NODE_POOL, Pool
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, kept_from, refused, region_of, rule
from gpucluster.sandbox.clouds.gcp.networks import is_roce, ranges_of, zone_of
from gpucluster.sandbox.clouds.store.ledger import Entry

_NICS: Final = 10
"""Maximum network interfaces of any machine type here; the first one is the cluster's."""


@rule(NODE_POOL)
def additional_networks_exist(managed: ManagedResource) -> None:
    """Each network and its subnetwork exist and belong together, in a cluster with multi-networking."""
    pool = Pool(managed)
    cluster = pool.cluster
    if pool.networks and cluster is not None and cluster.inputs.get("enableMultiNetworking") is not True:
        raise refused(managed, "Additional node networks require a cluster with multi-networking enabled")
    for given in pool.networks:
        network, subnetwork = _network(managed, given), _subnetwork(managed, given)
        if network is None:
            raise refused(managed, f"Network {given.get('network')} does not exist", status=404, reason="notFound")
        if subnetwork is None:
            raise refused(
                managed, f"Subnetwork {given.get('subnetwork')} does not exist", status=404, reason="notFound"
            )
        if managed.path(subnetwork.inputs["network"], "global/networks") != network.id:
            raise refused(managed, f"Subnetwork {subnetwork.name} is not in network {network.name}")


@rule(NODE_POOL)
def each_interface_has_its_network(managed: ManagedResource) -> None:
    """Two interfaces of a machine share no VPC, except a RoCE VPC, and no ranges overlap."""
    pool = Pool(managed)
    cluster = pool.cluster
    if not pool.networks or cluster is None:
        return
    own = str(cluster.outputs.get("network"))
    seen = {own}
    for given in pool.networks:
        network = _network(managed, given)
        if network is None or is_roce(network.inputs.get("networkProfile")):
            continue
        if network.id in seen:
            raise refused(managed, f"Network {network.name} is used by more than one interface of a node")
        seen.add(network.id)
    subnetworks = [managed.subnetwork(cluster.outputs.get("subnetwork"))]
    subnetworks += [_subnetwork(managed, given) for given in pool.networks]
    for one, other in combinations([entry for entry in subnetworks if entry is not None], 2):
        if one.id == other.id:
            raise refused(managed, f"Subnetwork {one.name} is used by more than one interface of a node")
        clash = first_overlap(ranges_of(one.inputs), ranges_of(other.inputs))
        if clash:
            message = f"Ranges {clash[0]} of {one.name} and {clash[1]} of {other.name} overlap"
            raise refused(managed, message)


@rule(NODE_POOL)
def fabric_is_complete(managed: ManagedResource) -> None:
    """A pool has all the networks of its fabric, or none."""
    pool = Pool(managed)
    machine, found = pool.machine, len(pool.networks)
    if not found:
        return
    most = machine.gpu_networks if machine is not None else _NICS - 1
    if found > most:
        message = f"Machine type {pool.machine_type} takes {most} additional networks; the pool has {found}"
        raise refused(managed, message)
    if machine is not None and found < most:
        what = f"{machine.fabric} on {machine.machine_type} needs {most} additional networks, and with {found} some of "
        raise kept_from(managed, f"{what}its GPUs have no interface")


@rule(NODE_POOL)
def roce_is_complete_and_near(managed: ManagedResource) -> None:
    """On RDMA machines one network is an ordinary one, and the other eight are subnetworks of a RoCE VPC in their
    zone.
    """
    pool = Pool(managed)
    machine = pool.machine
    networks = [network for given in pool.networks if (network := _network(managed, given)) is not None]
    roce = [network for network in networks if is_roce(network.inputs.get("networkProfile"))]
    if roce and (machine is None or not machine.is_rdma):
        raise refused(managed, f"Machine type {pool.machine_type} has no RDMA interfaces for network {roce[0].name}")
    if machine is None or not machine.is_rdma or not networks:
        return
    if len(roce) != machine.gpus:
        message = f"Machine type {pool.machine_type} has {machine.gpus} RDMA interfaces; {len(roce)} networks are RoCE"
        raise refused(managed, message)
    for network in roce:
        zone = zone_of(network.inputs.get("networkProfile"))
        if pool.zones != [zone]:
            message = f"Network {network.name} is of zone {zone}; the pool is in {', '.join(pool.zones)}"
            raise refused(managed, message)


@rule(NODE_POOL)
def frames_are_large(managed: ManagedResource) -> None:
    """All networks of a TCPX or TCPXO fabric, including the cluster's, and the RoCE network support large frames."""
    pool = Pool(managed)
    machine, cluster = pool.machine, pool.cluster
    if machine is None or machine.mtu is None or not pool.networks or cluster is None:
        return
    networks = [_network(managed, given) for given in pool.networks]
    if not machine.is_rdma:
        networks.append(managed.network(cluster.outputs.get("network")))
    for network in networks:
        if network is None or (machine.is_rdma and not is_roce(network.inputs.get("networkProfile"))):
            continue
        if int(network.outputs.get("mtu") or 0) != machine.mtu:
            what = f"{machine.fabric} needs an MTU of {machine.mtu}; network {network.name} has "
            raise kept_from(managed, f"{what}{network.outputs.get('mtu')}, and transfers between nodes stall")


@rule(NODE_POOL)
def gke_makes_networks_for_rdma_only(managed: ManagedResource) -> None:
    """With an accelerator network profile GKE creates the networks: only on RDMA machines, and without your own
    networks.
    """
    pool = Pool(managed)
    if not pool.network_profile:
        return
    if pool.networks:
        message = "accelerator_network_profile and additional_node_network_configs exclude each other"
        raise refused(managed, message)
    if pool.machine is None or not pool.machine.is_rdma:
        message = f"accelerator_network_profile is not supported on machine type {pool.machine_type}"
        raise refused(managed, message)


@rule(NODE_POOL)
def rdma_and_fast_socket_exclude_each_other(managed: ManagedResource) -> None:
    """NCCL Fast Socket excludes GPUDirect RDMA; the RDMA strategy requires RDMA machines."""
    pool = Pool(managed)
    is_rdma = pool.machine is not None and pool.machine.is_rdma
    fast: Any = pool.config.get("fastSocket")
    if is_rdma and isinstance(fast, dict) and fast.get("enabled") is True:
        raise refused(managed, f"NCCL Fast Socket is not compatible with GPUDirect RDMA on {pool.machine_type}")
    strategy = pool.config.get("gpudirectStrategy")
    if strategy == "RDMA" and not is_rdma:
        raise refused(managed, f"gpudirect_strategy RDMA is not supported on machine type {pool.machine_type}")
    if strategy not in (None, "", "RDMA", "GPU_DIRECT_STRATEGY_UNSPECIFIED"):
        raise refused(managed, f"Invalid value for gpudirect_strategy: {strategy}; valid: RDMA")


def _network(managed: ManagedResource, given: Any) -> Entry | None:
    return managed.network(given.get("network"))


def _subnetwork(managed: ManagedResource, given: Any) -> Entry | None:
    under = f"regions/{region_of(managed.location)}/subnetworks"
    return managed.at("gcp:compute/subnetwork:Subnetwork", managed.path(given.get("subnetwork"), under))

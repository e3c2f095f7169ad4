"""Every GPU network of a training node's machine type exists, with properties that the fabric needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.gpudirect import Fabric
from gpucluster.policies.clouds.gcp.gpu_networks import network_findings
from gpucluster.policies.clouds.gcp.network_objects import object_findings
from gpucluster.policies.clouds.gcp.networks import entries_of
from gpucluster.policies.clouds.gcp.pools import READS as MACHINES
from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resources
from gpucluster.program.values import flag, text

FIX: Final = (
    "List the GPU networks in network_config.additional_node_network_configs of the node pool: 4 VPCs on A3 High, "
    "exactly 8 on A3 Mega, one gVNIC VPC and then the 8 subnets of a RoCE VPC on A3 Ultra and A4; enable gvnic, and "
    "on the cluster enable_multi_networking with datapath_provider ADVANCED_DATAPATH."
)
READS: Final = (
    f"{MACHINES}, gcp:compute/network:Network, gcp:compute/subnetwork:Subnetwork, "
    "kubernetes:networking.gke.io/v1:{Network,GKENetworkParamSet}"
)


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for nodes in pool:
            yield from _of_nodes(nodes, stack.resources)


def _of_nodes(pool: NodePool, resources: Resources) -> Iterator[Finding]:
    fabric = pool.fabric
    if pool.written.known is None:
        yield CannotTell(pool.resource, f"the GPU networks that {pool.label} require are not known yet")
    if fabric is None:
        return
    yield from _gvnic(pool)
    profile = text(pool.written.inputs, "networkConfig", "acceleratorNetworkProfile")
    if profile is UNKNOWN:
        yield CannotTell(pool.resource, "whether GKE creates its GPU networks is not known yet")
    elif profile is None or fabric.kind != "RoCE":  # else GKE creates them all
        if pool.written.gke:
            yield from _cluster(pool)
        yield from _networks(pool, fabric, resources)


def _gvnic(pool: NodePool) -> Iterator[Finding]:
    on = flag(pool.written.inputs, "nodeConfig", "gvnic", "enabled")
    if on is UNKNOWN:
        yield CannotTell(pool.resource, "whether gVNIC is on is not known yet")
    elif on is not True:
        yield pool.finding(f"{pool.label} without gVNIC", fix="Set node_config.gvnic enabled to True.")


def _cluster(pool: NodePool) -> Iterator[Finding]:
    if pool.cluster is None:
        yield CannotTell(
            pool.resource, "its cluster is not part of this stack: whether it has multi-networking is unknown"
        )
        return
    multi = flag(pool.cluster.inputs, "enableMultiNetworking")
    datapath = text(pool.cluster.inputs, "datapathProvider")
    if UNKNOWN in (multi, datapath):
        yield CannotTell(pool.resource, "whether its cluster has multi-networking is not known yet")
        return
    lacking = [
        name
        for name, there in (
            ("enableMultiNetworking", multi is True),
            ("datapathProvider ADVANCED_DATAPATH", datapath == "ADVANCED_DATAPATH"),
        )
        if not there
    ]
    if lacking:
        yield pool.finding(f"{pool.label} in cluster `{pool.cluster.name}` without {' and '.join(lacking)}")


def _networks(pool: NodePool, fabric: Fabric, resources: Resources) -> Iterator[Finding]:
    entries = entries_of(pool.written, resources)
    if entries is UNKNOWN:
        yield CannotTell(pool.resource, "its additional networks are not known yet")
        return
    if len(entries) < fabric.networks:
        yield pool.finding(f"{pool.label} with {len(entries)} of {fabric.networks} additional networks")
    elif fabric.kind == "TCPXO" and len(entries) > fabric.networks:
        yield pool.finding(
            f"{pool.label} with {len(entries)} additional networks; {pool.machine} requires exactly {fabric.networks}: "
            "one more takes the place of a GPU's network"
        )
    else:
        yield from network_findings(pool, fabric, entries, resources)
        if pool.written.gke:
            yield from object_findings(pool, fabric, entries, resources)

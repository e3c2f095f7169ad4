"""A training node has every GPU fabric interface of its machine type."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from gpucluster.core.catalog.fabrics import Fabric
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import flag, text
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.gcp.gpu_networks import network_findings, object_findings
from gpucluster.policies.clouds.gcp.networks import entries_of
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule
from gpucluster.policies.frameworks import AWS_PLACEMENT


def _aws(stack: Stack) -> Iterator[Finding]:
    """Every network card of a training node has its EFA."""
    for machines in chain.from_iterable(aws.training_pools(stack.resources)):
        yield from _of_machines(machines)


def _of_machines(machines: aws.AwsMachines) -> Iterator[Finding]:
    if machines.template is UNKNOWN:
        yield machines.template_not_visible()
        return
    if machines.interfaces is UNKNOWN:
        of_template = isinstance(machines.template, Resource)
        open_question = "the network interfaces of its launch template are not known yet"
        yield CannotTell(
            machines.resource, open_question if of_template else "its network interfaces are not visible here"
        )
        return
    if machines.known is None:
        yield CannotTell(machines.resource, f"the table of machine types has no EFA interfaces for {machines.label}")
        return
    fitted = {interface.card for interface in machines.interfaces if interface.efa}
    missing = [card for card in machines.known.fabric_cards if card not in fitted]
    if missing and _may_be(missing, machines.interfaces):
        yield CannotTell(
            machines.resource, f"EFA on {aws.network_cards(missing)} of {machines.machine} is not known yet"
        )
    elif missing:
        total = len(machines.known.fabric_cards)
        yield machines.finding(
            f"{machines.label} with EFA on {total - len(missing)} of {total} network cards; "
            f"missing on {aws.network_cards(missing)}",
            fix=f"List an interface of type `efa-only` on {aws.network_cards(missing)} in networkInterfaces of the "
            "launch template: device 1 on card 0, device 0 on the others.",
        )


def _may_be(missing: list[int], listed: list[aws.Interface]) -> bool:
    """Whether entries that are unknown before the update could be the missing ones."""
    return sum(1 for entry in listed if entry.card is UNKNOWN or entry.kind is UNKNOWN) >= len(missing)


def _gcp(stack: Stack) -> Iterator[Finding]:
    """Every GPU network of a training node's machine type exists, with properties that the fabric needs."""
    for nodes in chain.from_iterable(gcp.training_pools(stack.resources)):
        yield from _of_nodes(nodes, stack.resources)


def _of_nodes(pool: gcp.NodePool, resources: Resources) -> Iterator[Finding]:
    fabric = pool.fabric
    if pool.declared.known is None:
        yield CannotTell(pool.resource, f"the GPU networks that {pool.label} require are not known yet")
    if fabric is None:
        return
    yield from _gvnic(pool)
    profile = text(pool.declared.inputs, "networkConfig", "acceleratorNetworkProfile")
    if profile is UNKNOWN:
        yield CannotTell(pool.resource, "whether GKE creates its GPU networks is not known yet")
    elif profile is None or fabric.kind != "RoCE":  # else GKE creates them all
        if pool.declared.managed:
            yield from _cluster(pool)
        yield from _additional_networks(pool, fabric, resources)


def _gvnic(pool: gcp.NodePool) -> Iterator[Finding]:
    on = flag(pool.declared.inputs, "nodeConfig", "gvnic", "enabled")
    if on is UNKNOWN:
        yield CannotTell(pool.resource, "whether gVNIC is on is not known yet")
    elif on is not True:
        yield pool.finding(f"{pool.label} without gVNIC", fix="Set node_config.gvnic enabled to True.")


def _cluster(pool: gcp.NodePool) -> Iterator[Finding]:
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
    needs = {"enableMultiNetworking": multi, "datapathProvider ADVANCED_DATAPATH": datapath == "ADVANCED_DATAPATH"}
    if lacking := [name for name, there in needs.items() if there is not True]:
        yield pool.finding(f"{pool.label} in cluster `{pool.cluster.name}` without {' and '.join(lacking)}")


def _additional_networks(pool: gcp.NodePool, fabric: Fabric, resources: Resources) -> Iterator[Finding]:
    entries = entries_of(pool.declared, resources)
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
        if pool.declared.managed:
            yield from object_findings(pool, fabric, entries, resources)


RULE: Final = StackRule(
    name="fabric-interfaces-complete",
    title="Nodes of a training pool have every fabric interface of their machine type",
    why="Each missing interface is bandwidth that you pay for but cannot use. Without any, NCCL falls back to TCP.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=30,
    frameworks=(AWS_PLACEMENT,),
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=aws.READS,
            fix="List one interface of type `efa-only` per network card in networkInterfaces of the launch template: "
            "device 1 on card 0, device 0 on the others.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=f"{gcp.READS}, gcp:compute/network:Network, gcp:compute/subnetwork:Subnetwork, "
            "kubernetes:networking.gke.io/v1:{Network,GKENetworkParamSet}",
            fix="List the GPU networks in network_config.additional_node_network_configs of the node pool: 4 VPCs on "
            "A3 High, exactly 8 on A3 Mega, one gVNIC VPC and then the 8 subnets of a RoCE VPC on A3 Ultra and A4; "
            "enable gvnic, and on the cluster enable_multi_networking with datapath_provider ADVANCED_DATAPATH.",
        ),
        template=True,
    ),
)

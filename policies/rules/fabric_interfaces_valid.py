"""The cloud can launch machines with their configured fabric interfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from gpucluster.core.catalog.fabrics import Fabric
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import at, flag, items, text
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.gcp import declared_pools as gcp
from gpucluster.policies.clouds.gcp.gpu_networks import LONGEST_NAME, NETWORK_OBJECT
from gpucluster.policies.clouds.per_cloud import CloudCheck, per_cloud
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, ResourceRule, Severity, Violation


def _aws(resource: Resource) -> Iterator[Finding]:
    """EC2 can launch machines with the interfaces a launch template lists."""
    if resource.type != aws.LAUNCH_TEMPLATE:
        return
    listed = aws.interfaces(resource)
    if listed is UNKNOWN:
        yield CannotTell(resource, "its network interfaces are not known yet")
        return
    if not any(interface.efa for interface in listed):
        return
    machine = text(resource.inputs, "instanceType")
    if problems := [*_pair_problems(listed), *_card_problems(listed, machine)]:
        yield Violation(resource, "; ".join(problems))
    elif machine is UNKNOWN:
        yield CannotTell(resource, "its network cards with EFA are unknown: its machine type is not known yet")


def _pair_problems(listed: list[aws.Interface]) -> Iterator[str]:
    """Card and device identify an interface, and (0, 0) is the one with the machine's address."""
    pairs = Counter((entry.card, entry.device) for entry in listed)
    for (card, device), number in pairs.items():
        if number > 1 and card is not UNKNOWN and device is not UNKNOWN:
            yield f"{number} interfaces with card {card} device {device}; each pair must be unique"
    first = [entry for entry in listed if (entry.card, entry.device) == (0, 0)]
    if any(entry.kind == "efa-only" for entry in first):
        yield "the interface with card 0 device 0 is `efa-only`; the machine's first one must be `interface` or `efa`"
    if not first and all(entry.card is not UNKNOWN and entry.device is not UNKNOWN for entry in listed):
        yield "no interface with card 0 device 0; the machine's first one must be `interface` or `efa`"
    if len(listed) > 1 and any(entry.public_ip is True for entry in listed):
        yield "a public IP address is requested; EC2 assigns none at launch to a machine with several interfaces"


def _card_problems(listed: list[aws.Interface], machine: object) -> Iterator[str]:
    """At most one EFA per card, and no more cards and interfaces than the machine has."""
    pairs = {(entry.card, entry.device) for entry in listed if entry.efa}  # duplicates are already reported
    efa = Counter(card for card, _ in pairs if card is not UNKNOWN)
    doubled = [card for card, number in efa.items() if number > 1]
    if doubled:
        yield f"more than one EFA on {aws.network_cards(doubled)}; a card supports one"
    known = machines().get(machine) if isinstance(machine, str) else None
    if known is None:
        return
    beyond = [card for card in efa if card not in known.fabric_cards]
    if beyond:
        takes = aws.network_cards(list(known.fabric_cards))
        yield f"EFA on {aws.network_cards(beyond)}; {machine} supports it on {takes}"
    each = Counter(entry.card for entry in listed if entry.card is not UNKNOWN)
    crowded = [card for card, number in each.items() if number > known.interfaces_per_card]
    if crowded:
        most = known.interfaces_per_card
        yield f"too many interfaces on {aws.network_cards(crowded)}; {machine} supports {most} a card"


def _gcp(resource: Resource) -> Iterator[Finding]:
    """GKE accepts a node pool with its additional networks."""
    if resource.type == NETWORK_OBJECT:
        yield from _name(resource)
    for pool in gcp.declared_pools(resource):
        listed = items(pool.inputs, "networkConfig", "additionalNodeNetworkConfigs")
        if listed is UNKNOWN:
            if pool.known is not None:
                yield CannotTell(resource, "its additional networks are not known yet")
            continue
        if problems := [*_network_problems(pool, listed), *_fabric_problems(pool, pool.fabric, listed)]:
            yield Violation(resource, "; ".join(problems))


def _name(network: Resource) -> Iterator[Finding]:
    name = text(network.inputs, "metadata", "name")
    if isinstance(name, str) and len(name) > LONGEST_NAME:
        what = f"name `{name}` has {len(name)} characters; GKE allows {LONGEST_NAME} for a Network"
        yield Violation(network, what, fix="Give it a shorter metadata.name.")


def _network_problems(pool: gcp.GcpPool, listed: list[Any]) -> Iterator[str]:
    """Requirements for every machine type."""
    if pool.sliced and listed:
        yield f"{len(listed)} additional networks on nodes with sliced GPUs, which have no GPU networks"
    subnets = Counter(gcp.last(name) for entry in listed if isinstance(name := text(entry, "subnetwork"), str))
    for name, number in subnets.items():
        if number > 1:
            yield f"subnet `{name}` {number} times among its additional networks; each interface needs its own subnet"


def _fabric_problems(pool: gcp.GcpPool, fabric: Fabric | None, listed: list[Any]) -> Iterator[str]:
    if fabric is None:
        return
    if fabric.kind != "RoCE":
        networks = Counter(gcp.last(name) for entry in listed if isinstance(name := text(entry, "network"), str))
        for name, number in networks.items():
            if number > 1:
                yield (
                    f"network `{name}` {number} times among its additional networks; each interface needs its own "
                    "network"
                )
    profile = text(pool.inputs, "networkConfig", "acceleratorNetworkProfile")
    if isinstance(profile, str) and fabric.kind != "RoCE":
        yield f"acceleratorNetworkProfile `{profile}` on {pool.machine}; only A3 Ultra and A4 support it"
    elif isinstance(profile, str) and listed:
        yield (
            f"acceleratorNetworkProfile `{profile}`, with which GKE creates the networks, together with "
            f"{len(listed)} others"
        )
    strategy = at(pool.inputs, "nodeConfig", "gpudirectStrategy")
    if isinstance(strategy, str) and (strategy != "RDMA" or fabric.kind != "RoCE"):
        takes = "RDMA or none" if fabric.kind == "RoCE" else "none"
        yield f"gpudirectStrategy `{strategy}`; allowed on {pool.machine}: {takes}"
    if flag(pool.inputs, "nodeConfig", "fastSocket", "enabled") is True and fabric.kind == "RoCE":
        yield "NCCL Fast Socket, which RDMA does not support"


RULE: Final = ResourceRule(
    name="fabric-interfaces-valid",
    title="Network interfaces of GPU machines form a layout that the cloud can launch",
    why="The cloud refuses the launch: the nodes fail after minutes, while their reservation or quota is held.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=40,
    **per_cloud(
        aws=CloudCheck(
            check=_aws,
            reads="aws:ec2/launchTemplate:LaunchTemplate",
            fix="Use the layout of the machine type: card 0 device 0 of type `interface`, then one `efa-only` per "
            "card (device 1 on card 0, device 0 on the others), in a private subnet, without associatePublicIpAddress.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads="gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster, "
            "kubernetes:networking.gke.io/v1:Network",
            fix="Use the networks of the machine type, each once, or, on A3 Ultra and A4, accelerator_network_profile "
            "alone; no networks on nodes with sliced GPUs; gpudirect_strategy RDMA only on A3 Ultra and A4, without "
            "fast_socket.",
        ),
    ),
)

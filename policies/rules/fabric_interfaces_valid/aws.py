"""EC2 can launch machines with the interfaces a launch template lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.policies.clouds.aws.interfaces import Interface, interfaces, network_cards
from gpucluster.policies.clouds.aws.machines import LAUNCH_TEMPLATE
from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import text

FIX: Final = (
    "Use the layout of the machine type: card 0 device 0 of type `interface`, then one `efa-only` per card (device "
    "1 on card 0, device 0 on the others), in a private subnet, without associatePublicIpAddress."
)
READS: Final = "aws:ec2/launchTemplate:LaunchTemplate"


def check(resource: Resource) -> Iterator[Finding]:
    if resource.type != LAUNCH_TEMPLATE:
        return
    listed = interfaces(resource)
    if listed is UNKNOWN:
        yield CannotTell(resource, "its network interfaces are not known yet")
        return
    if not any(interface.efa for interface in listed):
        return
    machine = text(resource.inputs, "instanceType")
    if problems := [*_pairs(listed), *_cards(listed, machine)]:
        yield Violation(resource, "; ".join(problems))
    elif machine is UNKNOWN:
        yield CannotTell(resource, "its network cards with EFA are unknown: its machine type is not known yet")


def _pairs(listed: list[Interface]) -> Iterator[str]:
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


def _cards(listed: list[Interface], machine: object) -> Iterator[str]:
    """At most one EFA per card, and no more cards and interfaces than the machine has."""
    pairs = {(entry.card, entry.device) for entry in listed if entry.efa}  # duplicates are already reported
    efa = Counter(card for card, _ in pairs if card is not UNKNOWN)
    doubled = [card for card, number in efa.items() if number > 1]
    if doubled:
        yield f"more than one EFA on {network_cards(doubled)}; a card supports one"
    known = machines().get(machine) if isinstance(machine, str) else None
    if known is None:
        return
    beyond = [card for card in efa if card not in known.fabric_cards]
    if beyond:
        takes = network_cards(list(known.fabric_cards))
        yield f"EFA on {network_cards(beyond)}; {machine} supports it on {takes}"
    each = Counter(entry.card for entry in listed if entry.card is not UNKNOWN)
    crowded = [card for card, number in each.items() if number > known.interfaces_per_card]
    if crowded:
        yield f"too many interfaces on {network_cards(crowded)}; {machine} supports {known.interfaces_per_card} a card"

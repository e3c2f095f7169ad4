"""Every network card of a training node has its EFA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.interfaces import Interface, network_cards
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.machines import AwsMachines
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource

FIX: Final = (
    "List one interface of type `efa-only` per network card in networkInterfaces of the launch template: device 1 "
    "on card 0, device 0 on the others."
)
READS: Final = MACHINES


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            yield from _of_machines(machines)


def _of_machines(machines: AwsMachines) -> Iterator[Finding]:
    if machines.template is UNKNOWN:
        yield machines.template_not_visible()
        return
    if machines.interfaces is UNKNOWN:
        of_template = isinstance(machines.template, Resource)
        said = "the network interfaces of its launch template are not known yet"
        yield CannotTell(machines.resource, said if of_template else "its network interfaces are not visible here")
        return
    if machines.known is None:
        yield CannotTell(machines.resource, f"the table of machine types has no EFA interfaces for {machines.label}")
        return
    fitted = {interface.card for interface in machines.interfaces if interface.efa}
    missing = [card for card in machines.known.fabric_cards if card not in fitted]
    if missing and _may_be(missing, machines.interfaces):
        yield CannotTell(machines.resource, f"EFA on {network_cards(missing)} of {machines.machine} is not known yet")
    elif missing:
        total = len(machines.known.fabric_cards)
        yield machines.finding(
            f"{machines.label} with EFA on {total - len(missing)} of {total} network cards; "
            f"missing on {network_cards(missing)}",
            fix=f"List an interface of type `efa-only` on {network_cards(missing)} in networkInterfaces of the launch "
            "template: device 1 on card 0, device 0 on the others.",
        )


def _may_be(missing: list[int], listed: list[Interface]) -> bool:
    """Whether entries that are unknown before the update could be the missing ones."""
    return sum(1 for entry in listed if entry.card is UNKNOWN or entry.kind is UNKNOWN) >= len(missing)

"""Every network card of a training node carries its EFA."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import UNKNOWN
from policies.clouds.aws.interfaces import Interface, network_cards
from policies.clouds.aws.training_pools import TrainingPool, training_pools
from policies.frameworks import AWS_PLACEMENT
from policies.rule import CannotTell, Finding, Severity, Stack, StackRule

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _aws(pool)


def _aws(pool: TrainingPool) -> Iterator[Finding]:
    if pool.template is UNKNOWN:
        yield pool.template_not_visible()
        return
    if pool.interfaces is UNKNOWN:
        yield CannotTell(pool.node_group, "the network interfaces of its launch template are not known yet")
        return
    if pool.fabric is None:
        yield CannotTell(pool.node_group, f"how many EFA interfaces {pool.label} take is not in our table")
        return
    fitted = {interface.card for interface in pool.interfaces if interface.efa}
    missing = [card for card in pool.fabric.efa_cards if card not in fitted]
    if missing and _may_be(missing, pool.interfaces):
        yield CannotTell(pool.node_group, f"EFA on {network_cards(missing)} of {pool.machine} is not known yet")
    elif missing:
        total = len(pool.fabric.efa_cards)
        yield pool.finding(
            f"{pool.label} with EFA on {total - len(missing)} of {total} network cards; "
            f"missing on {network_cards(missing)}",
            fix=f"List an interface of type `efa-only` on {network_cards(missing)} in networkInterfaces of the launch "
            "template: device 1 on card 0, device 0 on the others.",
        )


def _may_be(missing: list[int], listed: list[Interface]) -> bool:
    """Whether entries that are not known yet could be the missing ones."""
    return sum(1 for entry in listed if entry.card is UNKNOWN or entry.kind is UNKNOWN) >= len(missing)


RULE: Final = StackRule(
    name="fabric-interfaces-complete",
    title="Nodes of a training pool have EFA on every network card that takes one",
    why="Each missing card is bandwidth the machine's price includes and training does not get; without any, NCCL "
    "falls back to TCP.",
    fix="List one interface of type `efa-only` per network card in networkInterfaces of the launch template: device 1 "
    "on card 0, device 0 on the others.",
    reads="aws:eks/nodeGroup:NodeGroup, aws:ec2/launchTemplate:LaunchTemplate",
    severity=Severity.CRITICAL,
    frameworks=(AWS_PLACEMENT,),
    check=check,
)

"""The network interfaces of a launch template.

Source: Amazon EC2 user guide, "Maximize network bandwidth on Amazon EC2 instances with multiple network cards" and
"EFA: accelerated instance types"; counts from aws/karpenter-provider-aws v1.14.1
`zz_generated.vpclimits.go`. The catalog has the same data: this separate table judges what is built from the catalog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule


@dataclass(frozen=True)
class _Cards:
    cards: int
    interfaces_per_card: int


_CARDS: Final = {
    "p5.48xlarge": _Cards(cards=32, interfaces_per_card=2),
    "p5e.48xlarge": _Cards(cards=32, interfaces_per_card=2),
    "p5en.48xlarge": _Cards(cards=16, interfaces_per_card=4),
    "p5.4xlarge": _Cards(cards=1, interfaces_per_card=4),
    "p4d.24xlarge": _Cards(cards=4, interfaces_per_card=15),
    "p4de.24xlarge": _Cards(cards=4, interfaces_per_card=15),
}
_EFA: Final = ("efa", "efa-only")


@rule("aws:ec2/launchTemplate:LaunchTemplate")
def interfaces_fit_the_cards(managed: ManagedResource) -> None:
    """Each (card, device) once, the primary one with an IP address, at most one EFA per card, all on existing cards."""
    interfaces = items(managed.inputs.get("networkInterfaces"))
    instance_type = managed.inputs.get("instanceType")
    if instance_type not in _CARDS or not interfaces:
        return
    limits = _CARDS[instance_type]
    places = [_place(interface) for interface in interfaces]
    for card, device in places:
        if card >= limits.cards or places.count((card, device)) > 1:
            reason = (
                "is used twice"
                if card < limits.cards
                else f"does not exist; {instance_type} has cards 0 to {limits.cards - 1}"
            )
            raise _refused(managed, f"network card index {card}, device index {device} {reason}")
    for card in {card for card, _ in places}:
        if sum(other == card for other, _ in places) > limits.interfaces_per_card:
            raise _refused(
                managed, f"network card {card} of {instance_type} takes {limits.interfaces_per_card} interfaces"
            )
        on_card = [interface for interface in interfaces if _place(interface)[0] == card]
        if sum(interface.get("interfaceType") in _EFA for interface in on_card) > 1:
            raise _refused(managed, f"network card {card} has more than one Elastic Fabric Adapter")
    primary = next((interface for interface in interfaces if _place(interface) == (0, 0)), None)
    if primary is None or primary.get("interfaceType") == "efa-only":
        raise _refused(managed, "the primary interface (card 0, device 0) must be of type 'interface' or 'efa'")


def _place(interface: Mapping[str, Any]) -> tuple[int, int]:
    return int(interface.get("networkCardIndex") or 0), int(interface.get("deviceIndex") or 0)


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EC2: CreateLaunchTemplate", 400, "InvalidParameterCombination", message)

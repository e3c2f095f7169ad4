"""The network interfaces of a GPU node: cards for the fabric, and the one for IP."""

from __future__ import annotations

from typing import Literal

from gpucluster.catalog.machines import Machine
from gpucluster.record import record


@record(kw_only=True)
class Interface:
    """One interface of a launch template: `interface` carries IP, `efa-only` the fabric and no address."""

    card: int
    device: int
    kind: Literal["interface", "efa-only"]


def plan_interfaces(shape: Machine) -> tuple[Interface, ...]:
    """One IP interface and one fabric interface for each network card.

    Card 0 has both: device 0 must be the IP interface, so its fabric interface is device 1. The fabric interfaces have
    no address, so a p5.48xlarge uses one address of the subnet for the node, not 32.
    Source: Amazon EC2 user guide, page efa-acc-inst-types.
    """
    return (
        Interface(card=0, device=0, kind="interface"),
        Interface(card=0, device=1, kind="efa-only"),
        *(Interface(card=card, device=0, kind="efa-only") for card in range(1, shape.network_cards)),
    )

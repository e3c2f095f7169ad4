"""Network interfaces of a launch template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import flag, items, text, whole
from gpucluster.record import record

_EFA = ("efa", "efa-only")


@record(kw_only=True)
class Interface:
    """
    card, device: networkCardIndex and deviceIndex, 0 if not given, as in EC2.
    kind: `interface` (IP only, the default), `efa` (IP and EFA) or `efa-only`.
    public_ip: associatePublicIpAddress; None leaves it to the subnet.
    security_groups: their ids.
    """

    card: int | Unknown
    device: int | Unknown
    kind: str | Unknown
    public_ip: bool | Unknown | None
    security_groups: list[Any] | Unknown

    @property
    def efa(self) -> bool:
        return self.kind is not UNKNOWN and self.kind in _EFA


def interfaces(template: Resource) -> list[Interface] | Unknown:
    """The interfaces in the template's order; UNKNOWN if their number is unknown."""
    listed = items(template.inputs, "networkInterfaces")
    if listed is UNKNOWN:
        return UNKNOWN
    return [_interface(entry) for entry in listed]


def _interface(entry: object) -> Interface:
    card, device = whole(entry, "networkCardIndex"), whole(entry, "deviceIndex")
    kind = text(entry, "interfaceType")
    return Interface(
        card=0 if card is None else card,
        device=0 if device is None else device,
        kind="interface" if kind is None else kind,
        public_ip=flag(entry, "associatePublicIpAddress"),
        security_groups=items(entry, "securityGroups"),
    )


def network_cards(cards: list[int]) -> str:
    """Card numbers in words: `card 7`, `cards 1-31`, `cards 1-4, 9`."""
    runs = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(sorted(cards)))
    return f"card{'s' if len(cards) > 1 else ''} {runs}"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last

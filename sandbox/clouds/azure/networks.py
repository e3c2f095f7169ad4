"""Address ranges of networks, subnets, services and pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network
from typing import Any

from gpucluster.core.text.type_guards import items, mapping


def written(block: Any) -> IPv4Network | None:
    """An IPv4 range in the form that ARM accepts, without host bits; None for anything else."""
    try:
        return IPv4Network(str(block))
    except ValueError:
        return None


def of_network(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The address space of a virtual network."""
    return _all(items(mapping(inputs.get("addressSpace")).get("addressPrefixes")))


def of_subnet(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The ranges of a subnet, which has one prefix or a list of them."""
    return _all([inputs.get("addressPrefix"), *items(inputs.get("addressPrefixes"))])


def clash(some: Iterable[IPv4Network], others: Iterable[IPv4Network]) -> tuple[IPv4Network, IPv4Network] | None:
    """The first pair of ranges that share an address."""
    around = list(others)
    return next(((one, other) for one in some for other in around if one.overlaps(other)), None)


def _all(blocks: Iterable[Any]) -> list[IPv4Network]:
    return [found for block in blocks if (found := written(block)) is not None]

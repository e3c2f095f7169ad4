"""Address ranges of subnetworks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network
from typing import Any

from gpucluster.core.text.type_guards import items, mapping


def written(block: Any) -> IPv4Network | None:
    """A range in the form that the API accepts, without host bits; None for anything else."""
    try:
        return IPv4Network(str(block))
    except ValueError:
        return None


def ranges_of(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The primary and secondary ranges of a subnetwork."""
    blocks = [inputs.get("ipCidrRange")]
    blocks += [mapping(item).get("ipCidrRange") for item in items(inputs.get("secondaryIpRanges"))]
    return [found for block in blocks if (found := written(block)) is not None]


def overlap(some: Sequence[IPv4Network], others: Sequence[IPv4Network]) -> tuple[IPv4Network, IPv4Network] | None:
    """The first pair of ranges that share an address."""
    return next(((one, other) for one in some for other in others if one.overlaps(other)), None)

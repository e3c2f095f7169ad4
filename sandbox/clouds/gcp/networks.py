"""Network profiles, and the address ranges of subnetworks.

Source: VPC documentation, "RDMA network profiles": `projects/P/global/networkProfiles/ZONE-vpc-roce`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.address_ranges import ipv4_ranges

_PROFILE: Final = r"(?:.*/)?networkProfiles/([a-z]+-[a-z]+\d+-[a-z])-vpc-(roce|roce-metal|falcon)"


def is_roce(profile: Any) -> bool:
    """Whether a network with this profile is for RDMA over Ethernet."""
    found = re.fullmatch(_PROFILE, str(profile or ""))
    return found is not None and found[2].startswith("roce")


def zone_of(profile: Any) -> str:
    """The zone of a profile; empty for none, or for an unknown form."""
    found = re.fullmatch(_PROFILE, str(profile or ""))
    return found[1] if found else ""


def ranges_of(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The primary and secondary ranges of a subnetwork."""
    blocks = [inputs.get("ipCidrRange")]
    blocks += [mapping(item).get("ipCidrRange") for item in items(inputs.get("secondaryIpRanges"))]
    return ipv4_ranges(blocks)

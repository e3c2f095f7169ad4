"""Network profiles: the kind of VPC of a network, and its zone.

Source: VPC documentation, "RDMA network profiles": `projects/P/global/networkProfiles/ZONE-vpc-roce`.
"""

from __future__ import annotations

import re
from typing import Any, Final

_PROFILE: Final = r"(?:.*/)?networkProfiles/([a-z]+-[a-z]+\d+-[a-z])-vpc-(roce|roce-metal|falcon)"


def is_roce(profile: Any) -> bool:
    """Whether a network with this profile is for RDMA over Ethernet."""
    found = re.fullmatch(_PROFILE, str(profile or ""))
    return found is not None and found[2].startswith("roce")


def zone_of(profile: Any) -> str:
    """The zone of a profile; empty for none, or for an unknown form."""
    found = re.fullmatch(_PROFILE, str(profile or ""))
    return found[1] if found else ""

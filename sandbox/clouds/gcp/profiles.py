"""Network profiles: what kind of VPC a network is, and in which zone.

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
    """The zone of a profile; empty for none, or for one of another form."""
    found = re.fullmatch(_PROFILE, str(profile or ""))
    return found[1] if found else ""

"""Ranges of addresses from which a cluster's API is reached."""

import ipaddress
from typing import Annotated

from pydantic import AfterValidator

# The widest range that belongs to one owner: registries get the internet's addresses by /8 (IANA IPv4 address space
# registry), and the widest private range is 10.0.0.0/8 (RFC 1918).
_WIDEST = 8
# No machine has these on the internet. Sources: RFC 1918, RFC 6598 (carriers), RFC 1122 (loopback), RFC 3927 (link).
_PRIVATE = tuple(
    map(
        ipaddress.IPv4Network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    )
)


def _cidr(value: str) -> str:
    try:
        network = ipaddress.IPv4Network(value)
    except ValueError:
        raise ValueError("is not an IPv4 range; write one such as 203.0.113.0/24, with no host bits set") from None
    if network.prefixlen < _WIDEST:
        whom = f"{network.num_addresses:,} addresses" if network.prefixlen else "everyone"
        raise ValueError(
            f"opens the cluster's API to {whom}; write the ranges of your office or VPN, none wider than /{_WIDEST}"
        )
    return str(network)


def _public_cidr(value: str) -> str:
    private = next((range_ for range_ in _PRIVATE if range_.overlaps(ipaddress.IPv4Network(value))), None)
    if private is not None:
        raise ValueError(
            f"overlaps {private}, which is not public; write the public range of your office or VPN, or choose kind: "
            "private with via: vpn"
        )
    return value


Cidr = Annotated[str, AfterValidator(_cidr)]
PublicCidr = Annotated[Cidr, AfterValidator(_public_cidr)]

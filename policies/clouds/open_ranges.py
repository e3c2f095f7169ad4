"""Address ranges equivalent to the whole internet, and endpoints open to them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network
from typing import Any, Final, TypeVar

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.policies.engine.rule import CannotTell, Finding, Violation

_OPEN_SHARE: Final = 1 / 32
"""Share of all IPv4 addresses, or of the public IPv6 ones, from which ranges together count as open to anyone:
eight networks of /8. No organisation that lists its own ranges has as many."""

_PUBLIC_V6: Final = ipaddress.IPv6Network("2000::/3")
"""Global unicast addresses (IANA, IPv6 Address Space)."""

_SHOWN: Final = 4

_Net = TypeVar("_Net", IPv4Network, IPv6Network)


def everywhere(ranges: Iterable[Any]) -> list[str]:
    """The ranges that open access to anyone: alone or together they contain _OPEN_SHARE of the addresses.

    Private addresses do not count; invalid ranges are left to the cloud, which refuses them.
    """
    networks = {given: network for given in ranges if (network := _network(given)) is not None}
    v4 = {given: network for given, network in networks.items() if isinstance(network, IPv4Network)}
    v6 = {
        given: _public(of) for given, of in networks.items() if isinstance(of, IPv6Network) and of.overlaps(_PUBLIC_V6)
    }
    return _open(v4, 2**32) + _open(v6, _PUBLIC_V6.num_addresses)


def _open(networks: Mapping[str, _Net], of: int) -> list[str]:
    alone = [given for given, network in networks.items() if network.num_addresses >= _OPEN_SHARE * of]
    if alone:
        return alone
    held = sum(network.num_addresses for network in ipaddress.collapse_addresses(networks.values()))
    return list(networks) if held >= _OPEN_SHARE * of else []


def reached_from(resource: Resource, ranges: Sequence[Any], endpoint: str) -> Iterator[Finding]:
    """A finding for an endpoint that is open to anyone, or may be: an unknown range could contain every address.

    endpoint: its name, with the article.
    """
    if named := everywhere(ranges):
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        together = ", which together are a large part of the internet" if len(named) > 1 else ""
        yield Violation(resource, f"{endpoint} for {', '.join(named[:_SHOWN])}{more}{together}")
    elif unknown := sum(given is UNKNOWN for given in ranges):
        yield CannotTell(resource, f"ranges that reach its endpoint: {unknown} of {len(ranges)} not known yet")


def _network(given: Any) -> IPv4Network | IPv6Network | None:
    """A range with public addresses; like the clouds, it reads a range with host bits as its network."""
    if not isinstance(given, str):
        return None
    try:
        network = ipaddress.ip_network(given.strip(), strict=False)
    except ValueError:
        return None
    return None if network.is_private else network


def _public(network: IPv6Network) -> IPv6Network:
    """The public part of it."""
    return _PUBLIC_V6 if network.supernet_of(_PUBLIC_V6) else network

"""Traffic that the firewall rules of a VPC allow from its own subnets."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, flag, items, known_items, text
from gpucluster.policies.clouds.gcp.networks import SUBNETWORK, own_network

PROTOCOLS: Final = ("tcp", "udp", "icmp")

_FIREWALL: Final = "gcp:compute/firewall:Firewall"
# A network may also have rules from a policy attached to it.
_ATTACHED: Final = (
    "gcp:compute/networkFirewallPolicyAssociation:NetworkFirewallPolicyAssociation",
    "gcp:compute/regionNetworkFirewallPolicyAssociation:RegionNetworkFirewallPolicyAssociation",
)
# IANA numbers, which the API accepts as well.
_NUMBERS: Final = {"6": "tcp", "17": "udp", "1": "icmp"}
_EVERY_PORT: Final = ("0-65535", "1-65535")


@dataclass(frozen=True)
class Opening:
    """
    closed: protocols that no rule allows from every subnet of the network.
    certain: False if a rule that is not read here may decide otherwise.
    """

    closed: tuple[str, ...]
    certain: bool


def firewalls_of(network: Resource, resources: Resources) -> list[Resource]:
    """The firewall rules of a network in this stack."""
    return [rule for rule in resources.of_type(_FIREWALL) if own_network(rule, resources).resource is network]


def opening_of(network: Resource, resources: Resources) -> Opening:
    """Closed protocols between the subnets of a network; by default Google Cloud allows all egress and no ingress."""
    ranges = [
        at(subnet.inputs, "ipCidrRange")
        for subnet in resources.of_type(SUBNETWORK)
        if own_network(subnet, resources).resource is network
    ]
    opened: set[str] = set()
    attached = resources.of_type(*_ATTACHED)
    certain = not any(network.urn in policy.dependencies.get("attachmentTarget", ()) for policy in attached)
    for rule in firewalls_of(network, resources):
        if flag(rule.inputs, "disabled") is True or text(rule.inputs, "direction") == "EGRESS":
            continue
        if _unread(rule) or not ranges or UNKNOWN in ranges:
            certain = False
        elif _covers(known_items(rule.inputs, "sourceRanges"), ranges):
            opened |= _protocols(known_items(rule.inputs, "allows"))
    return Opening(tuple(name for name in PROTOCOLS if name not in opened), certain)


def _unread(rule: Resource) -> bool:
    """Whether a rule denies, applies to some machines only, or is unknown before the update."""
    narrowed = ("denies", "targetTags", "targetServiceAccounts", "sourceTags", "sourceServiceAccounts")
    if any(at(rule.inputs, name) not in (None, []) for name in narrowed):
        return True
    sources, allows = items(rule.inputs, "sourceRanges"), items(rule.inputs, "allows")
    if sources is UNKNOWN or allows is UNKNOWN or UNKNOWN in sources:
        return True
    read = [at(rule.inputs, "disabled"), at(rule.inputs, "direction")]
    return UNKNOWN in read or any(UNKNOWN in (at(part, "protocol"), at(part, "ports")) for part in allows)


def _covers(sources: list[Any], ranges: list[Any]) -> bool:
    """Whether the sources include every range; a rule without sources applies to all of them."""
    outer = [_range(source) for source in sources]
    return not sources or all(any(_inside(_range(inner), of) for of in outer) for inner in ranges)


def _range(written: object) -> ipaddress.IPv4Network | None:
    """An IPv4 range, the only kind in GPU networks; None for anything else."""
    try:
        return ipaddress.IPv4Network(str(written), strict=False)
    except ValueError:
        return None


def _inside(inner: ipaddress.IPv4Network | None, outer: ipaddress.IPv4Network | None) -> bool:
    return inner is not None and outer is not None and inner.subnet_of(outer)


def _protocols(allows: list[Any]) -> set[str]:
    found: set[str] = set()
    for entry in allows:
        protocol = str(at(entry, "protocol")).lower()
        ports = known_items(entry, "ports")
        if not ports or any(port in _EVERY_PORT for port in ports):
            found |= set(PROTOCOLS) if protocol == "all" else {_NUMBERS.get(protocol, protocol)}
    return found

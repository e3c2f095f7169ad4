"""Address ranges of virtual networks and their subnets."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network
from typing import Any

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.address_ranges import ipv4_ranges


def ranges_of_network(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The address space of a virtual network."""
    return ipv4_ranges(items(mapping(inputs.get("addressSpace")).get("addressPrefixes")))


def ranges_of_subnet(inputs: Mapping[str, Any]) -> list[IPv4Network]:
    """The ranges of a subnet, which has one prefix or a list of them."""
    return ipv4_ranges([inputs.get("addressPrefix"), *items(inputs.get("addressPrefixes"))])

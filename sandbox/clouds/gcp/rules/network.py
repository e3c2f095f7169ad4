"""VPCs, their subnetworks and firewalls, and private connections to Google's services.

Sources: Compute Engine API, networks, subnetworks and firewalls; VPC documentation, "Subnets", "Maximum transmission
unit" and "RDMA network profiles"; Cloud NGFW documentation, "Cloud NGFW for RoCE VPC networks" (VPC firewall rules are
not supported).

Sources: Service Networking documentation, "Configure private services access" (one connection per network and service;
another range is added to it); Compute Engine API, globalAddresses.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.address_ranges import first_overlap, ipv4_range
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, forms, refused, region_of, rule
from gpucluster.sandbox.clouds.gcp.networks import is_roce, ranges_of, zone_of

_NETWORK: Final = "gcp:compute/network:Network"
_SUBNETWORK: Final = "gcp:compute/subnetwork:Subnetwork"
_FIREWALL: Final = "gcp:compute/firewall:Firewall"
_ROUTER: Final = "gcp:compute/router:Router"
_NAT: Final = "gcp:compute/routerNat:RouterNat"

_SMALLEST: Final = 29
_AUTO: Final = IPv4Network("10.128.0.0/9")
"""The range that a network in auto mode uses."""


@rule(_NETWORK)
def profile_exists(managed: ManagedResource) -> None:
    """A profile belongs to a zone, and its network is in custom mode."""
    profile = managed.inputs.get("networkProfile")
    if not profile:
        return
    if not zone_of(profile):
        message = f"Invalid value for field 'resource.networkProfile': '{profile}'; a profile ends in ZONE-vpc-roce"
        raise refused(managed, message, reason="invalid")
    if managed.inputs.get("autoCreateSubnetworks") is not False:
        raise refused(managed, "A network with a network profile cannot be in auto mode", reason="invalid")


@rule(_SUBNETWORK, _FIREWALL, _ROUTER)
def network_exists(managed: ManagedResource) -> None:
    """The network exists; every project has a network `default`."""
    given = managed.inputs.get("network")
    path = managed.path(given, "global/networks")
    if given and managed.network(given) is None and not path.endswith("/networks/default"):
        raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")


@rule(_SUBNETWORK)
def ranges_are_written_as_ranges(managed: ManagedResource) -> None:
    """IPv4 blocks without host bits, of at least eight addresses, with unique names."""
    blocks = [("ipCidrRange", managed.inputs.get("ipCidrRange"))]
    secondary = [mapping(item) for item in items(managed.inputs.get("secondaryIpRanges"))]
    blocks += [(f"secondaryIpRanges[{at}].ipCidrRange", item.get("ipCidrRange")) for at, item in enumerate(secondary)]
    for name, block in blocks:
        found = ipv4_range(block)
        if block and (found is None or found.prefixlen > _SMALLEST):
            message = f"Invalid value for field 'resource.{name}': '{block}'. Must be a CIDR address range"
            raise refused(managed, message, reason="invalid")
    names = [item.get("rangeName") for item in secondary]
    if len(set(names)) < len(names):
        raise refused(managed, "Duplicate secondary range names", reason="invalid")


@rule(_SUBNETWORK)
def ranges_of_a_network_do_not_overlap(managed: ManagedResource) -> None:
    """Primary and secondary ranges share no address with any other range of the network."""
    own = ranges_of(managed.inputs)
    for at, block in enumerate(own):
        clash = first_overlap([block], own[at + 1 :])
        if clash:
            raise _overlapping(managed, str(clash[0]), f"{clash[1]} of the same subnetwork")
    path = managed.path(managed.inputs.get("network"), "global/networks")
    for entry in managed.others(_SUBNETWORK, *forms(path)):
        if managed.path(entry.inputs.get("network"), "global/networks") == path:
            clash = first_overlap(own, ranges_of(entry.inputs))
            if clash:
                raise _overlapping(managed, str(clash[0]), f"{clash[1]} of {entry.id}")
    network = managed.network(path)
    if network is not None and network.inputs.get("autoCreateSubnetworks") is not False:
        clash = first_overlap(own, [_AUTO])
        if clash:
            raise _overlapping(managed, str(clash[0]), f"{_AUTO}, which the network in auto mode takes")


@rule(_SUBNETWORK)
def subnetwork_is_near_its_profile(managed: ManagedResource) -> None:
    """A subnetwork of a network with a profile is in the profile's region."""
    network = managed.network(managed.inputs.get("network"))
    zone = zone_of(network.inputs.get("networkProfile")) if network is not None else ""
    if zone and region_of(zone) != managed.region:
        raise refused(managed, f"Region {managed.region} does not contain {zone}, the zone of the network profile")


@rule(_FIREWALL)
def roce_has_no_firewall(managed: ManagedResource) -> None:
    """VPC firewall rules do not support networks with an RDMA profile."""
    network = managed.network(managed.inputs.get("network"))
    if network is not None and is_roce(network.inputs.get("networkProfile")):
        profile = str(network.inputs["networkProfile"]).rsplit("/", 1)[-1]
        message = f"Firewall rules are not supported on network {network.name} with network profile {profile}"
        raise refused(managed, message, reason="invalid")


@rule(_FIREWALL)
def firewall_allows_or_denies(managed: ManagedResource) -> None:
    """A rule either allows or denies."""
    if bool(managed.inputs.get("allows")) == bool(managed.inputs.get("denies")):
        raise refused(managed, "A firewall needs exactly one of allow and deny", reason="invalid")


@rule(_NAT)
def router_exists(managed: ManagedResource) -> None:
    """The router of a NAT exists in its region."""
    name = str(managed.inputs["router"]).rsplit("/", 1)[-1]
    path = f"projects/{managed.project}/regions/{managed.region}/routers/{name}"
    if managed.at(_ROUTER, path) is None:
        raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")
    if managed.inputs.get("natIpAllocateOption") == "MANUAL_ONLY" and not managed.inputs.get("natIps"):
        raise refused(managed, "MANUAL_ONLY needs nat_ips", reason="invalid")


@rule(_NAT)
def subnetworks_of_a_nat_exist(managed: ManagedResource) -> None:
    """The subnetworks of a NAT exist."""
    for item in items(managed.inputs.get("subnetworks")):
        name = mapping(item).get("name")
        if managed.subnetwork(name) is None:
            path = managed.path(name, f"regions/{managed.region}/subnetworks")
            raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")


def _overlapping(managed: ManagedResource, block: str, other: str) -> Exception:
    message = f"Invalid IPCidrRange: {block} conflicts with existing range {other}"
    return refused(managed, message, reason="invalidResourceUsage")


_CONNECTION: Final = "gcp:servicenetworking/connection:Connection"
_ADDRESS: Final = "gcp:compute/globalAddress:GlobalAddress"


@rule(_CONNECTION)
def connection_is_the_only_one(managed: ManagedResource) -> None:
    """One connection per network and service; its ranges are added to it."""
    if managed.previous:
        return
    wanted = (managed.path(managed.inputs["network"], "global/networks"), managed.inputs["service"])
    for entry in managed.others(_CONNECTION, *forms(wanted[0])):
        if (managed.path(entry.inputs["network"], "global/networks"), entry.inputs["service"]) == wanted:
            raise CloudError(
                "Error waiting for Create Service Networking Connection: Error code 9, message: Cannot modify "
                "allocated "
                f"ranges in CreateConnection. Please use UpdateConnection. Existing connection: {entry.id}"
            )


@rule(_CONNECTION)
def connected_ranges_are_allocated(managed: ManagedResource) -> None:
    """The network exists, and each range is an address block allocated for peering in it."""
    path = managed.path(managed.inputs["network"], "global/networks")
    if managed.network(path) is None and not path.endswith("/networks/default"):
        raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")
    for name in items(managed.inputs.get("reservedPeeringRanges")):
        found = managed.at(_ADDRESS, managed.path(name, "global/addresses"))
        if found is None:
            raise refused(
                managed, f"Allocated range {name} was not found in network {path}", status=404, reason="notFound"
            )
        is_for_peering = found.inputs.get("purpose") == "VPC_PEERING"
        if not is_for_peering or managed.path(found.inputs.get("network"), "global/networks") != path:
            raise refused(managed, f"Range {found.name} is not allocated for VPC_PEERING in network {path}")


@rule(_ADDRESS)
def allocated_range_is_complete(managed: ManagedResource) -> None:
    """A range for peering is internal and has a length and a network."""
    if managed.inputs.get("purpose") != "VPC_PEERING":
        return
    if managed.inputs.get("addressType") != "INTERNAL":
        raise refused(managed, "Purpose VPC_PEERING requires the address type INTERNAL", reason="invalid")
    if not managed.inputs.get("network"):
        raise refused(managed, "Purpose VPC_PEERING requires a network", reason="required")
    if not managed.inputs.get("prefixLength"):
        raise refused(managed, "Purpose VPC_PEERING requires a prefix length", reason="required")


# After the rule above, whose refusal comes first.
rule(_ADDRESS)(network_exists)


@rule(_ADDRESS)
def allocated_range_is_free(managed: ManagedResource) -> None:
    """A range that the program chooses does not overlap the subnetworks of its network."""
    path = managed.path(managed.inputs.get("network"), "global/networks")
    block = ipv4_range(f"{managed.inputs.get('address')}/{managed.inputs.get('prefixLength')}")
    if managed.inputs.get("purpose") != "VPC_PEERING" or block is None:
        return
    for entry in managed.others("gcp:compute/subnetwork:Subnetwork", *forms(path)):
        if managed.path(entry.inputs.get("network"), "global/networks") == path:
            clash = first_overlap([block], ranges_of(entry.inputs))
            if clash:
                message = f"Requested range {block} conflicts with {clash[1]} of {entry.id}"
                raise refused(managed, message, reason="invalid")

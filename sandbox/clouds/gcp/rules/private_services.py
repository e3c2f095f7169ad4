"""Private connections to Google's services, and their ranges.

Sources: Service Networking documentation, "Configure private services access" (one connection per network and service;
another range is added to it); Compute Engine API, globalAddresses.
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.gcp.identity import forms
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.ranges import overlap, ranges_of, written
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

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


@rule(_ADDRESS)
def network_of_a_range_exists(managed: ManagedResource) -> None:
    """The network exists; every project has a network `default`."""
    given = managed.inputs.get("network")
    path = managed.path(given, "global/networks")
    if given and managed.network(path) is None and not path.endswith("/networks/default"):
        raise refused(managed, f"The resource '{path}' was not found", status=404, reason="notFound")


@rule(_ADDRESS)
def allocated_range_is_free(managed: ManagedResource) -> None:
    """A range that the program chooses does not overlap the subnetworks of its network."""
    path = managed.path(managed.inputs.get("network"), "global/networks")
    block = written(f"{managed.inputs.get('address')}/{managed.inputs.get('prefixLength')}")
    if managed.inputs.get("purpose") != "VPC_PEERING" or block is None:
        return
    for entry in managed.others("gcp:compute/subnetwork:Subnetwork", *forms(path)):
        if managed.path(entry.inputs.get("network"), "global/networks") == path:
            clash = overlap([block], ranges_of(entry.inputs))
            if clash:
                message = f"Requested range {block} conflicts with {clash[1]} of {entry.id}"
                raise refused(managed, message, reason="invalid")

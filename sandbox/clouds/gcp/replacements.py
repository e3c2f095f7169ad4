"""The properties whose change replaces a resource: `replacements.csv`, and the few that depend on the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_network
from typing import Final

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.diff import Change, property_names
from gpucluster.sandbox.clouds.replacement_table import listed


def replaces(resource: Resource, change: Change) -> bool | None:
    """Whether this change replaces the resource; None if the table has no answer for the property."""
    path = property_names(change.path)
    condition = _CONDITIONS.get((resource.token, path[0]))
    if condition is not None and condition(resource):
        return True
    return listed("gpucluster.sandbox.clouds.gcp", resource.token, path)


def _range_is_no_longer_inside(resource: Resource) -> bool:
    """The range of a subnetwork grows in place.

    Source: hashicorp/terraform-provider-google-beta compute/resource_compute_subnetwork.go, IsShrinkageIpCidr.
    """
    old, new = resource.old_inputs.get("ipCidrRange"), resource.inputs.get("ipCidrRange")
    if not isinstance(old, str) or not isinstance(new, str):
        return True
    try:
        before, after = ip_network(old, strict=False), ip_network(new, strict=False)
    except ValueError:
        return True
    return before.version != after.version or not before.subnet_of(after)  # pyright: ignore[reportArgumentType]


def _disk_shrinks(resource: Resource) -> bool:
    """A disk grows in place.

    Source: hashicorp/terraform-provider-google-beta compute/resource_compute_disk.go, IsDiskShrinkage.
    """
    old, new = resource.old_inputs.get("size"), resource.inputs.get("size")
    return isinstance(old, int | float) and isinstance(new, int | float) and new < old


def _turned_off(name: str) -> Callable[[Resource], bool]:
    """Features that a cluster cannot disable.

    Source: hashicorp/terraform-provider-google-beta container/resource_container_cluster.go, isBeenEnabled.
    """

    def condition(resource: Resource) -> bool:
        return resource.old_inputs.get(name) is True and resource.inputs.get(name) is not True

    return condition


_CONDITIONS: Final[Mapping[tuple[str, str], Callable[[Resource], bool]]] = {
    ("gcp:compute/subnetwork:Subnetwork", "ipCidrRange"): _range_is_no_longer_inside,
    ("gcp:compute/disk:Disk", "size"): _disk_shrinks,
    **{
        ("gcp:container/cluster:Cluster", name): _turned_off(name)
        for name in ("enableL4IlbSubsetting", "enableFqdnNetworkPolicy")
    },
}

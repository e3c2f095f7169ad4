"""Resources of a stack in a subscription of Azure, by their tags, and the groups that hold nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpucluster.components.azure.location import Location
from gpucluster.components.planning.labels import azure_tags
from gpucluster.operate.account.inventories.ask import KEYS
from gpucluster.operate.account.inventory import ResourceKind
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.azure.errors import explained
from gpucluster.operate.clients.azure.subscription import clients_at
from gpucluster.operate.clients.cannot_ask import explaining

_GROUP: Final = "microsoft.resources/resourcegroups"
_WAY_OUT: Final = {"outboundType": "userDefinedRouting"}
"""Balancers and gateways of a cluster are in the inventory themselves."""


def labels_of(project: str, stack: str) -> Mapping[str, str]:
    """Tags."""
    every = azure_tags({}, project=project, stack=stack, name="")
    return {key: every[key] for key in KEYS}


def log_in(location: Location) -> object:
    """Raises CannotAsk without a good login."""
    return clients_at(location.subscription)


def found(location: Location, labels: Mapping[str, str], name: str, stack: str) -> Sequence[ResourceKind]:
    """Resources and groups with both tags. A group that holds nothing without them goes whole, and a cluster with the
    group of its nodes.
    """
    del name, stack
    with explaining(explained):
        clients, _, _ = clients_at(location.subscription)
        # One tag at a time can be asked for. Source: Azure REST API, Resources - List, $filter.
        one_tag = f"tagName eq '{KEYS[1]}' and tagValue eq '{labels[KEYS[1]]}'"
        tagged = [one for one in clients.resources.resources.list(filter=one_tag) if _has(one, labels)]
        things = _sized(clients, [_thing(one) for one in tagged])
        groups = [*clients.resources.resource_groups.list()]  # with those of nodes, which may have no tags
        return list(_with_groups(clients, things, groups, labels))


def _has(one: Any, labels: Mapping[str, str]) -> bool:
    return labels.items() <= (one.tags or {}).items()


def _thing(one: Any) -> ResourceKind:
    # A cluster's price is in its tier, that of machines in the capacity.
    # Source: Azure REST API, Resources - List, GenericResourceExpanded.sku.
    sku = {key: getattr(one.sku, key, None) for key in ("name", "tier", "capacity")} if one.sku else {}
    known = {key: value for key, value in sku.items() if value is not None}
    inputs = {"sku": known} if known else {}
    kind = one.type.lower()
    if kind == "microsoft.containerservice/managedclusters":
        inputs["networkProfile"] = _WAY_OUT
    return ResourceKind(kind=kind, whole=one.id, place=one.location or "", inputs=inputs)


_SIZES: Final[Mapping[str, tuple[Callable[[Clients], Iterable[Any]], Callable[[Any], Mapping[str, Any]]]]] = {
    "microsoft.compute/disks": (
        lambda clients: clients.compute.disks.list(),
        lambda one: {"diskSizeGB": one.properties.disk_size_gb},
    ),
    "microsoft.compute/virtualmachines": (
        lambda clients: clients.compute.virtual_machines.list_all(),
        lambda one: {
            "hardwareProfile": {"vmSize": one.properties.hardware_profile.vm_size},
            "storageProfile": {"osDisk": {"createOption": "Attach"}},  # a disk of the inventory
        },
    ),
    "microsoft.storagecache/amlfilesystems": (
        lambda clients: clients.lustre.aml_filesystems.list(),
        lambda one: {"storageCapacityTiB": one.properties.storage_capacity_ti_b},
    ),
}
"""Kind -> the request that lists all of it, and the inputs that the inventory lacks."""


def _sized(clients: Clients, things: Sequence[ResourceKind]) -> list[ResourceKind]:
    sizes: dict[str, Mapping[str, Any]] = {}
    for kind in {thing.kind for thing in things} & {*_SIZES}:
        listed, inputs = _SIZES[kind]
        sizes |= {str(one.id).lower(): inputs(one) for one in listed(clients) if one.properties is not None}
    return [replace(thing, inputs={**thing.inputs, **sizes.get(thing.whole.lower(), {})}) for thing in things]


def _with_groups(
    clients: Clients, things: Sequence[ResourceKind], groups: Sequence[Any], labels: Mapping[str, str]
) -> Iterator[ResourceKind]:
    """groups: all of the subscription."""
    clusters = {thing.whole.lower(): thing for thing in things}
    holders: dict[str, str] = {}
    for group in groups:
        place = f"{group.id.lower()}/"
        if _has(group, labels) and _only_of_stack(clients, group.name, labels):
            holders[place] = group.id
        elif group.managed_by and group.managed_by.lower() in clusters:
            holders[place] = group.managed_by
    above = {place: _above(holder, holders) for place, holder in holders.items()}
    for thing in things:
        yield replace(
            thing, held=next((at for place, at in above.items() if thing.whole.lower().startswith(place)), "")
        )
    for group in groups:
        if _has(group, labels):
            mixed = "" if f"{group.id.lower()}/" in holders else "; it also holds what is not of this stack"
            free = f"a group itself is not billed{mixed}"
            kind = f"{_GROUP}{' with others' if mixed else ''}"
            yield ResourceKind(kind=kind, whole=group.id, place=group.location or "", free=free)


def _above(holder: str, holders: Mapping[str, str]) -> str:
    """A cluster that goes with its group takes its nodes along."""
    return next((group for place, group in holders.items() if holder.lower().startswith(place)), holder)


def _only_of_stack(clients: Clients, group: str, labels: Mapping[str, str]) -> bool:
    return all(_has(one, labels) for one in clients.resources.resources.list_by_resource_group(group))

"""How many nodes a GKE node pool has: `nodeCount` is for each zone, autoscaling bounds by zone or in total."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.compute_class import classes_of
from gpucluster.cost.handlers.gcp_place import is_zone, place_of
from gpucluster.cost.handlers.gke_nodes import CLUSTER
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import UNBOUNDED, Count, Unbounded
from gpucluster.cost.pricing import CannotPrice, Pricing

_ZONES_OF_A_REGION: Final = 3
"""Zones of a pool in a regional cluster, when none is named (GKE documentation, regional clusters)."""


def location_of(item: Pricing) -> str:
    """The zone or region of a pool: its own, else its cluster's. Raises CannotPrice when it is not known."""
    cluster = item.resources.referred(item.resource, "cluster", CLUSTER)
    if item.get("location") is None and cluster is not None:
        return place_of(item.of(cluster), "location")
    return place_of(item, "location")


def zones_of(item: Pricing) -> Decimal:
    """Zones that a pool has nodes in: named by the pool, else by its cluster, else those of its location."""
    zones = item.items("nodeLocations")
    if zones:
        return Decimal(len(zones))
    location = location_of(item)
    found = item.resources.referred(item.resource, "cluster", CLUSTER)
    if found is not None and (named := item.of(found).items("nodeLocations")):
        return Decimal(len(named) + is_zone(location))  # those of a zonal cluster come beside its own zone
    return Decimal(1 if is_zone(location) else _ZONES_OF_A_REGION)


def nodes_of(item: Pricing, *, flex_start: bool) -> tuple[Count, str]:
    """(nodes as expected, at the least and the most; what was assumed).

    A flex-start pool gets all its nodes or none, so it is taken as full. A pool that a ComputeClass of the stack scales
    is at its least here: what runs on average is counted with the class. Raises CannotPrice when the pool says neither
    how many nodes it has nor within which bounds it scales.
    """
    zones, declared = zones_of(item), _declared(item)
    if item.get("autoscaling") is None:
        if declared is None:
            raise CannotPrice("nodeCount is not set: its number of nodes is unknown")
        return Count.fixed(declared * zones), _spread(item, declared, zones)
    floor, ceiling = _bounds(item, zones)
    name = item.resource.name
    if classes := classes_of(item):
        return Count.fixed(floor), f"nodes of {name} above its {plain(floor)} are counted with {classes[0].name}"
    if isinstance(ceiling, str):
        expected = floor if declared is None else max(declared * zones, floor)
        return Count(expected, floor, ceiling), f"autoscaling of {name} has no maximum: its ceiling is unbounded"
    if declared:
        return Count(min(max(declared * zones, floor), ceiling), floor, ceiling), _spread(item, declared, zones)
    if flex_start:
        return Count(ceiling, floor, ceiling), f"flex-start: all {plain(ceiling)} nodes of {name} are assumed running"
    share = item.assumptions.expected_share
    said = f"expected_share: {share} of the maximum of {name} runs on average"
    return Count(max(ceiling * share, floor), floor, ceiling), said


def most_of(item: Pricing) -> Decimal | Unbounded:
    """Nodes of a pool at the most. Raises CannotPrice when it says nothing of their number."""
    if item.get("autoscaling") is not None:
        return _bounds(item, zones_of(item))[1]
    return nodes_of(item, flex_start=False)[0].ceiling


def _declared(item: Pricing) -> Decimal | None:
    """Nodes in each zone as declared, None when nothing is."""
    for key in ("nodeCount", "initialNodeCount"):
        if item.get(key) is not None:
            return item.number(key)
    return None


def _bounds(item: Pricing, zones: Decimal) -> tuple[Decimal, Decimal | Unbounded]:
    """(nodes at the least, at the most) of an autoscaled pool."""
    found: dict[str, Decimal | None] = {}
    for end in ("Min", "Max"):
        total, by_zone = f"total{end}NodeCount", f"{end.lower()}NodeCount"
        if item.get("autoscaling", total) is not None:
            found[end] = item.number("autoscaling", total)
        elif item.get("autoscaling", by_zone) is not None:
            found[end] = item.number("autoscaling", by_zone) * zones
    most = found.get("Max")
    return found.get("Min") or Decimal(0), UNBOUNDED if most is None else most


def _spread(item: Pricing, each: Decimal, zones: Decimal) -> str:
    nodes = f"{plain(each)} node{'' if each == 1 else 's'}"
    return f"{item.resource.name}: {nodes} in each of {plain(zones)} zones" if zones > 1 else ""

"""Where a Google Cloud resource is: zones, regions, and names inside self links."""

from __future__ import annotations

from gpucluster.cost.pricing.pricing import Pricing


def short_name(link: str) -> str:
    """The last part of a self link: `projects/p/zones/us-central1-a` -> `us-central1-a`."""
    return link.rsplit("/", 1)[-1]


def is_zone(place: str) -> bool:
    """Whether a location is a zone: `us-central1-a`, `us-south1-ai1b`. Regions have one hyphen, zones two."""
    return place.count("-") == 2


def region_of(place: str) -> str:
    """The region of a zone; a region is returned unchanged."""
    return place.rsplit("-", 1)[0] if is_zone(place) else place


def place_of(item: Pricing, *paths: str) -> str:
    """The zone or region in the first of these inputs that is set, else the region of the provider.

    Raises CannotPrice when it is not known.
    """
    for path in paths:
        if item.get(path) is not None:
            return short_name(item.text(path))
    return item.region

"""The names of one place: sources use different names for a Local Zone."""

from __future__ import annotations

from gpucluster.catalog.aws_regions import local_zone_names


def places(region: str) -> tuple[str, ...]:
    """A region by its name; a Local Zone such as `us-east-1/us-east-1-atl-2a` also by its id and its group."""
    of, _, zone = region.partition("/")
    names = local_zone_names(of, zone) if zone else ()
    return tuple(dict.fromkeys((region, *(f"{of}/{name}" for name in names))))

"""References between Azure resources: by an id that ends in the name, by name, or unknown before the update."""

from __future__ import annotations

import re
from typing import Any

from gpucluster.program.resources import Resource, Resources
from gpucluster.program.values import at


def last(given: str) -> str:
    """The name at the end of an id, e.g. `x` of `/subscriptions/s/resourceGroups/g/providers/p/things/x`."""
    return given.rstrip("/").rpartition("/")[2]


def part(given: str, of: str) -> str | None:
    """The name after one part of an id, e.g. `v` for `virtualNetworks` in `.../virtualNetworks/v/subnets/s`."""
    found = re.search(rf"/{of}/([^/]+)", given, re.IGNORECASE)
    return found[1] if found else None


def made_by_name(resources: Resources, type_: str, given: Any, key: str) -> Resource | None:
    """The resource of this stack with a name or id; `key` is the input of that type that holds its name."""
    if not isinstance(given, str):
        return None
    return next((found for found in resources.of_type(type_) if _is(found, given, key)), None)


def _is(resource: Resource, given: str, key: str) -> bool:
    """Azure compares names and ids case-insensitively."""
    if given.lower() == str(at(resource.outputs, "id")).lower():
        return True
    names = (at(resource.inputs, key), at(resource.outputs, "name"))
    return last(given).lower() in [name.lower() for name in names if isinstance(name, str)]

"""References between Google Cloud resources: by name, by path, by URL, or by an id unknown before the update."""

from __future__ import annotations

import re
from typing import Any, Final

from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import at, text

_ZONE: Final = r"[a-z]+-[a-z]+[0-9]+-[a-z]"


def last(given: str) -> str:
    """The name at the end of a path or URL, e.g. `x` of `projects/p/global/networks/x`."""
    return given.rstrip("/").rpartition("/")[2]


def is_zone(location: str) -> bool:
    """Whether it is a zone such as us-central1-a, not a region."""
    return re.fullmatch(_ZONE, location) is not None


def name_of(resource: Resource) -> str | Unknown | None:
    """The name in the cloud: if not given, the provider generates one before the resource is created."""
    own = text(resource.inputs, "name")
    return own if isinstance(own, str) else text(resource.outputs, "name")


def made_by_name(resources: Resources, type_: str, given: Any) -> Resource | None:
    """The resource of this stack with a name, path or URL."""
    if not isinstance(given, str):
        return None
    return next(
        (
            found
            for found in resources.of_type(type_)
            if given in (at(found.outputs, "id"), at(found.outputs, "selfLink")) or name_of(found) == last(given)
        ),
        None,
    )

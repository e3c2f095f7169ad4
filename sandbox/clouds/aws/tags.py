"""`tagsAll`: a resource's own tags, which override the provider's default tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.values import UNKNOWN, Secret
from gpucluster.sandbox.type_guards import mapping


def all_tags(tags: Any, default_tags: Mapping[str, str]) -> Any:
    """The effective tags of the resource; completely unknown if its own are."""
    if tags is UNKNOWN:
        return UNKNOWN
    if isinstance(tags, Secret):
        return Secret(all_tags(tags.value, default_tags))
    return {**default_tags, **mapping(tags)}

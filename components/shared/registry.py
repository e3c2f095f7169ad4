"""The registry of the jobs' images, as plain values: the same on every cloud. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.storage import ExistingRegistry, NoRegistry, Registry

UPSTREAMS: Final[Mapping[str, str]] = {"ecr": "public.ecr.aws", "k8s": "registry.k8s.io", "quay": "quay.io"}
"""Short name -> public registry that every cloud caches without a credential. Docker Hub and GitHub require one, and
only one cloud caches nvcr.io.

Sources: Amazon ECR API, CreatePullThroughCacheRule (upstreamRegistryUrl); Azure documentation, "Artifact cache
overview"; Artifact Registry documentation, "Remote repositories overview" (user-defined upstream sources)."""

IMAGE: Final = "jobs"
"""Last part of the name of an image, to which a tag is added."""

DAYS_CACHED: Final = 30
"""Days after which a copy of a public image is deleted; the next pull fetches it again."""


@dataclass(frozen=True, kw_only=True)
class RegistryPlan:
    """name: of a new registry, unique in its account and region. existing: the cloud's id of the user's. caches:
    whether public registries are cached.
    """

    name: str
    existing: str | None = None
    caches: bool = True


def plan_registry(
    registry: Registry, planning: Planning[Any], *, name: str, pattern: str, form: str, caches: bool = True
) -> RegistryPlan | None:
    """name: of a new registry. pattern, form: of the cloud's ids of registries, the form in prose. caches: whether the
    cloud can cache here.
    """
    if isinstance(registry, NoRegistry):
        return None
    existing = registry.id if isinstance(registry, ExistingRegistry) else None
    if existing is not None and not re.fullmatch(pattern, existing):
        planning.refuse("registry.id", f"is {existing!r}", f"write {form}")
    return RegistryPlan(name=name, existing=existing, caches=caches and existing is None)

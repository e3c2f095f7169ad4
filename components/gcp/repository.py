"""Name of an Artifact Registry repository. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.jobs.registry import RegistryPlan, plan_registry
from gpucluster.components.spec.storage import Registry

REPOSITORY: Final = (
    r"^(?P<location>[a-z0-9-]+)-docker\.pkg\.dev/(?P<project>[a-z][a-z0-9:.-]+)/(?P<id>[a-z][a-z0-9-]{0,62})$"
)
"""Path of a repository. Source: Artifact Registry documentation, "Repository and image names"."""


def plan_repository(registry: Registry, planning: Planning[Location], *, name: str) -> RegistryPlan | None:
    """name: of a new repository. The user's must be in Artifact Registry."""
    form = "the path of an Artifact Registry repository, such as us-central1-docker.pkg.dev/my-project/training"
    return plan_registry(registry, planning, name=name, pattern=REPOSITORY, form=form)

"""Name of an Artifact Registry repository. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.components.problem import Problem
from gpucluster.components.registry import registry_problems
from gpucluster.components.spec.cluster import ClusterSpec

REPOSITORY: Final = (
    r"^(?P<location>[a-z0-9-]+)-docker\.pkg\.dev/(?P<project>[a-z][a-z0-9:.-]+)/(?P<id>[a-z][a-z0-9-]{0,62})$"
)
"""Path of a repository. Source: Artifact Registry documentation, "Repository and image names"."""


def repository_problems(spec: ClusterSpec) -> list[Problem]:
    """A repository of the user that is not in Artifact Registry."""
    looks = "the path of an Artifact Registry repository, such as us-central1-docker.pkg.dev/my-project/training"
    return registry_problems(spec, REPOSITORY, looks=looks)

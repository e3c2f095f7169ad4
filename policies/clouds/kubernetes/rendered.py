"""Components that create Kubernetes objects from text: each object is a separate resource, once their cluster is known.

Source: pulumi-kubernetes 4.34.2. Before that, as in the first preview of a cluster, there are no objects to check.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.rule import CannotTell
from gpucluster.program.resources import Resources

_RENDERED: Final = (
    "kubernetes:yaml:ConfigFile",
    "kubernetes:yaml:ConfigGroup",
    "kubernetes:yaml/v2:ConfigFile",
    "kubernetes:yaml/v2:ConfigGroup",
    "kubernetes:kustomize:Directory",
    "kubernetes:kustomize/v2:Directory",
    "kubernetes:helm.sh/v3:Chart",
    "kubernetes:helm.sh/v4:Chart",
)


def unrendered(resources: Resources) -> Iterator[CannotTell]:
    """A finding for each component without objects so far."""
    parents = {resource.parent for resource in resources}
    for type_ in _RENDERED:
        for component in resources.of_type(type_):
            if component.urn not in parents:
                yield CannotTell(component, "the objects that it creates are not known until their cluster exists")

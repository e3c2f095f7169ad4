"""The containers anywhere in a Kubernetes object, also of custom kinds, and objects that do not exist yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.core.program.resources import Resources
from gpucluster.core.program.values import is_list, is_object, text
from gpucluster.policies.engine.rule import CannotTell

CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")
_MORE_LISTS: Final = ("sidecars", "steps")
ONE_CONTAINER: Final = ("container", "script")
"""Fields in templates of Argo workflows and tasks of Tekton."""


def containers(value: object) -> Iterator[tuple[str, object]]:
    """(name, container) of every one below a value."""
    if is_object(value):
        for key, inner in value.items():
            if key in ONE_CONTAINER and text(inner, "image") is not None:
                name = text(value, "name")
                yield name if isinstance(name, str) else key, inner
            elif key in CONTAINER_LISTS and is_list(inner):
                yield from _listed(inner)
            elif key in _MORE_LISTS and is_list(inner):
                yield from _listed([each for each in inner if text(each, "image") is not None])
            else:
                yield from containers(inner)
    elif is_list(value):
        for inner in value:
            yield from containers(inner)


def _listed(given: Sequence[object]) -> Iterator[tuple[str, object]]:
    for container in given:
        name = text(container, "name")
        yield name if isinstance(name, str) else "one not known yet", container


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
    for component in resources.of_type(*_RENDERED):
        if component.urn not in parents:
            yield CannotTell(component, "the objects that it creates are not known until their cluster exists")

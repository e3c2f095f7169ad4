"""The containers anywhere in a Kubernetes object, also of kinds that are not built in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from gpucluster.program.values import text

__all__ = ["CONTAINER_LISTS", "containers"]

CONTAINER_LISTS: Final = ("containers", "initContainers", "ephemeralContainers")


def containers(value: object) -> Iterator[tuple[str, object]]:
    """(name, container) of every one below a value."""
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, object]", value).items():
            if key in CONTAINER_LISTS and isinstance(inner, Sequence) and not isinstance(inner, str):
                for container in cast("Sequence[object]", inner):
                    name = text(container, "name")
                    yield name if isinstance(name, str) else "one not known yet", container
            else:
                yield from containers(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in cast("Sequence[object]", value):
            yield from containers(inner)

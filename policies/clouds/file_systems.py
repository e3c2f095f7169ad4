"""Shared file systems on every cloud, and claims on them.

READERS in the `file_systems` module of a cloud read its types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from gpucluster.catalog.clouds import modules_of
from gpucluster.policies.clouds.file_system import FileSystem
from gpucluster.policies.clouds.kubernetes.quantity import gib
from gpucluster.program.resources import Resource, Resources, Unknown
from gpucluster.program.values import text

__all__ = ["TYPES", "FileSystem", "claims", "file_systems"]

_VOLUME: Final = "kubernetes:core/v1:PersistentVolume"

_READERS: Final[Mapping[str, Callable[[Resource, Resources], FileSystem]]] = {
    type_: read
    for _, cloud in modules_of("gpucluster.policies.clouds.{cloud}.file_systems")
    for type_, read in cloud.READERS.items()
}
TYPES: Final = ", ".join(_READERS)


def file_systems(resources: Resources) -> Iterator[FileSystem]:
    """The file systems of the stack."""
    for type_, read in _READERS.items():
        for resource in resources.of_type(type_):
            yield read(resource, resources)


def claims(resources: Resources) -> Iterator[tuple[Resource, Resource, Decimal | Unknown]]:
    """(persistent volume, its file system, the GiB it promises to pods)."""
    for volume in resources.of_type(_VOLUME):
        behind = resources.present(urn for urns in volume.dependencies.values() for urn in urns)
        on = next((found for found in behind if found.type in _READERS), None)
        promised = gib(text(volume.inputs, "spec", "capacity", "storage"))
        if on is not None and promised is not None:
            yield volume, on, promised

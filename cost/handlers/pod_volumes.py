"""Volumes that a pod brings into being: one for each pod, by `ephemeral.volumeClaimTemplate`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpucluster.cost.pricing import CannotPrice, read
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import is_list


def ephemeral_volumes(pod_spec: Any) -> Iterator[str]:
    """Names of the volumes in a pod's spec that are made for each pod (Kubernetes documentation, ephemeral volumes).

    Raises CannotPrice when the volumes are not known before the update.
    """
    for volume in _known_list(pod_spec, "volumes"):
        made = read(volume, "ephemeral", "volumeClaimTemplate")
        if made is UNKNOWN:
            raise CannotPrice("volumes are not known before the update")
        if made is not None:
            yield str(read(volume, "name"))


def claims_of(spec: Any) -> Iterator[str]:
    """Names of the `volumeClaimTemplates` of a StatefulSet's spec."""
    for claim in _known_list(spec, "volumeClaimTemplates"):
        yield str(read(claim, "metadata", "name"))


def _known_list(value: Any, key: str) -> Iterator[Any]:
    found = read(value, key)
    if found is UNKNOWN:
        raise CannotPrice(f"{key} are not known before the update")
    if found is None:
        return
    if not is_list(found):
        raise CannotPrice(f"{key} is {found!r}, expected a list")
    yield from found

"""The API server's additions to an object: its metadata and a status."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, name_of, namespace_of
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.type_guards import mapping

_STATUS: Mapping[str, Mapping[str, Any]] = {
    "Namespace": {"phase": "Active"},
    "PersistentVolume": {"phase": "Available"},
    "PersistentVolumeClaim": {"phase": "Bound"},
}


def live(resource: Resource) -> dict[str, Any]:
    """The outputs other than inputs after a create or update."""
    if resource.token == RELEASE:
        return {"status": _release_status(resource), "resourceNames": mapping(resource.inputs.get("resourceNames"))}
    outputs: dict[str, Any] = {"metadata": _metadata(resource)}
    status = _STATUS.get(resource.token.rsplit(":", 1)[-1])
    if status is not None:
        outputs["status"] = status
    return outputs


def _metadata(resource: Resource) -> dict[str, Any]:
    before = mapping(resource.outputs.get("metadata"))
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    digits = (8, 4, 4, 4, 12)
    return {
        **mapping(resource.inputs.get("metadata")),
        "creationTimestamp": before.get("creationTimestamp") or now,
        "generation": int(before.get("generation") or 0) + 1,
        "resourceVersion": str(int(before.get("resourceVersion") or 1000) + 1),
        "uid": before.get("uid") or "-".join(random_hex(length) for length in digits),
    }


def _release_status(resource: Resource) -> dict[str, Any]:
    """A deployed release; each upgrade increments the revision (Helm, `helm history`)."""
    inputs = plain(resource.inputs)
    before = mapping(plain(resource.outputs).get("status"))
    return {
        "appVersion": "",
        "chart": str(inputs.get("chart")).rstrip("/").rsplit("/", 1)[-1],
        "name": name_of(inputs),
        "namespace": namespace_of(inputs),
        "revision": int(before.get("revision") or 0) + 1,
        "status": "deployed",
        "version": inputs.get("version") or "",
    }

"""Common outputs of all ARM resources."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.azure.identity import guid
from gpucluster.sandbox.clouds.azure.model import ManagedResource


def etag() -> str:
    """A tag that changes with every write."""
    return f'W/"{guid()}"'


def made(managed: ManagedResource) -> dict[str, Any]:
    """Name, type and location of a completed resource, its creator and creation time."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    found: dict[str, Any] = {
        "name": managed.name,
        "type": managed.path.arm_type,
        "provisioningState": "Succeeded",
        "systemData": managed.keep("systemData", lambda: {"createdAt": now, "createdByType": "Application"}),
    }
    return {**found, "location": managed.location} if managed.location else found

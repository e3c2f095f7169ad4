"""Common outputs of all Compute Engine resources."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.naming import random_hex


def number() -> str:
    """An id in Compute Engine's form: nineteen digits."""
    return str(10**18 + int(random_hex(14), 16))


def made(managed: ManagedResource) -> dict[str, Any]:
    """Its creation time, project and self link."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {
        "creationTimestamp": managed.keep("creationTimestamp", lambda: now),
        "project": managed.project,
        "selfLink": managed.link,
    }

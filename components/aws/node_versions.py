"""The version of a node group's nodes."""

from __future__ import annotations

from typing import Any


def node_versions(version: str | None) -> dict[str, Any]:
    """Arguments of a node group. version: a minor version, whose newest image EKS uses when nodes change to it; a
    release of the image, such as 1.35.2-20260714, which fixes kernel and driver; None to keep the version of its
    creation.

    Source: Amazon EKS API, UpdateNodegroupVersion.
    """
    if version is None:
        return {}
    if "-" not in version:
        return {"version": version}
    return {"version": ".".join(version.split(".")[:2]), "release_version": version}

"""Images of jobs in a network without internet access."""

from __future__ import annotations

from typing import Final

# Google's own registry, whose images run on Google Cloud alone: its network reaches it without a way out.
# Source: VPC documentation, "Private Google Access".
_NEAR: Final = "us-docker.pkg.dev/"


def mirrored(image: str, registry: str | None) -> str:
    """An image's name in a mirror, which keeps the path it has in its usual registry; as it is without one."""
    return image if registry is None or image.startswith(_NEAR) else f"{registry}/{image.partition('/')[2]}"

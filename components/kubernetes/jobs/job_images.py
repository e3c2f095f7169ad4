"""Images of jobs in a network without internet access."""

from __future__ import annotations

from typing import Final

# Google's own registry, for images that run only on Google Cloud: its network reaches it without internet access.
# Source: VPC documentation, "Private Google Access".
_NEAR: Final = "us-docker.pkg.dev/"


def mirrored(image: str, registry: str | None) -> str:
    """An image's name in a mirror, which keeps the path of its usual registry; unchanged without a mirror."""
    return image if registry is None or image.startswith(_NEAR) else f"{registry}/{image.partition('/')[2]}"

"""Images that an object of Kubernetes or the values of a chart name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["named"]


def named(value: Any) -> Iterator[str]:
    """Images in an object or in the values of a chart, whose parts may have keys of their own."""
    if isinstance(value, dict):
        parts = [value[key] for key in ("registry", "repository", "image") if isinstance(value.get(key), str)]
        # Of kubeflow/trainer's chart, which adds ghcr.io by itself.
        if parts and parts != ["kubeflow/trainer/trainer-controller-manager"]:
            yield "/".join(parts)
        for inner in value.values():
            yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)

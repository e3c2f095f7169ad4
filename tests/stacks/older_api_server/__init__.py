"""The API server of the version before an upgrade, from the go.mod beside."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gpucluster.sandbox.api_server.binaries import Binaries, find_binaries, folder

__all__ = ["VERSION", "build", "built"]

VERSION: Final = "1.34.1"
"""Of Kubernetes; go.mod pins it, and etcd as Kubernetes 1.34 wants it (its build/dependencies.yaml)."""


def built() -> Binaries | None:
    """Its programs, where they are in the cache."""
    found = Binaries(folder(VERSION, Path(__file__).parent))
    return found if found.api_server.exists() else None


def build() -> Binaries:
    """Its programs, built first where they are not there."""
    return find_binaries(version=VERSION, modules=Path(__file__).parent)

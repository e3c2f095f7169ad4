"""A parallel file system, as read by the advice on its size."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gpucluster.program.resources import Resource


@dataclass(frozen=True)
class FileSystem:
    """A file system of a stack."""

    resource: Resource
    provider: str
    region: str
    gib: Decimal
    tier: int
    efa: bool

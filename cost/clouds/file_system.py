"""A parallel file system, as the advice on its size reads it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gpucluster.program.resources import Resource

__all__ = ["FileSystem"]


@dataclass(frozen=True, slots=True)
class FileSystem:
    """A file system of a stack."""

    resource: Resource
    provider: str
    region: str
    gib: Decimal
    tier: int
    efa: bool

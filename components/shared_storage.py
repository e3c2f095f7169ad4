"""Storage that every node mounts: the cluster's own Lustre, a bucket, or the user's file system. Imports no Pulumi."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

from gpucluster.components.buckets import BucketPlan
from gpucluster.components.mounted import MountedPlan


class Lustre(Protocol):
    """As each cloud sells it. usable_gib: GiB that data may fill. capacity_gib, gb_per_s: as provisioned."""

    @property
    def usable_gib(self) -> int: ...
    @property
    def capacity_gib(self) -> int: ...
    @property
    def gb_per_s(self) -> Decimal: ...


Shared = BucketPlan | MountedPlan | Lustre


def shared_sizes(storage: Shared) -> tuple[int, Decimal | None]:
    """Capacity, GiB, and throughput, GB/s; None if none is promised."""
    if isinstance(storage, BucketPlan | MountedPlan):
        return storage.usable_gib, None
    return storage.capacity_gib, storage.gb_per_s


def shared_part(storage: Shared, *, lustre: str, bucket: str = "bucket") -> str:
    """The mounted storage, as text. lustre: with its capacity. bucket: the cloud's term for one."""
    data = f"for {storage.usable_gib:,} GiB of data"
    if isinstance(storage, MountedPlan):
        return f"yours, {storage.files.id}, {data}"
    if isinstance(storage, BucketPlan):
        return f"{bucket} {data}"
    return f"{lustre} {data}, {storage.gb_per_s:.1f} GB/s"

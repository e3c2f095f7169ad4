"""An existing file system as the shared storage of a cluster. Imports no Pulumi."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from gpucluster.components.planning.planning import GIB_PER_TIB, Planning
from gpucluster.components.shared.storage.buckets import BucketPlan
from gpucluster.components.spec.existing import ExistingFiles
from gpucluster.components.spec.storage import SharedStorage


@dataclass(frozen=True, kw_only=True)
class MountedPlan:
    """usable_gib: GiB of it that data may fill, as the spec states."""

    files: ExistingFiles
    usable_gib: int


def plan_mounted(
    shared: SharedStorage, planning: Planning[Any], *, pattern: str, example: str, cidr: str
) -> MountedPlan | None:
    """None if the cluster creates its own. pattern, example: of the cloud's ids of file systems. cidr: addresses of the
    nodes.
    """
    files = shared.existing
    if files is None:
        return None
    if not re.fullmatch(pattern, files.id):
        planning.refuse("storage.shared.existing.id", f"is {files.id!r}", f"write an id such as {example}")
    planning.before_up.append(
        f"shared storage: {files.id} is your file system: it is mounted as {files.mount}, kept at destroy, and not in "
        f"any total; it must allow Lustre's ports (988, 1018 to 1023) from {cidr}; no throughput is promised"
    )
    return MountedPlan(files=files, usable_gib=int(shared.usable_tib * GIB_PER_TIB))


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

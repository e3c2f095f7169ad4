"""Storage of the cluster."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from pydantic import Field

from gpucluster.components.problem import Problem
from gpucluster.components.spec.data import OWN, OwnBucket
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.own_things import ExistingFiles

_BUCKET = rf"^{OWN}$|^[a-z][a-z0-9]*://[a-z0-9][a-z0-9._-]*(/.*)?$"


def _lustre(
    existing: ExistingFiles | None, kind: str, gb_per_s: Decimal, fabric: bool, tier: int | None, bucket: str | None
) -> Iterator[Problem]:
    """Neither the user's files nor a bucket have the properties of a new file system."""
    values = {"kind": kind == "bucket", "gb_per_s": gb_per_s, "fabric": fabric, "tier": tier, "bucket": bucket}
    given = [name for name, value in values.items() if value]
    if existing is not None and given:
        seen = f"has both existing and {', '.join(given)}, which are for a new file system"
        yield Problem("", seen, "remove them")
    elif kind == "bucket" and given[1:]:
        yield Problem("", f"has kind bucket and {', '.join(given[1:])}, which are for a file system", "remove them")


def _target(write_back: bool, bucket: str | None) -> Iterator[Problem]:
    if write_back and bucket is None:
        yield Problem("", "has write_back but no bucket to write to", "add bucket, or remove write_back")


class SharedStorage(Model):
    """Storage that every node mounts. A bucket is not a file system: it has no tier and no guaranteed throughput."""

    checks = (_lustre, _target)

    kind: Literal["lustre", "bucket"] = Field(
        default="lustre", description="A parallel file system, or a bucket of objects that nodes mount"
    )
    usable_tib: Decimal = Field(
        gt=0, le=100_000, description="TiB (1,024 GiB) for data, before headroom", examples=[20]
    )
    gb_per_s: Decimal = Field(
        default=Decimal(0), ge=0, le=10_000, description="Least total throughput, GB/s", examples=[3]
    )
    protect: bool = Field(default=True, description="Refuse to delete or replace the file system")
    fabric: bool = Field(default=False, description="Serve the files over the GPU fabric too, not only over IP")
    tier: Literal[125, 250, 500, 1000] | None = Field(
        default=None,
        description="MB/s per TiB; default: the cheapest that fits. Set it once the file system exists: a new price "
        "could change the choice",
    )
    bucket: str | None = Field(
        default=None,
        pattern=_BUCKET,
        description="Bucket whose objects appear under /bucket: own, which is storage.bucket, or an existing one such "
        "as s3://name/prefix",
    )
    write_back: bool = Field(
        default=False,
        description="Write changes that jobs make under /bucket back to the bucket; default: never",
    )
    existing: ExistingFiles | None = Field(
        default=None, description="Your existing Lustre file system; default: the cluster creates its own"
    )

    @property
    def makes_lustre(self) -> bool:
        """Whether the cluster makes a file system: neither a bucket nor one of the user's."""
        return self.kind == "lustre" and self.existing is None


class HomeStorage(Model):
    """A second file system for small files: code, environments, notebooks."""

    expected_gib: Decimal = Field(ge=0, le=1_000_000, description="GiB stored on average, for the expected cost")
    protect: bool = Field(default=True, description="Refuse to delete or replace the file system")


class Storage(Model):
    """Storage of the cluster."""

    shared: SharedStorage
    home: HomeStorage | None = Field(default=None, description="A file system for small files; default: none")
    bucket: OwnBucket | None = Field(default=None, description="A bucket of the cluster's own; default: none")

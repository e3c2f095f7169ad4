"""Buckets as plain values: a mounted one, the cluster's own, and the access of jobs. Imports no Pulumi."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.planning.names import NAMESPACE, TEAM_NAMESPACE
from gpucluster.components.planning.planning import GIB_PER_TIB, Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.storage import Identity, OwnBucket, SharedStorage

SHARED_BUCKET_NOTE: Final = (
    "shared storage is a bucket, no POSIX file system: no locks, renames of folders are not atomic, and no "
    "throughput is promised"
)


@dataclass(frozen=True, kw_only=True)
class BucketPlan:
    """A bucket that nodes mount. usable_gib: intended size in GiB; nothing enforces it."""

    usable_gib: int
    protect: bool


@dataclass(frozen=True, kw_only=True)
class OwnBucketPlan:
    """expected_gib: average GiB stored, for the cost; None if the spec does not state it."""

    expected_gib: str | None
    protect: bool


@dataclass(frozen=True, kw_only=True)
class IdentityPlan:
    """A service account of jobs. reads, writes: buckets as the spec names them; write access includes read access."""

    name: str
    namespace: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    @property
    def buckets(self) -> tuple[str, ...]:
        return (*self.reads, *self.writes)


def remote_name(bucket: str) -> str:
    """The name of a bucket's rclone remote in jobs, in characters that variable names allow."""
    return re.sub(r"[^a-z0-9]", "_", bucket.rpartition("/")[2])


def _alike(identity: str, buckets: Sequence[str]) -> list[Problem]:
    seen: dict[str, str] = {}
    problems: list[Problem] = []
    for bucket in buckets:
        other = seen.setdefault(remote_name(bucket), bucket)
        if other != bucket:
            problems.append(
                Problem(
                    f"identities.{identity}",
                    f"has {other} and {bucket}, which would both be {remote_name(bucket)} for jobs",
                    "move one of them to another identity",
                )
            )
    return problems


def plan_shared_bucket(shared: SharedStorage, planning: Planning[Any]) -> BucketPlan | None:
    """None if the shared storage is a file system."""
    if shared.kind != "bucket":
        return None
    planning.notes.append(SHARED_BUCKET_NOTE)
    return BucketPlan(usable_gib=int(shared.usable_tib * GIB_PER_TIB), protect=shared.protect)


def plan_bucket(bucket: OwnBucket | None) -> OwnBucketPlan | None:
    """None if the spec requests none."""
    if bucket is None:
        return None
    gib = f"{bucket.expected_gib:f}" if bucket.expected_gib else None
    return OwnBucketPlan(expected_gib=gib, protect=bucket.protect)


def plan_identities(
    identities: Mapping[str, Identity], planning: Planning[Any], *, title: str, form: str
) -> tuple[IdentityPlan, ...]:
    """The identities of a spec, in its order. title: the cloud's. form: of an address of a bucket there, such as
    s3://NAME. Refuses buckets of another cloud, and buckets of one identity that jobs could not distinguish.
    """
    foreign = [
        (f"identities.{name}.{field}[{at}]", bucket)
        for name, identity in identities.items()
        for field, buckets in (("reads", identity.reads), ("writes", identity.writes))
        for at, bucket in enumerate(buckets)
        if "://" in bucket and bucket.partition("://")[0] != form.partition("://")[0]
    ]
    for field, bucket in foreign:
        planning.refuse(field, f"is {bucket!r}", f"on {title} write {form}")
    if not foreign:
        for name, identity in identities.items():
            planning.problems += _alike(name, (*identity.reads, *identity.writes))
    return tuple(
        IdentityPlan(
            name=name,
            namespace=NAMESPACE if identity.team is None else f"{TEAM_NAMESPACE}{identity.team}",
            reads=identity.reads,
            writes=identity.writes,
        )
        for name, identity in identities.items()
    )

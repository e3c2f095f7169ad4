"""Storage of the cluster: files, buckets with the identities that use them, and images."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.existing import ExistingFiles
from gpucluster.components.spec.model import NAME, Model
from gpucluster.core.text.values import shown_value

OWN: Final = "own"
"""How a spec names the bucket that it asks for itself."""

# As a service account of Kubernetes, and with the cluster's name before it as a role of AWS.
# Every namespace has this one, which pods run as that name none.
_TAKEN = "default"
_WHOLE = rf"^({OWN}|(s3|gs)://[a-z0-9][a-z0-9._-]*|https://[a-z0-9]+\.blob\.core\.windows\.net/[a-z0-9][a-z0-9-]*)$"


def _identity_name(value: object) -> object:
    if not isinstance(value, str) or not re.fullmatch(NAME, value) or value == _TAKEN:
        raise ValueError(
            f"must not contain the name {shown_value(value)}; write 1 to 20 lower-case letters, digits and hyphens, "
            f"starting with a letter, not ending with a hyphen, and not {_TAKEN}"
        )
    return value


def _whole_bucket(value: str) -> str:
    if not re.fullmatch(_WHOLE, value):
        raise ValueError(
            f"is not a whole bucket; write {OWN} for storage.bucket, or s3://NAME, gs://NAME or "
            "https://ACCOUNT.blob.core.windows.net/CONTAINER without a folder"
        )
    return value


IdentityName = Annotated[str, BeforeValidator(_identity_name)]
Buckets = tuple[Annotated[str, AfterValidator(_whole_bucket)], ...]


def _buckets(reads: Sequence[str], writes: Sequence[str]) -> Iterator[Problem]:
    named = (*reads, *writes)
    if not named:
        yield Problem("", "has neither reads nor writes", "list a bucket in one of them, or remove it")
    twice = sorted({bucket for bucket in named if named.count(bucket) > 1})
    if twice:
        yield Problem("", f"has {', '.join(twice)} twice", "keep one: writes includes reads")


class OwnBucket(Model):
    """The cluster's own bucket, for input data and for data that must outlive the cluster. Only its jobs, and
    identities with permissions in the account, can read it; it keeps no old versions.
    """

    expected_gib: Decimal = Field(
        default=Decimal(0),
        ge=0,
        le=1_000_000_000,
        description="GiB stored on average, for the expected cost; 0: not included in it",
    )
    protect: bool = Field(
        default=True, description="Refuse to delete the bucket; false: destroy deletes it with its objects"
    )


class Identity(Model):
    """Bucket access of jobs that run as this Kubernetes service account, without keys."""

    checks = (_buckets,)

    team: str | None = Field(
        default=None, description="Team of its namespace; default: the namespace training", examples=["vision"]
    )
    reads: Buckets = Field(
        default=(),
        description="Buckets whose objects it may list and read: own, or bucket addresses",
        examples=[["s3://research-data"]],
    )
    writes: Buckets = Field(
        default=(), description="Buckets in which it may also write and delete objects", examples=[[OWN]]
    )


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


class OwnRegistry(Model):
    """A registry next to the cluster, and caches of public ones. Deleted with the cluster, including its images."""

    kind: Literal["own"]


class ExistingRegistry(Model):
    """An existing registry, which is kept. Nodes may pull from it; on AWS its account must allow this."""

    kind: Literal["existing"]
    id: str = Field(
        min_length=3,
        max_length=512,
        description="Repository of ECR by its URI, of Artifact Registry by its path, or an Azure container registry by "
        "its resource id",
        examples=[
            "123456789012.dkr.ecr.us-east-1.amazonaws.com/training",
            "us-central1-docker.pkg.dev/my-project/training",
        ],
    )


class NoRegistry(Model):
    """No registry: images are public, or nodes pull them with the user's own secret."""

    kind: Literal["none"]


Registry = Annotated[
    OwnRegistry | ExistingRegistry | NoRegistry,
    Field(description="Registry of job images; default: the cluster's own", discriminator="kind"),
]

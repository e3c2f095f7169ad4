"""What a user asks for besides shared storage: a bucket, and what jobs may do with buckets. Imports no Pulumi."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field

from gpucluster.components.problem import Problem
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import NAME
from gpucluster.textio.values import shown_value

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
    """A bucket of the cluster's own: for what comes in, and for what shall outlive the cluster. Nobody but its jobs and
    who has rights in the account reads it; it keeps no old versions.
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

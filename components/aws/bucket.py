"""The bucket that shared storage is linked to, as the spec names it."""

from __future__ import annotations

import re

from gpucluster.components.problem import Problem
from gpucluster.components.spec import SharedStorage

__all__ = ["storage_problems"]

# Source: Amazon S3 user guide, "General purpose bucket naming rules"; FSx API reference, DataRepositoryPath.
_S3 = re.compile(r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$")
_LONGEST = 900


def storage_problems(shared: SharedStorage) -> list[Problem]:
    """Why AWS can't give this storage, in the words of the spec."""
    if shared.kind == "bucket":
        return [
            Problem(
                "storage.shared.kind",
                "is 'bucket', which on AWS is not built",
                "choose lustre, and link a bucket to it by storage.shared.bucket",
            )
        ]
    bucket = shared.bucket
    if bucket is None or (_S3.match(bucket) and len(bucket) <= _LONGEST):
        return []
    return [
        Problem("storage.shared.bucket", f"is {bucket!r}", "on AWS a bucket is named s3://name or s3://name/prefix")
    ]

"""The bucket that the spec links to shared storage."""

from __future__ import annotations

import re

from gpucluster.components.mounted import mounted_problems
from gpucluster.components.problem import Problem
from gpucluster.components.spec.data import OWN
from gpucluster.components.spec.storage import SharedStorage

# Source: Amazon S3 user guide, "General purpose bucket naming rules"; FSx API reference, DataRepositoryPath.
_S3 = r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/.*)?$"
_LONGEST = 900
# Source: FSx API reference, FileSystemId.
_FILES = r"^fs-[0-9a-f]{8,17}$"


def storage_problems(shared: SharedStorage) -> list[Problem]:
    """Why AWS cannot provide this storage, in the terms of the spec."""
    if shared.kind == "bucket":
        return [
            Problem(
                "storage.shared.kind",
                "is 'bucket', which is not supported on AWS",
                "choose lustre, and link a bucket to it with storage.shared.bucket",
            )
        ]
    bucket = shared.bucket
    if bucket in (None, OWN) or (re.fullmatch(_S3, bucket) and len(bucket) <= _LONGEST):
        return mounted_problems(shared, _FILES, "fs-0123456789abcdef0")
    return [
        Problem(
            "storage.shared.bucket",
            f"is {bucket!r}",
            f"on AWS write s3://name or s3://name/prefix, or {OWN} for storage.bucket",
        )
    ]

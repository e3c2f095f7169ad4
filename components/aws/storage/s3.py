"""The resources of S3 in use, without the others of `pulumi_aws.s3`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpucluster.components.resources.lazy_sdk import resources_of

if TYPE_CHECKING:
    from pulumi_aws.s3 import Bucket, BucketPublicAccessBlock

__all__ = ["Bucket", "BucketPublicAccessBlock"]

if not TYPE_CHECKING:
    __getattr__ = resources_of("pulumi_aws.s3", __all__, __name__)

"""The resources of S3 in use, without the others of `pulumi_aws.s3`."""

from __future__ import annotations

from gpucluster.components.lazy_sdk import without_the_rest

with without_the_rest("pulumi_aws.s3"):
    from pulumi_aws.s3.bucket import Bucket
    from pulumi_aws.s3.bucket_public_access_block import BucketPublicAccessBlock

__all__ = ["Bucket", "BucketPublicAccessBlock"]

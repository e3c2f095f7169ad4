"""The cluster's own bucket, and the access of jobs to it and to other buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.identity import pod_role
from gpucluster.components.aws.location import partition
from gpucluster.components.aws.storage import s3
from gpucluster.components.kubernetes.job_identities import JobIdentity
from gpucluster.components.planning.names import EXPECTED_GIB
from gpucluster.components.resources.run import or_empty
from gpucluster.components.shared.buckets import IdentityPlan, OwnBucketPlan
from gpucluster.components.spec.storage import OWN

_READ: Final = ("s3:GetObject",)
# Large files are written in parts, which stay and are billed unless the upload is completed or aborted.
# Source: Amazon S3 user guide, "Multipart upload API and permissions".
_WRITE: Final = (*_READ, "s3:AbortMultipartUpload", "s3:DeleteObject", "s3:ListMultipartUploadParts", "s3:PutObject")


class OwnBucket(pulumi.ComponentResource):
    """Outputs: address. S3 encrypts its contents with S3's own keys, and keeps no old versions.

    Source: Amazon S3 user guide, "Default encryption" and "Object ownership": both are defaults.
    """

    bucket: s3.Bucket
    address: pulumi.Output[str]

    def __init__(self, name: str, plan: OwnBucketPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpucluster:aws:OwnBucket", name, {}, opts)
        expected = {} if plan.expected_gib is None else {EXPECTED_GIB: plan.expected_gib}
        self.bucket = s3.Bucket(
            f"{name}-data",
            # Deleted with its contents, unless it is protected.
            force_destroy=not plan.protect,
            tags=expected,
            opts=pulumi.ResourceOptions(parent=self, protect=plan.protect),
        )
        s3.BucketPublicAccessBlock(
            f"{name}-closed",
            bucket=self.bucket.id,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=pulumi.ResourceOptions(parent=self, protect=plan.protect),
        )
        self.address = pulumi.Output.concat("s3://", or_empty(self.bucket.bucket))
        self.register_outputs({"address": self.address})


def bucket_identities(
    name: str,
    identities: Sequence[IdentityPlan],
    own: OwnBucket | None,
    *,
    control_plane: ControlPlane,
    opts: pulumi.ResourceOptions,
) -> list[JobIdentity]:
    """A role for each identity, which its service account gets by EKS Pod Identity."""
    region = control_plane.region
    job_identities: list[JobIdentity] = []
    for identity in identities:
        names = {bucket: _name(bucket, own) for bucket in identity.buckets}
        pod_role(
            f"{name}-{identity.name}",
            cluster_name=control_plane.cluster_name,
            namespace=identity.namespace,
            service_account=identity.name,
            statements=[
                statement
                for bucket, found in names.items()
                for statement in _statements(
                    pulumi.Output.concat(f"arn:{partition(region)}:s3:::", found),
                    _WRITE if bucket in identity.writes else _READ,
                )
            ],
            opts=opts,
        )
        remotes = {
            bucket: pulumi.Output.concat(f":s3,provider=AWS,env_auth,region={region},no_check_bucket:", found)
            for bucket, found in names.items()
        }
        job_identities.append(JobIdentity(plan=identity, remotes=remotes))
    return job_identities


def _name(bucket: str, own: OwnBucket | None) -> pulumi.Input[str]:
    return or_empty(own.bucket.bucket) if bucket == OWN and own is not None else bucket.removeprefix("s3://")


def _statements(arn: pulumi.Output[str], actions: Sequence[str]) -> list[Mapping[str, Any]]:
    return [
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": arn},
        {"Effect": "Allow", "Action": list(actions), "Resource": pulumi.Output.concat(arn, "/*")},
    ]

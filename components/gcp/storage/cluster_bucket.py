"""The cluster's own buckets, and the access of jobs to them and to others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_gcp import storage

from gpucluster.components.gcp.identity import workload_pool
from gpucluster.components.gcp.location import Location
from gpucluster.components.kubernetes.job_identities import JobIdentity
from gpucluster.components.planning.labels import EXPECTED_GIB
from gpucluster.components.resources.run import or_empty
from gpucluster.components.shared.buckets import IdentityPlan, OwnBucketPlan, remote_name
from gpucluster.components.spec.storage import OWN

READS: Final = "roles/storage.objectViewer"
WRITES: Final = "roles/storage.objectUser"
"""Lists, reads, writes and deletes objects, and can't change permissions of others."""

# A service agent's e-mail address contains the project's number, which principals of pods need. Source: Google Cloud
# documentation, "Service agents".
_NUMBER: Final = r"service-(\d+)@"


def private_bucket(
    name: str,
    *,
    location: Location,
    expected_gib: str | None,
    protect: bool,
    after: Sequence[pulumi.Resource],
    parent: pulumi.Resource,
) -> storage.Bucket:
    """A bucket in the region, not public, encrypted by Google. expected_gib: average GiB stored, for the cost."""
    return storage.Bucket(
        name,
        location=location.region.upper(),
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        # Folders as in a file system, which speed up FUSE and copies to Managed Lustre.
        hierarchical_namespace=storage.BucketHierarchicalNamespaceArgs(enabled=True),
        # Deleted with its contents, unless it is protected.
        force_destroy=not protect,
        labels={} if expected_gib is None else {EXPECTED_GIB: expected_gib},
        opts=pulumi.ResourceOptions(parent=parent, depends_on=list(after), protect=protect),
    )


class OwnBucket(pulumi.ComponentResource):
    """Outputs: address."""

    bucket: storage.Bucket
    address: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: OwnBucketPlan,
        *,
        location: Location,
        apis: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:gcp:OwnBucket", name, {}, opts)
        self.bucket = private_bucket(
            f"{name}-data",
            location=location,
            expected_gib=plan.expected_gib,
            protect=plan.protect,
            after=apis,
            parent=self,
        )
        self.address = self.bucket.url
        self.register_outputs({"address": self.address})


def bucket_name(bucket: str, own: OwnBucket | None) -> pulumi.Input[str]:
    """The name of a bucket as the spec names it."""
    return (
        or_empty(own.bucket.name)
        if bucket == OWN and own is not None
        else bucket.removeprefix("gs://").partition("/")[0]
    )


def bucket_identities(
    name: str,
    identities: Sequence[IdentityPlan],
    own: OwnBucket | None,
    *,
    project: str,
    agent: pulumi.Output[str],
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> list[JobIdentity]:
    """The permission of each service account, as itself, for its buckets.

    agent: e-mail address of a service agent of the project. after: the cluster, whose pool of identities must exist
    first. A principal names project, namespace and service account, not the cluster: another cluster of the project may
    have the same one, so its permission for a bucket of the user's stays after a destroy.
    Source: GKE documentation, "Authenticate to Google Cloud APIs from GKE workloads".
    """
    opts = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    retained = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(retain_on_delete=True))
    job_identities: list[JobIdentity] = []
    for identity in identities:
        member = pulumi.Output.format(
            "principal://iam.googleapis.com/projects/{0}/locations/global/workloadIdentityPools/{1}/"
            "subject/ns/{2}/sa/{3}",
            or_empty(agent).apply(_project_number),
            workload_pool(project),
            identity.namespace,
            identity.name,
        )
        names = {bucket: bucket_name(bucket, own) for bucket in identity.buckets}
        for bucket, found in names.items():
            storage.BucketIAMMember(
                f"{name}-{identity.name}-{remote_name(bucket)}",
                bucket=found,
                role=WRITES if bucket in identity.writes else READS,
                member=member,
                opts=opts if bucket == OWN else retained,
            )
        remotes = {
            bucket: pulumi.Output.concat(":gcs,env_auth,bucket_policy_only:", found) for bucket, found in names.items()
        }
        job_identities.append(JobIdentity(plan=identity, remotes=remotes))
    return job_identities


def _project_number(agent: str) -> str:
    found = re.search(_NUMBER, agent)
    return found[1] if found else ""

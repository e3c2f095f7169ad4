"""A bucket of the cluster's own on AWS, linked both ways, and the least rights of a job to buckets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]
SHARED = {"usable_tib": 20, "gb_per_s": 3, "protect": False, "bucket": "own", "write_back": True}
STORAGE = {"shared": SHARED, "bucket": {"protect": False}}
IDENTITIES = {"data": {"reads": ["s3://corpora"], "writes": ["own"]}}


def _inputs(found: MockResourceArgs) -> dict[str, Any]:
    return {key: value for key, value in found.inputs.items() if key != "tags"}


def test_a_bucket_is_closed_and_linked_to_the_file_system_both_ways(register: Register) -> None:
    seen = register(storage=STORAGE)
    assert _inputs(seen["trial-bucket-data"]) == {"forceDestroy": True}
    assert _inputs(seen["trial-bucket-closed"]) == {
        "bucket": "trial-bucket-data-id",
        "blockPublicAcls": True,
        "blockPublicPolicy": True,
        "ignorePublicAcls": True,
        "restrictPublicBuckets": True,
    }
    every = {"events": ["NEW", "CHANGED", "DELETED"]}
    link = _inputs(seen["trial-storage-bucket"])
    assert link["fileSystemPath"] == "/bucket"
    assert link["s3"] == {"autoImportPolicy": every, "autoExportPolicy": every}


def test_what_a_bucket_is_expected_to_hold_is_told_to_the_cost(register: Register) -> None:
    def tag(bucket: dict[str, Any]) -> object:
        seen = register(storage={"shared": {"usable_tib": 20}, "bucket": bucket})
        return seen["trial-bucket-data"].inputs["tags"].get("gpucluster/expected-gib")

    assert (tag({}), tag({"expected_gib": 5000})) == (None, "5000")


def test_a_job_reads_one_bucket_and_writes_another_and_has_no_other_right(register: Register) -> None:
    seen = register(storage=STORAGE, identities=IDENTITIES)
    association = seen["trial-job-data-association"].inputs
    assert (association["namespace"], association["serviceAccount"]) == ("training", "data")
    assert association["roleArn"] == "arn:aws:mock:us-east-1:000000000000:trial-job-data"
    own = "arn:aws:s3:::trial-bucket-data"
    assert json.loads(seen["trial-job-data-policy"].inputs["policy"])["Statement"] == [
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": "arn:aws:s3:::corpora"},
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": "arn:aws:s3:::corpora/*"},
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": own},
        {
            "Effect": "Allow",
            "Action": [
                "s3:GetObject",
                "s3:AbortMultipartUpload",
                "s3:DeleteObject",
                "s3:ListMultipartUploadParts",
                "s3:PutObject",
            ],
            "Resource": f"{own}/*",
        },
    ]


def test_the_service_account_and_what_a_job_knows_of_its_buckets(register: Register) -> None:
    seen = register(storage=STORAGE, identities=IDENTITIES)
    account = seen["trial-identities-data-account"].inputs
    assert account["automountServiceAccountToken"] is False
    assert (account["metadata"]["name"], account["metadata"]["namespace"]) == ("data", "training")
    remote = ":s3,provider=AWS,env_auth,region=us-east-1,no_check_bucket"
    buckets = seen["trial-identities-data-buckets"].inputs
    assert (buckets["metadata"]["name"], buckets["metadata"]["namespace"]) == ("data-buckets", "training")
    assert buckets["data"] == {
        "RCLONE_CONFIG_CORPORA_TYPE": "alias",
        "RCLONE_CONFIG_CORPORA_REMOTE": f"{remote}:corpora",
        "RCLONE_CONFIG_OWN_TYPE": "alias",
        "RCLONE_CONFIG_OWN_REMOTE": f"{remote}:trial-bucket-data",
    }


def test_an_account_of_a_team_is_in_its_namespace_and_has_its_label(register: Register) -> None:
    teams = {"vision": {"groups": ["arn:aws:iam::123456789012:role/vision"]}}
    seen = register(teams=teams, identities={"eyes": {"team": "vision", "reads": ["s3://corpora"]}})
    metadata = seen["trial-identities-eyes-account"].inputs["metadata"]
    assert (metadata["namespace"], metadata["labels"]["gpucluster/team"]) == ("team-vision", "vision")
    assert seen["trial-job-eyes-association"].inputs["namespace"] == "team-vision"

"""A bucket of the cluster's own on AWS, linked both ways, and the least rights of a job to buckets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]
SHARED = {"usable_tib": 20, "gb_per_s": 3, "protect": False, "bucket": "own", "write_back": True}
STORAGE = {"shared": SHARED, "bucket": {"protect": False}}
IDENTITIES = {"data": {"reads": ["s3://corpora"], "writes": ["own"]}}


def test_what_a_bucket_is_expected_to_hold_is_told_to_the_cost(register: Register) -> None:
    def tag(bucket: dict[str, Any]) -> object:
        seen = register(storage={"shared": {"usable_tib": 20}, "bucket": bucket})
        return seen["trial-bucket-data"].inputs["tags"].get("gpucluster/expected-gib")

    assert (tag({}), tag({"expected_gib": 5000})) == (None, "5000")


def test_the_file_system_is_linked_to_the_bucket_that_its_field_names(register: Register) -> None:
    """Whether or not the cluster has its own bucket."""

    def linked(named: str, **own: Any) -> str:
        shared = {"usable_tib": 20, "gb_per_s": 3, "protect": False, "bucket": named}
        return register(storage={"shared": shared, **own})["trial-storage-bucket"].inputs["dataRepositoryPath"]

    mine = {"bucket": {"protect": False}}
    assert linked("s3://corpora") == linked("s3://corpora", **mine) == "s3://corpora"
    assert linked("own", **mine) == "s3://trial-bucket-data"

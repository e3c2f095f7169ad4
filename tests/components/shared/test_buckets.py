"""What a spec asks of buckets, and what is said where it can't be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.components.shared.buckets import IdentityPlan, OwnBucketPlan, plan_bucket, plan_identities, remote_name
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.file import read_spec
from gpucluster.errors import InputError
from tests.components.conftest import Vary
from tests.components.told import refused, reports, told

OWN = {"bucket": {"protect": False}}
TEAMS = {"vision": {"groups": ["arn:aws:iam::123456789012:role/vision"]}}


def _refused(tmp_path: Path, trial: dict[str, Any], **changes: Any) -> list[str]:
    path = tmp_path / "spec.yaml"
    path.write_text(yaml.safe_dump({**trial, **changes}))
    with pytest.raises(InputError) as caught:
        read_spec(path)
    return [line.partition(": ")[2] for line in str(caught.value).splitlines() if line.startswith("  line")]


def _storage(trial: dict[str, Any], shared: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"shared": {**trial["storage"]["shared"], **shared}, **more}


def test_a_bucket_and_identities_are_planned_as_the_spec_names_them(vary: Vary, trial: dict[str, Any]) -> None:
    spec = vary(
        storage=_storage(trial, {}, bucket={"expected_gib": 5000}),
        teams=TEAMS,
        identities={
            "data": {"reads": ["s3://corpora"], "writes": ["own"]},
            "eyes": {"team": "vision", "reads": ["own"]},
        },
    )
    assert plan_bucket(spec.storage.bucket) == OwnBucketPlan(expected_gib="5000", protect=True)
    assert plan_identities(spec.identities, reports(), title="AWS", form="s3://NAME") == (
        IdentityPlan(name="data", namespace="training", reads=("s3://corpora",), writes=("own",)),
        IdentityPlan(name="eyes", namespace="team-vision", reads=("own",), writes=()),
    )
    assert plan_bucket(None) is None


def test_what_is_wrong_with_identities_is_said_at_once(tmp_path: Path, trial: dict[str, Any]) -> None:
    identities = {
        "default": {"reads": ["own"]},
        "none": {},
        "twice": {"reads": ["own"], "writes": ["own"]},
        "folder": {"reads": ["s3://corpora/text"]},
    }
    assert _refused(tmp_path, trial, identities=identities) == [
        "identities: must not contain the name 'default'; write 1 to 20 lower-case letters, digits and hyphens, "
        "starting with a letter, not ending with a hyphen, and not default",
        "identities.folder.reads[0] is 's3://corpora/text': it is not a whole bucket; write own for storage.bucket, "
        "or s3://NAME, gs://NAME or https://ACCOUNT.blob.core.windows.net/CONTAINER without a folder",
        "identities.none: has neither reads nor writes; list a bucket in one of them, or remove it",
        "identities.twice: has own twice; keep one: writes includes reads",
    ]


def test_a_bucket_and_a_team_that_are_named_have_to_be_there(tmp_path: Path, trial: dict[str, Any]) -> None:
    linked = _storage(trial, {"bucket": "own"})
    identities = {"data": {"writes": ["own"]}, "eyes": {"team": "visoin", "reads": ["s3://corpora"]}}
    asked = "add storage.bucket: {}, to which it refers"
    assert sorted(_refused(tmp_path, trial, storage=linked, identities=identities, teams=TEAMS)) == [
        f"identities.data refers to the bucket own; {asked}",
        "identities.eyes.team is 'visoin'; allowed: vision; did you mean vision?",
        f"storage.shared.bucket is own; {asked}",
    ]


def test_nothing_is_written_back_without_a_bucket(tmp_path: Path, trial: dict[str, Any]) -> None:
    assert _refused(tmp_path, trial, storage=_storage(trial, {"write_back": True})) == [
        "storage.shared: has write_back but no bucket to write to; add bucket, or remove write_back"
    ]


FORMS = {
    "aws": ("AWS", "s3://NAME"),
    "azure": ("Azure", "https://ACCOUNT.blob.core.windows.net/CONTAINER"),
    "gcp": ("Google Cloud", "gs://NAME"),
}
BUCKETS = {"aws": "s3://corpora", "azure": "https://corpora.blob.core.windows.net/text", "gcp": "gs://corpora"}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_bucket_of_another_cloud_is_refused(cloud: str, trial: dict[str, Any]) -> None:
    others = [bucket for name, bucket in BUCKETS.items() if name != cloud]
    identities = {"data": {"reads": others, "writes": [BUCKETS[cloud]]}}
    spec = ClusterSpec.model_validate({**trial, "identities": identities})
    words, form = FORMS[cloud]
    expected = [
        f"identities.data.reads[{at}] is {bucket!r}; on {words} write {form}" for at, bucket in enumerate(others)
    ]
    assert refused(cloud, spec) == expected


def test_two_buckets_that_a_job_could_not_tell_apart_are_refused(vary: Vary) -> None:
    spec = vary(identities={"data": {"reads": ["s3://my-data"], "writes": ["s3://my.data"]}})
    assert remote_name("s3://my-data") == "my_data"
    planning = reports()
    plan_identities(spec.identities, planning, title="AWS", form="s3://NAME")
    assert told(planning.problems) == [
        "identities.data has s3://my-data and s3://my.data, which would both be my_data for jobs; move one of them to "
        "another identity"
    ]

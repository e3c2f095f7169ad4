"""A bucket of the cluster's own on Google Cloud, who copies from it and to it, and the rights of a job to buckets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.plan import plan_cluster
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
Registering = Callable[[Callable[[], object]], list[tuple[str, str, dict[str, Any]]]]
SHARED = {"usable_tib": 20, "protect": False}
IDENTITIES = {"data": {"reads": ["gs://corpora"], "writes": ["own"]}}
POOL = "projects/123456789/locations/global/workloadIdentityPools/my-project.svc.id.goog"


@pytest.fixture
def seen(registered: Registering) -> Callable[..., dict[str, tuple[str, dict[str, Any]]]]:
    """Type and inputs by name of a cluster like the trial's with some fields changed."""

    def run(**changes: Any) -> dict[str, tuple[str, dict[str, Any]]]:
        from gpucluster.components.gcp.cluster import TrainingCluster

        trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
        plan = plan_cluster(ClusterSpec.model_validate({**trial, **changes}), HERE, stack="gcp-trial")
        return {name: (type_, inputs) for type_, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))}

    return run


def test_a_bucket_is_private_and_its_api_is_on(seen: Callable[..., dict[str, Any]]) -> None:
    found = seen(storage={"shared": SHARED, "bucket": {"protect": False, "expected_gib": 5000}})
    _, bucket = found["trial-bucket-data"]
    assert bucket.pop("labels")["gpucluster-expected-gib"] == "5000"
    assert bucket == {
        "location": "US-CENTRAL1",
        "uniformBucketLevelAccess": True,
        "publicAccessPrevention": "enforced",
        "hierarchicalNamespace": {"enabled": True},
        "forceDestroy": True,
    }
    assert {"trial-api-storage", "trial-api-lustre"} <= {*found}


@pytest.mark.parametrize(("back", "role"), [(True, "objectUser"), (False, "objectViewer")])
def test_managed_lustre_may_copy_from_the_linked_bucket_and_to_it_where_asked(
    seen: Callable[..., dict[str, Any]], back: bool, role: str
) -> None:
    linked = {**SHARED, "bucket": "gs://corpora/text", "write_back": back}
    found = seen(storage={"shared": linked})
    assert found["trial-storage-agent"][1]["service"] == "lustre.googleapis.com"
    grant = found["trial-storage-bucket"][1]
    assert (grant["bucket"], grant["role"]) == ("corpora", f"roles/storage.{role}")


def test_that_nothing_is_copied_by_itself_is_said() -> None:
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    linked = {**SHARED, "bucket": "gs://corpora", "write_back": True}
    spec = ClusterSpec.model_validate({**trial, "storage": {"shared": linked}})
    assert (
        "storage.shared.bucket and write_back: Managed Lustre does not sync with a bucket automatically; a command "
        "copies data (docs/data.md)" in plan_cluster(spec, HERE, stack="gcp-trial").facts.losses
    )


def test_a_job_reads_one_bucket_and_writes_another_as_itself(seen: Callable[..., dict[str, Any]]) -> None:
    found = seen(storage={"shared": SHARED, "bucket": {}}, identities=IDENTITIES)
    member = f"principal://iam.googleapis.com/{POOL}/subject/ns/training/sa/data"
    grants = {name: inputs for name, (type_, inputs) in found.items() if type_.endswith(":BucketIAMMember")}
    assert grants == {
        "trial-job-data-corpora": {"bucket": "corpora", "role": "roles/storage.objectViewer", "member": member},
        "trial-job-data-own": {"bucket": "trial-bucket-data", "role": "roles/storage.objectUser", "member": member},
    }
    remote = ":gcs,env_auth,bucket_policy_only"
    assert found["trial-identities-data-buckets"][1]["data"] == {
        "RCLONE_CONFIG_CORPORA_TYPE": "alias",
        "RCLONE_CONFIG_CORPORA_REMOTE": f"{remote}:corpora",
        "RCLONE_CONFIG_OWN_TYPE": "alias",
        "RCLONE_CONFIG_OWN_REMOTE": f"{remote}:trial-bucket-data",
    }

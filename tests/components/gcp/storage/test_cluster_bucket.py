"""A bucket of the cluster's own on Google Cloud, who copies from it and to it, and the rights of a job to buckets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[4]
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
        plan = CLOUD.plan_cluster(ClusterSpec.model_validate({**trial, **changes}), HERE, stack="gcp-trial")
        return {name: (type_, inputs) for type_, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))}

    return run


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
        "copies data (docs/run/data.md)" in CLOUD.plan_cluster(spec, HERE, stack="gcp-trial").facts.losses
    )

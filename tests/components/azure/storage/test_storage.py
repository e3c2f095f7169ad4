"""A container of blobs in the place of a file system, which nodes mount by their own identity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[4]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
BUCKET = {"shared": {"kind": "bucket", "usable_tib": 20, "protect": False}}
TEAMS = {"vision": {"groups": ["00000000-0000-0000-0000-00000000000b"], "gpus": {"training": 16}}}
Registering = Callable[[Callable[[], object]], list[tuple[str, str, dict[str, Any]]]]
Seen = dict[str, tuple[str, dict[str, Any]]]


def plan(**changes: Any) -> AzureClusterPlan:
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=Settings())
    spec = ClusterSpec.model_validate({**trial, "storage": BUCKET, **changes})
    return CLOUD.plan_cluster(spec, here, stack="azure-trial")


def test_the_plan_says_what_a_bucket_is_and_promises_no_throughput() -> None:
    made = plan()
    facts = made.facts.registered()
    assert "storageGbPerS" not in facts["equivalence"]
    assert facts["equivalence"]["storageGib"] == 20480
    assert dict(CLOUD.parts(made))["storage"] == "container of blobs for 20,480 GiB of data"
    notes = [note for note in facts["notes"] if note.startswith("shared storage")]
    assert notes == [
        "shared storage is a bucket, no POSIX file system: no locks, renames of folders are not atomic, and no "
        "throughput is promised",
        "shared storage: a node reads and writes each bucket file as a whole, through its system disk, so each file "
        "must fit in its free space",
    ]
    assert not any("Managed Lustre" in note for note in facts["notes"])

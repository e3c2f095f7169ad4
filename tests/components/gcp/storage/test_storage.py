"""Google Cloud's file systems under the claims that jobs know from every cloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpucluster.components.gcp.storage.storage import bucket_volume
from gpucluster.components.kubernetes.objects.volume import Volume
from gpucluster.components.kubernetes.workspaces import Workspace
from gpucluster.components.resources.label_transformation import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


def workspace(registered: Run, shared: Volume, home: Volume | None, **more: Any) -> dict[str, dict[str, Any]]:
    found = registered(
        lambda: Workspace("space", opts=labelled_objects({"team": "ml"}, None), **more).mount(shared, home)
    )
    return {name: inputs for _, name, inputs in found}


def test_jobs_meet_baseline_unless_their_fabric_needs_more(registered: Run) -> None:
    shared = bucket_volume(bucket="b", capacity_gib=1, after=[])
    standard = "pod-security.kubernetes.io"
    usual = workspace(registered, shared, None)["space-namespace"]["metadata"]
    fabric = workspace(registered, shared, None, pod_security="privileged")["space-namespace"]["metadata"]
    assert usual == {"name": "training", "labels": {"team": "ml", f"{standard}/enforce": "baseline"}}
    assert fabric == {
        "name": "training",
        "labels": {"team": "ml", f"{standard}/enforce": "privileged", f"{standard}/warn": "baseline"},
    }

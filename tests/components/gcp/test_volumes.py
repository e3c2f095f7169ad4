"""Google Cloud's file systems under the claims that jobs know from every cloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpucluster.components.gcp.volumes import bucket_volume, filestore_volume, lustre_volume
from gpucluster.components.kubernetes.volume import Volume
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labelling import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


def volume(driver: str, handle: str, capacity: str, **more: Any) -> dict[str, Any]:
    csi = {
        "driver": driver,
        "volumeHandle": handle,
        **({"volumeAttributes": more.pop("attributes")} if "attributes" in more else {}),
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"labels": {"team": "ml"}},
        "spec": {
            "capacity": {"storage": capacity},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "csi": csi,
            **more,
        },
    }


def workspace(registered: Run, shared: Volume, home: Volume | None, **more: Any) -> dict[str, dict[str, Any]]:
    found = registered(
        lambda: Workspace("space", opts=labelled_objects({"team": "ml"}, None), **more).mount(shared, home)
    )
    return {name: inputs for _, name, inputs in found}


def test_lustre_is_claim_shared_and_filestore_claim_home(registered: Run) -> None:
    shared = lustre_volume(
        project="acme",
        zone="us-central1-a",
        instance="trial-shared",
        filesystem="shared",
        ip="10.0.0.2",
        capacity_gib=20_480,
        after=[],
    )
    home = filestore_volume(
        location="us-central1-a", instance="trial-home", share="home", ip="10.0.0.3", capacity_gib=1024, after=[]
    )
    made = workspace(registered, shared, home)
    assert made["space-volume"] == volume(
        "lustre.csi.storage.gke.io",
        "acme/us-central1-a/trial-shared",
        "20480Gi",
        attributes={"ip": "10.0.0.2", "filesystem": "shared"},
    )
    assert made["space-home-volume"] == volume(
        "filestore.csi.storage.gke.io",
        "modeInstance/us-central1-a/trial-home/home",
        "1024Gi",
        attributes={"ip": "10.0.0.3", "volume": "home"},
    )
    assert {made[name]["metadata"]["name"] for name in ("space-claim", "space-home-claim")} == {"shared", "home"}


def test_a_bucket_may_be_claim_shared_instead(registered: Run) -> None:
    shared = bucket_volume(bucket="acme-trial", capacity_gib=20_480, after=[])
    assert workspace(registered, shared, None)["space-volume"] == volume(
        "gcsfuse.csi.storage.gke.io", "acme-trial", "20480Gi", mountOptions=["implicit-dirs"]
    )


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

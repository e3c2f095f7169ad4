"""Azure's file systems under the claims that jobs know from every cloud."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpucluster.components.azure.volumes import files_volume, lustre_volume
from gpucluster.components.kubernetes.volume import Volume
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labelling import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


def volume(driver: str, handle: str, capacity: str, options: list[str], attributes: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"labels": {"team": "ml"}},
        "spec": {
            "capacity": {"storage": capacity},
            "accessModes": ["ReadWriteMany"],
            "mountOptions": options,
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "csi": {"driver": driver, "volumeHandle": handle, "volumeAttributes": attributes},
        },
    }


def workspace(registered: Run, shared: Volume, home: Volume | None) -> dict[str, dict[str, Any]]:
    found = registered(lambda: Workspace("space", opts=labelled_objects({"team": "ml"}, None)).mount(shared, home))
    return {name: inputs for _, name, inputs in found}


def test_lustre_is_claim_shared_and_files_claim_home(registered: Run) -> None:
    shared = lustre_volume(file_system="trial", mgs_address="10.1.0.4", capacity_gib=20_480, after=[])
    home = files_volume(resource_group="trial", account="trialhome", share="home", capacity_gib=1024, after=[])
    made = workspace(registered, shared, home)
    assert made["space-volume"] == volume(
        "azurelustre.csi.azure.com", "trial", "20480Gi", ["noatime", "flock"], {"mgs-ip-address": "10.1.0.4"}
    )
    assert made["space-home-volume"] == volume(
        "file.csi.azure.com",
        "trial_trialhome_home",
        "1024Gi",
        ["nconnect=8"],
        {"resourceGroup": "trial", "storageAccount": "trialhome", "shareName": "home", "protocol": "nfs"},
    )
    assert {made[name]["metadata"]["name"] for name in ("space-claim", "space-home-claim")} == {"shared", "home"}

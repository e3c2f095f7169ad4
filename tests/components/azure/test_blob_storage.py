"""A container of blobs in the place of a file system, which nodes mount by their own identity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.plan import AzureClusterPlan, plan_cluster
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
BUCKET = {"shared": {"kind": "bucket", "usable_tib": 20, "protect": False}}
TEAMS = {"vision": {"groups": ["00000000-0000-0000-0000-00000000000b"], "gpus": {"training": 16}}}
NETWORK = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/mine/providers/Microsoft.Network/virtualNetworks/mine"
Registering = Callable[[Callable[[], object]], list[tuple[str, str, dict[str, Any]]]]
Seen = dict[str, tuple[str, dict[str, Any]]]


def plan(**changes: Any) -> AzureClusterPlan:
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=Settings())
    spec = ClusterSpec.model_validate({**trial, "storage": BUCKET, **changes})
    return plan_cluster(spec, here, stack="azure-trial")


@pytest.fixture
def seen(registered: Registering) -> Callable[..., Seen]:
    """Type and inputs by name of a cluster with a bucket, with some fields of its spec changed."""

    def run(**changes: Any) -> Seen:
        from gpucluster.components.azure.cluster import TrainingCluster

        made = plan(**changes)
        return {name: (type_, inputs) for type_, name, inputs in registered(lambda: TrainingCluster(made.name, made))}

    return run


def test_the_account_is_closed_to_all_but_the_nodes_and_takes_no_key(seen: Callable[..., Seen]) -> None:
    found = seen()
    _, account = found["trial-storage-account"]
    assert {key: value for key, value in account.items() if key not in ("accountName", "tags")} == {
        "resourceGroupName": "trial-group",
        "kind": "StorageV2",
        "sku": {"name": "Standard_LRS"},
        "accessTier": "Hot",
        "enableHttpsTrafficOnly": True,
        "allowSharedKeyAccess": False,
        "allowBlobPublicAccess": False,
        "minimumTlsVersion": "TLS1_2",
        "networkRuleSet": {
            "defaultAction": "Deny",
            "bypass": "None",
            "virtualNetworkRules": [{"virtualNetworkResourceId": "trial-network-nodes", "action": "Allow"}],
        },
    }
    assert account["tags"]["gpucluster-expected-gib"] == "20480"
    assert found["trial-storage-data"][1] == {
        "accountName": "trial-storage-account",
        "containerName": "data",
        "publicAccess": "None",
        "resourceGroupName": "trial-group",
    }
    assert found["trial-network-nodes"][1]["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]


def test_nodes_mount_it_as_claim_shared_by_their_identity(seen: Callable[..., Seen]) -> None:
    found = seen()
    use = found["trial-storage-use"][1]
    assert (use["principalId"], use["scope"], use["roleDefinitionId"].rpartition("/")[2]) == (
        "trial-control-plane-cluster-kubelet",
        "trial-storage-data",
        CONTRIBUTOR,
    )
    volume = found["trial-workspace-volume"][1]["spec"]
    assert volume["mountOptions"] == ["-o allow_other", "--file-cache-timeout-in-seconds=120"]
    assert volume["csi"] == {
        "driver": "blob.csi.azure.com",
        "volumeHandle": "trial-storage-account_data",
        "volumeAttributes": {
            "protocol": "fuse2",
            "resourceGroup": "trial-group",
            "storageAccount": "trial-storage-account",
            "containerName": "data",
            "AzureStorageAuthType": "MSI",
            "AzureStorageIdentityClientID": "trial-control-plane-cluster-kubelet-client",
        },
    }
    assert found["trial-workspace-claim"][1]["metadata"]["name"] == "shared"
    profile = found["trial-control-plane-cluster"][1]["storageProfile"]
    assert profile["blobCSIDriver"] == {"enabled": True}


def test_nothing_of_a_file_system_is_left(seen: Callable[..., Seen]) -> None:
    found = seen()
    lustre = [name for name in found if "lustre" in name]
    assert lustre == ["trial-network-lustre-rules", "trial-network-lustre"]
    assert not [type_ for type_, _ in found.values() if type_.endswith("AmlFilesystem")]
    classes = [inputs for type_, inputs in found.values() if type_.endswith(":NodePool")]
    assert classes
    assert not any("startupTaints" in nodes["spec"]["template"]["spec"] for nodes in classes)


def test_each_team_mounts_it_under_a_handle_of_its_own(seen: Callable[..., Seen]) -> None:
    handles = [
        inputs["spec"]["csi"]["volumeHandle"]
        for type_, inputs in seen(teams=TEAMS).values()
        if type_.endswith(":PersistentVolume")
    ]
    assert sorted(handles) == ["trial-storage-account_data", "trial-storage-account_data.vision"]


def test_a_cluster_without_one_has_no_driver_for_it(seen: Callable[..., Seen]) -> None:
    found = seen(storage={"shared": {"usable_tib": 20, "protect": False}})
    assert "blobCSIDriver" not in found["trial-control-plane-cluster"][1]["storageProfile"]


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


def test_a_network_of_ones_own_needs_the_endpoint_and_no_subnet_for_lustre() -> None:
    existing = {"id": NETWORK, "cidr": "10.20.0.0/16", "nodes": f"{NETWORK}/subnets/nodes"}
    notes = plan(network={"existing": existing}).facts.registered()["notes"]
    [nodes] = [note for note in notes if "addresses of 10.20.0.0/16" in note]
    assert nodes.endswith("a NAT gateway and the service endpoint Microsoft.Storage")

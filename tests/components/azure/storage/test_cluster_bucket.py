"""A container of the cluster's own on Azure, linked both ways, and the rights of a job to containers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.azure.cloud import CLOUD
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.told import refused

ROOT = Path(__file__).parents[4]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
SERVICE = "00000000-0000-0000-0000-0000000000bb"
Registering = Callable[[Callable[[], object]], list[tuple[str, str, dict[str, Any]]]]
SHARED = {"usable_tib": 20, "protect": False}
LINKED = {**SHARED, "bucket": "own", "write_back": True}
OTHERS = "https://corpora.blob.core.windows.net/text"
IDENTITIES = {"data": {"reads": [OTHERS], "writes": ["own"]}}


def _here(**settings: str) -> Location:
    return Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=Settings(**settings))  # pyright: ignore[reportArgumentType]


def _spec(**changes: Any) -> ClusterSpec:
    trial = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
    return ClusterSpec.model_validate({**trial, **changes})


@pytest.fixture
def seen(registered: Registering) -> Callable[..., dict[str, dict[str, Any]]]:
    """Inputs by name of a cluster like the trial's with some fields changed, tags and group left out."""

    def run(location: Location, **changes: Any) -> dict[str, dict[str, Any]]:
        from gpucluster.components.azure.cluster import TrainingCluster

        plan = CLOUD.plan_cluster(_spec(**changes), location, stack="azure-trial")
        left_out = ("tags", "resourceGroupName")
        return {
            name: {key: value for key, value in inputs.items() if key not in left_out}
            for _, name, inputs in registered(lambda: TrainingCluster(plan.name, plan))
        }

    return run


@pytest.mark.parametrize("linked", [True, False])
def test_a_container_is_closed_and_takes_keys_for_managed_lustre_alone(
    seen: Callable[..., dict[str, Any]], linked: bool
) -> None:
    found = seen(_here(lustre_principal=SERVICE), storage={"shared": LINKED if linked else SHARED, "bucket": {}})
    account = found["trial-bucket-account"]
    assert account == {
        "accountName": account["accountName"],
        "kind": "StorageV2",
        "sku": {"name": "Standard_LRS"},
        "accessTier": "Hot",
        "enableHttpsTrafficOnly": True,
        "allowSharedKeyAccess": linked,
        "allowBlobPublicAccess": False,
        "minimumTlsVersion": "TLS1_2",
    }
    assert found["trial-bucket-data"]["containerName"] == "data"
    assert found["trial-network-nodes"]["serviceEndpoints"] == [{"service": "Microsoft.Storage"}]


def test_what_the_configuration_lacks_for_containers_is_said() -> None:
    own = _spec(storage={"shared": LINKED, "bucket": {}})
    assert refused("azure", own, _here()) == [
        "lustrePrincipal is missing, and storage.shared.bucket is set: Azure Managed Lustre reads a container with "
        "the roles of HPC Cache Resource Provider (lustrePrincipal: its object id) in the storage account; add "
        "lustrePrincipal"
    ]
    assert refused("azure", _spec(identities={"data": {"reads": [OTHERS]}}), _here()) == [
        "bucketGroup is missing, but identities.data is a container: rights are granted in the resource group of its "
        "account; add it: the name of that resource group"
    ]


def test_roles_that_the_owner_of_an_account_has_granted_are_not_declared(seen: Callable[..., dict[str, Any]]) -> None:
    granted = _here(bucket_group="data", lustre_principal="granted")
    linked = {"shared": {**SHARED, "bucket": OTHERS}}
    notes = CLOUD.plan_cluster(_spec(storage=linked), granted, stack="azure-trial").facts.notes
    assert [note for note in notes if "destroy leaves the roles" in note] == []
    found = seen(granted, storage=linked)
    assert [name for name in found if name.startswith("trial-storage-")] == [
        "trial-storage-log",
        "trial-storage-shared",
    ]
    assert refused("azure", _spec(storage={"shared": LINKED, "bucket": {}}), granted) == [
        "lustrePrincipal is 'granted', and storage.shared.bucket is 'own'; write the object id of HPC Cache Resource "
        "Provider: the account of storage.bucket is made with the cluster"
    ]

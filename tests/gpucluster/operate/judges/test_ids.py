"""For which of the modelled types a document tells the form of the id, and what that form is."""

from __future__ import annotations

from gpucluster.sandbox.clouds.aws.model import MODELS as AWS
from gpucluster.sandbox.clouds.azure.model import MODELS as AZURE
from gpucluster.sandbox.clouds.gcp.model import MODELS as GCP
from gpucluster.sandbox.clouds.registry import SIMULATED
from tests.cases import cases
from tests.gpucluster.operate.judges.ids import OTHERWISE, has_form, known

WITHOUT = {
    *OTHERWISE,
    # What azurerm imports is the id of the registry.
    "azure-native:containerregistry:CacheRule",
    # What azurerm imports is the id of the target and the name, apart by a bar.
    "azure-native:monitor:DiagnosticSetting",
    # Not taken from azurerm's page yet.
    "azure-native:operationalinsights:Workspace",
    # azurerm has no such resource.
    "azure-native:storagecache:AutoExportJob",
    "azure-native:containerservice:MaintenanceConfiguration",
    "azure-native:containerservice:Snapshot",
    "azure-native:features:SubscriptionFeatureRegistration",
    # The SDK's page names no import, and no method of Google's gets the like.
    "gcp:kms/cryptoKeyIAMMember:CryptoKeyIAMMember",
    "gcp:projects/iAMBinding:IAMBinding",
    "gcp:projects/iAMCustomRole:IAMCustomRole",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:projects/serviceIdentity:ServiceIdentity",
    "gcp:serviceaccount/account:Account",
    "gcp:serviceaccount/iAMBinding:IAMBinding",
    "gcp:serviceaccount/iAMMember:IAMMember",
    "gcp:serviceaccount/key:Key",
    "gcp:storage/bucketIAMMember:BucketIAMMember",
}


def test_a_document_tells_the_form_of_the_ids_of_all_modelled_types_but_these() -> None:
    assert set(SIMULATED) >= {"aws", "gcp", "azure-native"}
    assert {type_ for models in (AWS, AZURE, GCP) for type_ in models if not known(type_)} == WITHOUT


@cases
def test_an_id_has_the_form_or_not(type_: str, right: str, wrong: str) -> None:
    assert has_form(type_, right)
    assert not has_form(type_, wrong)

"""For which of the modelled types a document tells the form of the id, and what that form is."""

from __future__ import annotations

import pytest

from gpucluster.sandbox.clouds.aws.model import MODELS as AWS
from gpucluster.sandbox.clouds.azure.model import MODELS as AZURE
from gpucluster.sandbox.clouds.gcp.model import MODELS as GCP
from gpucluster.sandbox.clouds.registry import SIMULATED
from tests.judges.ids import has_form, known

WITHOUT = {
    # The provider takes another text for an import than it keeps as the id.
    "aws:cloudwatch/eventRule:EventRule",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:ec2/route:Route",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:eks/podIdentityAssociation:PodIdentityAssociation",
    "gcp:compute/routerNat:RouterNat",
    "gcp:servicenetworking/connection:Connection",
    "gcp:storage/bucket:Bucket",
    # What azurerm imports is the id of the registry.
    "azure-native:containerregistry:CacheRule",
    # What azurerm imports is the id of the target and the name, apart by a bar.
    "azure-native:monitor:DiagnosticSetting",
    # Not taken from azurerm's page yet.
    "azure-native:operationalinsights:Workspace",
    # azurerm has no such resource.
    "azure-native:storagecache:AutoExportJob",
    "azure-native:containerservice:MaintenanceConfiguration",
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


@pytest.mark.parametrize(
    ("type_", "right", "wrong"),
    [
        ("aws:ec2/vpc:Vpc", "vpc-0123456789abcdef0", "vpc-bogus"),
        ("aws:eks/nodeGroup:NodeGroup", "cluster:group", "cluster/group"),
        ("aws:iam/policy:Policy", "arn:aws:iam::123456789012:policy/a", "arn:aws:iam::123456789012:role/a"),
        ("aws:kms/key:Key", "1234abcd-12ab-34cd-56ef-1234567890ab", "key"),
        ("gcp:compute/network:Network", "projects/p/global/networks/n", "projects/p/networks/n"),
        ("gcp:kms/cryptoKey:CryptoKey", "projects/p/locations/l/keyRings/r/cryptoKeys/k", "projects/p/cryptoKeys/k"),
        (
            "azure-native:network:Subnet",
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n",
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/subnets/n",
        ),
    ],
)
def test_an_id_has_the_form_or_not(type_: str, right: str, wrong: str) -> None:
    assert has_form(type_, right)
    assert not has_form(type_, wrong)

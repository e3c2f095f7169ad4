"""Placement groups, capacity reservations, features and what watches a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.events.scenario import Existing, Scenario
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.run.seed import seed

Stage = Any
SUBSCRIPTION = "11111111-2222-3333-4444-555555555555"


FEATURE = {"providerNamespace": "Microsoft.ContainerService", "featureName": "AKSInfinibandSupport"}


def test_a_feature_is_there_already_so_no_program_makes_it(stage: Stage) -> None:
    with pytest.raises(CloudError) as refused:
        stage.create("features:SubscriptionFeatureRegistration", **FEATURE)
    assert str(refused.value) == (
        f"cannot create already existing resource '/subscriptions/{stage.group.scope}/providers/Microsoft.Features/"
        "featureProviders/Microsoft.ContainerService/subscriptionFeatureRegistrations/AKSInfinibandSupport'"
    )


def test_a_feature_is_registered_unless_a_scenario_says_otherwise(account: AzureAccount, ledger: Ledger) -> None:
    def answer() -> Any:
        return account.invoke("azure-native:features:getSubscriptionFeatureRegistration", FEATURE)

    assert answer()["properties"]["state"] == "Registered"
    pending = Existing(
        type="azure-native:features:SubscriptionFeatureRegistration",
        provider={"subscriptionId": SUBSCRIPTION},
        inputs={**FEATURE, "properties": {"state": "Pending"}},
    )
    seed(Scenario(exists=(pending,)), installed_sdks(site_packages(None)), ledger)
    [there] = ledger.of_types({pending.type})
    assert (answer()["id"], answer()["properties"]["state"]) == (there.id, "Pending")


def test_what_watches_a_cluster_has_endpoints_and_hangs_on_the_cluster(stage: Stage) -> None:
    workspace = stage.make("monitor:AzureMonitorWorkspace", "w", azureMonitorWorkspaceName="w")
    endpoint = stage.make("monitor:DataCollectionEndpoint", "e", dataCollectionEndpointName="e")
    rule = stage.make("monitor:DataCollectionRule", "r", dataCollectionEndpointId=endpoint.id)
    hanging = stage.create(
        "monitor:DataCollectionRuleAssociation",
        associationName="a",
        resourceUri=stage.cluster.id,
        dataCollectionRuleId=rule.id,
    )
    assert workspace.outputs["metrics"]["prometheusQueryEndpoint"].endswith(
        ".eastus.prometheus.monitor.sandbox.invalid"
    )
    assert endpoint.outputs["metricsIngestion"]["endpoint"].startswith("https://e-")
    assert rule.outputs["immutableId"].startswith("dcr-")
    assert hanging.id == f"{stage.cluster.id}/providers/Microsoft.Insights/dataCollectionRuleAssociations/a"


def test_grafana_has_an_endpoint(stage: Stage) -> None:
    made = stage.make("dashboard:Grafana", workspaceName="g1", sku={"name": "Standard"})
    assert made.outputs["properties"]["endpoint"] == "https://g1.eastus.grafana.sandbox.invalid"

"""Rules of AKS clusters, what they answer, and the way to their API."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import yaml

from gpucluster.sandbox.clouds.azure.cloud import AzureAccount, own_part
from gpucluster.sandbox.clouds.cloud import CloudError, Resource, UnansweredError
from gpucluster.sandbox.clouds.kubernetes.cloud import api_server
from gpucluster.sandbox.clouds.kubernetes.objects import cluster_at

Stage = Any

USER = "azure-native:containerservice:listManagedClusterUserCredentials"
ADMIN = "azure-native:containerservice:listManagedClusterAdminCredentials"
ARGS = {"resourceGroupName": "g", "resourceName": "c"}


def _kubeconfig(account: AzureAccount, token: str, **args: str) -> Any:
    (found,) = account.invoke(token, {**ARGS, **args})["kubeconfigs"]
    return found["name"], yaml.safe_load(base64.b64decode(found["value"]))


def test_a_cluster_shows_its_identities_as_a_map(stage: Stage) -> None:
    shown = {name: stage.identity.outputs[name] for name in ("clientId", "principalId")}
    assert stage.cluster.outputs["identity"] == {
        "type": "UserAssigned",
        "userAssignedIdentities": {stage.identity.id: shown},
    }


def test_a_cluster_makes_its_own_group_and_kubelet_identity(stage: Stage) -> None:
    outputs = stage.cluster.outputs
    assert outputs["nodeResourceGroup"] == "MC_g_c_eastus"
    kubelet = outputs["identityProfile"]["kubeletidentity"]
    assert kubelet["resourceId"].endswith(
        "/MC_g_c_eastus/providers/Microsoft.ManagedIdentity/userAssignedIdentities/c-agentpool"
    )


def test_a_cluster_has_an_issuer_only_where_it_is_asked(make_stage: Callable[..., Stage]) -> None:
    stage = make_stage(oidcIssuerProfile={"enabled": True})
    assert stage.cluster.outputs["oidcIssuerProfile"]["issuerURL"].startswith("https://eastus.oic.prod-aks.")
    assert stage.aks("other").outputs["oidcIssuerProfile"] == {"enabled": False}


def test_what_a_cluster_has_stays_over_an_update(
    account: AzureAccount, azure: Callable[..., Resource], make_stage: Callable[..., Stage]
) -> None:
    there = make_stage(oidcIssuerProfile={"enabled": True}).cluster
    asked = azure("containerservice:ManagedCluster", "c", **{**there.inputs, "tags": {"a": "b"}})
    outputs = account.update(replace(asked, old_inputs=there.inputs, outputs=there.outputs, id=there.id)).outputs
    kept = ("fqdn", "oidcIssuerProfile", "identityProfile", "currentKubernetesVersion", "resourceUID")
    assert {name: outputs[name] for name in kept} == {name: there.outputs[name] for name in kept}


def test_the_kubeconfig_leads_to_the_cluster(account: AzureAccount, stage: Stage) -> None:
    name, config = _kubeconfig(account, USER)
    server = api_server({"kubeconfig": config})
    assert (name, config["current-context"]) == ("clusterUser", "c")
    assert server == f"https://{stage.cluster.outputs['fqdn']}:443"
    assert server is not None
    found = cluster_at(account.ledger, server)
    assert found is not None
    assert found.id == stage.cluster.id


def test_a_cluster_with_entra_id_is_entered_with_kubelogin(
    account: AzureAccount, make_stage: Callable[..., Stage]
) -> None:
    make_stage(aadProfile={"managed": True}, disableLocalAccounts=True)
    _, config = _kubeconfig(account, USER, format="exec")
    assert config["users"][0]["user"]["exec"]["command"] == "kubelogin"
    with pytest.raises(CloudError, match="this cluster is set to disable local accounts"):
        account.invoke(ADMIN, ARGS)


def test_admins_of_a_cluster_with_local_accounts_have_certificates(
    account: AzureAccount, make_stage: Callable[..., Stage]
) -> None:
    make_stage()
    name, config = _kubeconfig(account, ADMIN)
    assert (name, config["current-context"]) == ("clusterAdmin", "c-admin")
    assert "client-certificate-data" in config["users"][0]["user"]


def test_a_cluster_that_is_not_there_has_no_credentials(account: AzureAccount) -> None:
    with pytest.raises(CloudError, match=r'^request failed /subscriptions/.*: Status=404 Code="ResourceNotFound"'):
        account.invoke(USER, ARGS)


def test_functions_that_need_an_account_say_so(account: AzureAccount) -> None:
    with pytest.raises(UnansweredError, match="azure-native:network:getVirtualNetwork"):
        account.invoke("azure-native:network:getVirtualNetwork", {})


def test_a_cluster_names_all_of_its_pools_when_it_is_read(stage: Stage, account: AzureAccount) -> None:
    stage.pool("training", count=4)
    read = account.read(stage.cluster)
    for side in (read.inputs, read.outputs):
        pools = {pool["name"]: (pool["count"], pool["vmSize"], pool["mode"]) for pool in side["agentPoolProfiles"]}
        assert pools == {
            "system": (3, "Standard_D4s_v5", "System"),
            "training": (4, "Standard_ND96isr_H100_v5", "User"),
        }
    assert "resourceGroupName" not in read.inputs["agentPoolProfiles"][1]
    assert account.read(stage.vnet) == stage.vnet


def test_what_was_read_is_written_back_without_a_pool_twice(
    stage: Stage, account: AzureAccount, azure: Callable[..., Resource]
) -> None:
    stage.pool("training")
    read = account.read(stage.cluster)
    asked = azure("containerservice:ManagedCluster", "c", **read.inputs)
    made = account.update(replace(asked, old_inputs=read.inputs, outputs=read.outputs, id=read.id))
    assert [pool["name"] for pool in made.outputs["agentPoolProfiles"]] == ["system"]


def test_a_state_agrees_with_a_cluster_whether_it_was_refreshed_or_not(stage: Stage, account: AzureAccount) -> None:
    before = stage.cluster.outputs
    stage.pool("training")
    refreshed = account.read(stage.cluster).outputs
    assert own_part(refreshed, stage.cluster)["agentPoolProfiles"] == before["agentPoolProfiles"]
    assert own_part(before, stage.cluster) == before
    assert own_part({"a": 1}, stage.vnet) == {"a": 1}


def test_a_context_has_the_group_of_its_cluster_and_a_refusal_its_status(
    account: AzureAccount, make_stage: Callable[..., Stage]
) -> None:
    stage = make_stage()
    for token, role in ((USER, "clusterUser"), (ADMIN, "clusterAdmin")):
        _, config = _kubeconfig(account, token)
        assert config["contexts"][0]["context"] == {"cluster": "c", "user": f"{role}_g_c"}
    stage.aks("d", disableLocalAccounts=True)
    with pytest.raises(CloudError, match='Status=400 Code="BadRequest"'):
        account.invoke(ADMIN, {**ARGS, "resourceName": "d"})

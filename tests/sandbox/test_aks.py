"""An AKS cluster on the real engine: its life, what changes in place, and what Azure refuses to change."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.engine, pytest.mark.slow]

PROGRAM = """
    import base64
    import pulumi
    from pulumi_azure_native import authorization, containerservice, managedidentity, network, resources, storagecache
    from pulumi_kubernetes import Provider, core

    config = pulumi.Config()
    subscription = pulumi.Config("azure-native").require("subscriptionId")
    group = resources.ResourceGroup("group", location="eastus", tags={"owner": config.get("owner") or "ann"})
    inside = {"resource_group_name": group.name}
    vnet = network.VirtualNetwork("vnet", **inside, address_space={"address_prefixes": ["10.16.0.0/16"]})
    nodes = network.Subnet("nodes", **inside, virtual_network_name=vnet.name, address_prefix="10.16.0.0/20")
    lustre = network.Subnet("lustre", **inside, virtual_network_name=vnet.name, address_prefix="10.16.16.0/24")
    identity = managedidentity.UserAssignedIdentity("identity", **inside)
    role = authorization.RoleAssignment(
        "role", principal_id=identity.principal_id, principal_type="ServicePrincipal", scope=vnet.id,
        role_definition_id=f"/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/"
        "4d97b98b-1d4f-4787-a291-c67834d212e7",
    )
    cluster = containerservice.ManagedCluster(
        "cluster", **inside, dns_prefix="c", tags={"owner": config.get("owner") or "ann"},
        identity={"type": "UserAssigned", "user_assigned_identities": [identity.id]},
        agent_pool_profiles=[{
            "name": "system", "mode": "System", "count": 3, "vm_size": "Standard_D4s_v5", "vnet_subnet_id": nodes.id,
        }],
        network_profile={
            "network_plugin": "azure", "network_plugin_mode": "overlay", "network_dataplane": "cilium",
            "network_policy": "cilium", "pod_cidr": "10.128.0.0/14", "service_cidr": "10.200.0.0/16",
            "dns_service_ip": "10.200.0.10",
        },
        oidc_issuer_profile={"enabled": True},
        opts=pulumi.ResourceOptions(depends_on=[role], ignore_changes=["agentPoolProfiles"]),
    )
    containerservice.AgentPool(
        "pool", **inside, resource_name_=cluster.name, agent_pool_name="training", mode="User",
        count=config.get_int("count") or 2, vm_size="Standard_ND96isr_H100_v5", availability_zones=["1"],
        os_disk_type="Ephemeral", os_disk_size_gb=config.get_int("disk") or 512, vnet_subnet_id=nodes.id,
        upgrade_settings={"max_surge": "0", "max_unavailable": "1"},
    )
    shared = storagecache.AmlFilesystem(
        "shared", **inside, filesystem_subnet=lustre.id, storage_capacity_ti_b=config.get_int("size") or 16,
        sku={"name": "AMLFS-Durable-Premium-125"}, zones=["1"],
        maintenance_window={"day_of_week": "Sunday", "time_of_day_utc": "03:00"},
    )
    answer = containerservice.list_managed_cluster_user_credentials_output(**inside, resource_name=cluster.name)
    kubeconfig = answer.apply(lambda it: base64.b64decode(it.kubeconfigs[0].value).decode())
    api = Provider("api", kubeconfig=pulumi.Output.secret(kubeconfig))
    core.v1.Namespace("training", metadata={"name": "training"}, opts=pulumi.ResourceOptions(provider=api))
    pulumi.export("issuer", cluster.oidc_issuer_profile.issuer_url)
    pulumi.export("mgs", shared.client_info.mgs_address)
    pulumi.export("identities", cluster.identity.user_assigned_identities)
"""
SETTINGS = {"azure-native:subscriptionId": "11111111-2222-3333-4444-555555555555"}


def pools_of_the_cluster(project: Any) -> list[str]:
    """As the state has them."""
    resources = json.loads(project.pulumi("stack export"))["deployment"]["resources"]
    [cluster] = [item for item in resources if item["type"].endswith(":ManagedCluster")]
    return [profile["name"] for profile in cluster["outputs"]["agentPoolProfiles"]]


def test_an_aks_cluster_is_made_refreshed_changed_and_deleted(project: Any) -> None:
    project.write(PROGRAM, **SETTINGS)
    project.pulumi("up", "--yes", "--skip-preview")
    outputs = project.outputs()
    assert outputs["issuer"].startswith("https://eastus.oic.prod-aks.sandbox.invalid/")
    assert outputs["mgs"] == "10.16.16.5"
    assert [set(shown) for shown in outputs["identities"].values()] == [{"clientId", "principalId"}]
    assert project.plan() == {}
    project.pulumi("refresh", "--yes", "--skip-preview")
    assert pools_of_the_cluster(project) == ["system", "training"]
    assert project.plan() == {}
    project.write(PROGRAM, **SETTINGS, **{"small:count": "3", "small:owner": "bob"})
    assert project.plan() == {"group": "update", "cluster": "update", "pool": "update"}
    project.pulumi("up", "--yes", "--skip-preview")
    assert project.plan() == {}
    assert project.run("recover").stdout == ""
    project.write(PROGRAM, **SETTINGS, **{"small:size": "32", "small:count": "3", "small:owner": "bob"})
    assert project.plan() == {"shared": "replace"}
    project.write(PROGRAM, **SETTINGS, **{"small:disk": "1000", "small:count": "3", "small:owner": "bob"})
    assert project.plan() == {"pool": "update"}
    refused = project.refused("up", "--yes", "--skip-preview")
    assert "Changing property 'properties.osDiskSizeGB' is not allowed." in refused
    project.pulumi("destroy", "--yes", "--skip-preview")
    assert project.ledger() == []

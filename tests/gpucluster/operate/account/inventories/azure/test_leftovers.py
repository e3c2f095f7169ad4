"""What a stack left in a subscription of Azure, by a server made of Microsoft's SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from azure.core.exceptions import ClientAuthenticationError

from gpucluster.operate.clients.azure import subscription
from tests.gpucluster.operate.preflight.azure.resource_manager import Fault, ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import ME

Run = Callable[..., tuple[int, str]]
Left = Callable[..., tuple[int, list[dict[str, Any]]]]
HERE = "/subscriptions/00000000-0000-0000-0000-000000000000"
GROUP = f"{HERE}/resourceGroups/trial-group-0a1b2c3"
NODES = f"{HERE}/resourceGroups/trial-azure-trial-nodes"
CLUSTER = f"{GROUP}/providers/Microsoft.ContainerService/managedClusters/trial-azure-trial"
TAGS = {"pulumi-project": "gpucluster", "pulumi-stack": "azure-trial"}


def one(
    kind: str, name: str = "one", *, group: str = GROUP, tags: Mapping[str, str] | None = TAGS, sku: Any = None
) -> dict[str, Any]:
    found = {"id": f"{group}/providers/{kind}/{name}", "name": name, "type": kind, "location": "eastus"}
    return {**found, **({"tags": dict(tags)} if tags else {}), **({"sku": sku} if sku else {})}


def group(id_: str = GROUP, *, tags: Mapping[str, str] | None = TAGS, by: str = "") -> dict[str, Any]:
    found = {"id": id_, "name": id_.rpartition("/")[2], "location": "eastus"}
    return {**found, **({"tags": dict(tags)} if tags else {}), **({"managedBy": by} if by else {})}


AKS = one("Microsoft.ContainerService/managedClusters", "trial-azure-trial", sku={"name": "Base", "tier": "Standard"})
MACHINES = one(
    "Microsoft.Compute/virtualMachineScaleSets",
    "aks-training",
    group=NODES,
    sku={"name": "Standard_ND96isr_H100_v5", "tier": "Standard", "capacity": 5},
)
NAT = one("Microsoft.Network/natGateways", "nat", sku={"name": "Standard"})


def test_after_a_clean_destroy_nothing_is_left(run: Run, manager: ResourceManager) -> None:
    assert run("azure-trial") == (0, "azure-trial: nothing is left.\n")
    assert ("resources", f"{HERE}/resources") in manager.requests


def test_a_half_failed_destroy_ends_with_the_deletion_of_one_group(run: Run, manager: ResourceManager) -> None:
    manager.answers |= {
        "resources": [AKS, MACHINES, NAT],
        "groups": [group(), group(NODES, tags=None, by=CLUSTER)],
        "group resources": [AKS, NAT],
    }
    assert run("azure-trial") == (
        1,
        f"""\
microsoft.resources/resourcegroups  {GROUP}
  no charge: a group itself is not billed
  az group delete --name trial-group-0a1b2c3 --subscription 00000000-0000-0000-0000-000000000000 --yes
microsoft.containerservice/managedclusters  {CLUSTER}
  $2.40 a day
  goes with {GROUP}
microsoft.compute/virtualmachinescalesets  {NODES}/providers/Microsoft.Compute/virtualMachineScaleSets/aks-training
  $11,798.40 a day and unknown: system disk: its size is that of its image, which a plan does not show; set diskSizeGB
  goes with {GROUP}
microsoft.network/natgateways  {GROUP}/providers/Microsoft.Network/natGateways/nat
  unknown: no price for nat-gateway-hour on_demand in azure eastus per hour; known: westeurope on_demand
  goes with {GROUP}
azure-trial: 4 left, $11,800.80 a day; the cost of 1 of them is unknown
""",
    )


def test_a_group_with_things_of_others_is_kept_and_the_commands_are_in_an_order_that_works(
    left: Left, manager: ResourceManager
) -> None:
    manager.page = 2
    network = one("Microsoft.Network/virtualNetworks", "vnet")
    manager.answers |= {
        "resources": [NAT, network, MACHINES, AKS],
        "groups": [group(), group(NODES, tags=None, by=CLUSTER)],
        "group resources": [AKS, NAT, network, one("Microsoft.Storage/storageAccounts", "theirs", tags=None)],
    }
    code, found = left("azure-trial")
    assert (code, [(item["id"].rpartition("/")[2], item["remove"]) for item in found]) == (
        1,
        [
            ("trial-azure-trial", f"az resource delete --ids {CLUSTER}"),
            ("aks-training", None),
            ("vnet", f"az resource delete --ids {network['id']}"),
            ("nat", f"az resource delete --ids {NAT['id']}"),
            ("trial-group-0a1b2c3", None),
        ],
    )


def test_two_stacks_and_another_project_with_the_same_stack_name_are_kept_apart(
    run: Run, manager: ResourceManager
) -> None:
    theirs = {"pulumi-project": "other", "pulumi-stack": "azure-trial"}
    kind, other = "Microsoft.Network/networkInterfaces", f"{HERE}/resourceGroups/other"
    manager.answers |= {
        "resources": [one(kind, "ours"), one(kind, "theirs", group=other, tags=theirs)],
        "groups": [group(), group(other, tags=theirs), group(f"{HERE}/resourceGroups/none", tags=None)],
        "group resources": [one(kind, "ours")],
    }
    assert run("azure-trial") == (
        0,
        "free of charge (--format json lists each with its command): microsoft.network/networkinterfaces, "
        "microsoft.resources/resourcegroups\nazure-trial: 2 left, $0.00 a day\n",
    )


def test_sizes_are_asked_for_where_the_inventory_has_none(left: Left, manager: ResourceManager) -> None:
    machine = one("Microsoft.Compute/virtualMachines", "karpenter-1")
    disk = one("Microsoft.Compute/disks", "pvc-1", sku={"name": "Premium_LRS"})
    lustre = one("Microsoft.StorageCache/amlFilesystems", "scratch", sku={"name": "AMLFS-Durable-Premium-125"})
    manager.answers |= {
        "resources": [machine, *({**stored, "location": "westeurope"} for stored in (disk, lustre))],
        "machines": [{"id": machine["id"], "properties": {"hardwareProfile": {"vmSize": "Standard_ND96isr_H100_v5"}}}],
        "disks": [{"id": disk["id"], "properties": {"diskSizeGB": 512}}],
        "file systems": [{"id": lustre["id"], "properties": {"storageCapacityTiB": 48}}],
    }
    code, found = left("azure-trial")
    told = {item["id"].rpartition("/")[2]: item["cost"] for item in found}
    assert (code, told) == (
        1,
        {
            "karpenter-1": "$2,359.68 a day",
            "pvc-1": "$2.65 a day",  # 512 GiB, P20: $80.54 a month
            "scratch": "$304.35 a day",  # 48 TiB of $0.18834 a GiB-month
        },
    )


def test_what_is_free_is_free(run: Run, manager: ResourceManager) -> None:
    kinds = (
        "Microsoft.AlertsManagement/prometheusRuleGroups",
        "Microsoft.Compute/proximityPlacementGroups",
        "Microsoft.ContainerRegistry/registries/cacheRules",
        "Microsoft.Insights/actionGroups",
        "Microsoft.Insights/dataCollectionEndpoints",
        "Microsoft.Insights/dataCollectionRules",
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        "Microsoft.Network/networkSecurityGroups",
    )
    manager.answers["resources"] = [one(kind) for kind in kinds]
    code, text = run("azure-trial")
    assert code == 0, text
    assert {*text.splitlines()[0].partition(": ")[2].split(", ")} == {kind.lower() for kind in kinds}


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (Fault(status=401, code="ExpiredAuthenticationToken"),
         "Azure no longer accepts your login (ExpiredAuthenticationToken); log in again: `az login`"),
        (Fault(status=403, code="AuthorizationFailed",
               message=f"The client with object id '{ME}' does not have authorization to perform action "
               f"'Microsoft.Resources/subscriptions/resources/read' over scope '{HERE}'"),
         f"this login has no right to Microsoft.Resources/subscriptions/resources/read on {HERE}; ask an owner for the "
         f"role Reader: `az role assignment create --role Reader --assignee {ME} --scope {HERE}`"),
        (Fault(status=429, code="TooManyRequests", headers={"Retry-After": "60"}),
         "Azure throttles this login; ask again in 60 s"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_clear_line(run: Run, manager: ResourceManager, fault: Fault, line: str) -> None:
    manager.faults["resources"] = fault
    assert run("azure-trial") == (2, f"error: account: {line}\n")


def test_no_answer_in_time_is_said(run: Run, manager: ResourceManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.operate.clients.azure.clients.READ_SECONDS", 0.2)
    manager.faults["resources"] = Fault(seconds=30)
    assert run("azure-trial") == (2, "error: account: Azure has not answered in 20 s; try again\n")


def test_an_expired_login_and_a_subscription_of_others_are_said(
    run: Run, manager: ResourceManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.faults["subscription"] = Fault(
        status=404, code="SubscriptionNotFound", message=f"The subscription '{HERE[-36:]}' could not be found."
    )
    code, text = run("azure-trial")
    assert (code, text.count("\n")) == (2, 1)
    assert text.startswith(f"error: account: this login has no subscription {HERE[-36:]}; ")

    class Expired:
        def get_token(self, *_: str, **__: Any) -> None:
            raise ClientAuthenticationError("AADSTS700082: The refresh token has expired")

    monkeypatch.setattr(subscription, "login", lambda *_: Expired())
    assert run("azure-trial") == (
        2, "error: account: your login to Azure has expired (AADSTS700082); log in again: `az login`\n"
    )  # fmt: skip

"""One Azure resource by itself: its lines as exact amounts, or why it has none."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

LINES: list[tuple[str, dict[str, Any], list[tuple[str, str, str, str]]]] = [
    (
        "containerservice:ManagedCluster",
        {
            "location": "eastus",
            "sku": {"name": "Base", "tier": "Standard"},
            "networkProfile": {"outboundType": "userAssignedNATGateway"},
            "agentPoolProfiles": [
                {"name": "system", "count": 3, "vmSize": "Standard_D4ds_v5", "osDiskType": "Ephemeral"}
            ],
        },
        [
            ("AKS Standard tier", "730", "0.1", "73.00"),
            ("3 x Standard_D4ds_v5 on demand", "2190", "0.226", "494.94"),
        ],
    ),
    (
        "containerservice:ManagedCluster",
        {
            "location": "eastus2",
            "networkProfile": {"loadBalancerProfile": {"managedOutboundIPs": {"count": 2}}},
            "addonProfiles": {"omsagent": {"enabled": True}},
        },
        [
            ("Log Analytics", "0", "2.76", "0.00"),
            ("Load balancer", "730", "0.025", "18.25"),
            ("Load balancer data processed", "0", "0.005", "0.00"),
            ("Public address", "1460", "0.005", "7.30"),
        ],
    ),
    (
        "containerservice:ManagedCluster",
        {
            "location": "eastus",
            "azureMonitorProfile": {"metrics": {"enabled": True}},
            "networkProfile": {"outboundType": "none"},
            "tags": {"gpucluster-expected-million-samples": "50"},
        },
        [("Managed Prometheus samples", "50", "0.016", "0.80")],
    ),
    ("network:PublicIPAddress", {"location": "East US", "sku": {"name": "Standard"}},
     [("Public address", "730", "0.005", "3.65")]),
    ("network:PublicIPAddress", {"location": "eastus", "sku": {"name": "Standard", "tier": "Global"}},
     [("Public address", "730", "0.01", "7.30")]),
    (
        "network:NatGateway",
        {"location": "westeurope", "sku": {"name": "Standard"}},
        [("NAT gateway", "730", "0.045", "32.85"), ("NAT data processed", "0", "0.045", "0.00")],
    ),
    (
        "network:LoadBalancer",
        {"location": "eastus2", "sku": {"name": "Standard"}, "loadBalancingRules": [{}, {}], "outboundRules": [{}]},
        [("Load balancer", "730", "0.025", "18.25"), ("Load balancer data processed", "0", "0.005", "0.00")],
    ),
    ("compute:Disk", {"location": "eastus", "sku": {"name": "Premium_LRS"}, "diskSizeGB": 100},
     [("disk, P10", "1", "19.71", "19.71")]),
    ("compute:Disk", {"location": "eastus2", "sku": {"name": "Premium_ZRS"}, "diskSizeGB": 1024},
     [("disk, P30", "1", "184.32", "184.32")]),
    ("compute:Disk", {"location": "eastus", "sku": {"name": "StandardSSD_LRS"}, "diskSizeGB": 32},
     [("disk, E4", "1", "2.4", "2.40")]),
    ("compute:Disk", {"location": "eastus", "diskSizeGB": 8}, [("disk, S4", "1", "1.536", "1.54")]),
    (
        "compute:VirtualMachine",
        {
            "location": "eastus",
            "hardwareProfile": {"vmSize": "Standard_NC40ads_H100_v5"},
            "priority": "Spot",
            "storageProfile": {
                "osDisk": {"createOption": "FromImage", "diskSizeGB": 128,
                           "managedDisk": {"storageAccountType": "Premium_LRS"}},
                "dataDisks": [{"createOption": "Attach", "lun": 0}],
            },
        },
        [
            ("1 x Standard_NC40ads_H100_v5 spot", "730", "1.2899", "941.63"),
            ("system disks, P10", "1", "19.71", "19.71"),
        ],
    ),
    (
        "compute:VirtualMachineScaleSet",
        {
            "location": "eastus",
            "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 2},
            "virtualMachineProfile": {"storageProfile": {"osDisk": {"diffDiskSettings": {"option": "Local"}}}},
        },
        [("2 x Standard_ND96isr_H100_v5 on demand", "1460", "98.32", "143547.20")],
    ),
    (
        "compute:CapacityReservation",
        {"location": "eastus", "sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 5}},
        [("5 x Standard_ND96isr_H100_v5 reserved, on demand", "3650", "98.32", "358868.00")],
    ),
    ("storage:StorageAccount", {"location": "westus", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}},
     [("Blobs, hot", "0", "0.0208", "0.00")]),
    ("storage:StorageAccount",
     {"location": "westus", "sku": {"name": "Standard_LRS"}, "tags": {"gpucluster-expected-gib": "5000"}},
     [("Blobs, hot", "5000", "0.0208", "104.00")]),
    ("storage:StorageAccount", {"location": "westus", "kind": "FileStorage", "sku": {"name": "Premium_LRS"}}, []),
    ("keyvault:Key", {"properties": {"kty": "RSA"}}, []),
    ("keyvault:Vault", {}, []),
    ("resources:ResourceGroup", {"location": "eastus"}, []),
    ("monitor:AzureMonitorWorkspace", {}, []),
    ("alertsmanagement:PrometheusRuleGroup", {}, []),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "inputs", "expected"), LINES)
def test_a_resource_costs_what_its_price_page_says(
    make: Make, cost_of: CostOf, type_: str, inputs: dict[str, Any], expected: list[tuple[str, str, str, str]]
) -> None:
    found = cost_of(make(f"azure-native:{type_}", **inputs), region=None)
    lines = [(line.name, f"{line.quantity:f}", f"{line.unit_price:f}", f"{line.monthly:f}") for line in found.lines]
    assert [line for line in lines if line[0] != "Internet egress"] == expected
    assert [line for line in found.lines if not line.source or not line.as_of or not line.region] == []


def test_all_but_lines_that_lack_a_price_in_their_region_is_priced(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("azure-native:network:NatGateway", location="eastus", sku={"name": "Standard"}), region=None)
    assert [(item.reason, item.own_row) for item in found.not_priced] == [
        (
            "no price for nat-gateway-hour on_demand in azure eastus per hour; known: westeurope on_demand",
            "azure,eastus,nat-gateway-hour,hour,on_demand,",
        ),
        (
            "no price for nat-gateway-data-processed on_demand in azure eastus per GiB; known: westeurope on_demand",
            "azure,eastus,nat-gateway-data-processed,GiB,on_demand,",
        ),
    ]
    assert [(line.name, line.unit_price) for line in found.lines] == [("Internet egress", Decimal("0.087"))]


AML = {"sku": {"name": "AMLFS-Durable-Premium-250"}, "storageCapacityTiB": 24}
UNPRICED: list[tuple[str, dict[str, Any], str]] = [
    ("storagecache:AmlFilesystem", AML,
     "no price for AMLFS-Durable-Premium-250 on_demand in azure eastus per GiB-month; known: "
     "francecentral on_demand, northeurope on_demand, swedencentral on_demand, westeurope on_demand"),
    ("storagecache:AmlFilesystem", {**AML, "storageCapacityTiB": UNKNOWN},
     "storageCapacityTiB is not known before the update"),
    ("containerservice:ManagedCluster", {"sku": {"name": "Automatic"}, "networkProfile": {"outboundType": "none"}},
     "sku.name is 'Automatic': the price book has Base clusters only"),
    (
        "containerservice:ManagedCluster",
        {"nodeProvisioningProfile": {"mode": "Auto"}, "networkProfile": {"outboundType": "none"}},
        "node auto provisioning with its own default pools, which no plan shows",
    ),
    (
        "containerservice:ManagedCluster",
        {
            "location": "westeurope",
            "azureMonitorProfile": {"metrics": {"enabled": True}},
            "networkProfile": {"outboundType": "none"},
        },
        "no price for managed-prometheus-samples on_demand in azure westeurope per 1M-samples; known: eastus on_demand",
    ),
    ("network:PublicIPAddress", {},
     "a Basic IPv4 address: the price book has Standard IPv4 addresses only"),
    ("network:LoadBalancer", {}, "sku.name is 'Basic': the price book has Standard load balancers only"),
    ("compute:Disk", {"sku": {"name": "UltraSSD_LRS"}, "diskSizeGB": 100},
     "disk SKU 'UltraSSD_LRS': the price book has Premium, StandardSSD and Standard disks only"),
    ("compute:Disk", {"sku": {"name": "Premium_LRS"}, "diskSizeGB": 40000},
     "a disk of 40000 GiB: the largest class holds 32,767 GiB"),
    ("storage:FileShare", {"accountName": "elsewhere", "shareQuota": 100},
     "its storage account, which decides how it is billed, is not part of this stack"),
    ("netapp:CapacityPool", {"serviceLevel": "Premium", "size": 1099511627776},
     "no price for netapp-premium on_demand in azure eastus: the price book has no row for netapp-premium"),
    ("keyvault:Key", {"properties": {"kty": "RSA-HSM"}}, "a key in an HSM (RSA-HSM): no price known"),
    ("compute:VirtualMachine",
     {"hardwareProfile": {"vmSize": "Standard_D4s_v5"}, "osProfile": {"windowsConfiguration": {}}},
     "a Windows machine: the price book has Linux only"),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "inputs", "reason"), UNPRICED)
def test_what_has_no_price_says_why(
    make: Make, cost_of: CostOf, type_: str, inputs: dict[str, Any], reason: str
) -> None:
    found = cost_of(make(f"azure-native:{type_}", **inputs), region="eastus")
    assert [item.reason for item in found.not_priced] == [reason]
    assert not found.complete


def test_managed_grafana_lacks_a_price_by_the_hour_and_by_the_user(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("azure-native:dashboard:Grafana", location="eastus", sku={"name": "Standard"}))
    assert [item.own_row for item in found.not_priced] == [
        "azure,eastus,managed-grafana-standard-hour,hour,on_demand,",
        "azure,eastus,managed-grafana-standard-user,user-month,on_demand,",
    ]


@pytest.mark.parametrize("by", ["reference", "name"])
def test_a_premium_share_is_billed_as_provisioned_by_its_account(make: Make, cost_of: CostOf, by: str) -> None:
    group = make("azure-native:resources:ResourceGroup", "group", resourceGroupName="g", location="westus")
    account = make("azure-native:storage:StorageAccount", "account", accountName="home", kind="FileStorage",
                   resourceGroupName="g", sku={"name": "Premium_ZRS"})  # fmt: skip
    share = make(
        "azure-native:storage:FileShare",
        "home",
        accountName="home" if by == "name" else UNKNOWN,
        dependencies={} if by == "name" else {"accountName": account},
        shareQuota=200,
    )
    (line,) = cost_of(group, account, share, region=None).lines
    assert (line.name, line.basis, line.monthly, line.region) == (
        "Azure Files premium share", "200 GiB", Decimal("44.00"), "westus",
    )  # fmt: skip


def test_a_resource_is_where_its_cluster_or_resource_group_is(make: Make, cost_of: CostOf) -> None:
    group = make("azure-native:resources:ResourceGroup", "group", location="East US")
    cluster = make("azure-native:containerservice:ManagedCluster", "cluster", dependencies={"resourceGroupName": group},
                   resourceGroupName=UNKNOWN, networkProfile={"outboundType": "none"})  # fmt: skip
    pool = make("azure-native:containerservice:AgentPool", "pool", dependencies={"resourceName": cluster},
                resourceName=UNKNOWN, count=1, vmSize="Standard_ND96isr_H100_v5", osDiskType="Ephemeral")  # fmt: skip
    assert [line.region for line in cost_of(group, cluster, pool, region=None).lines] == ["eastus"]
    lost = cost_of(make("azure-native:network:NatGateway"), region=None)
    assert [item.reason for item in lost.not_priced] == [
        "its region is not known: set location on the resource, on its resource group, or azure-native:location in the "
        "configuration"
    ]
    late = cost_of(make("azure-native:network:NatGateway", location=UNKNOWN))
    assert [item.reason for item in late.not_priced] == ["its location is not known before the update"]


def test_usage_that_no_plan_knows_is_an_assumption(make: Make, cost_of: CostOf) -> None:
    nat = make("azure-native:network:NatGateway", location="westeurope")
    blobs = make("azure-native:storage:StorageAccount", "blobs", location="westus", sku={"name": "Standard_LRS"})
    used = Assumptions().with_values({"nat_gib": "1000", "blob_gib": "500"})
    found = cost_of(nat, blobs, assumptions=used)
    assert {line.name: line.monthly for line in found.lines} == {
        "NAT gateway": Decimal("32.85"),
        "NAT data processed": Decimal("45.00"),
        "Blobs, hot": Decimal("10.40"),
    }
    assert "nat_gib: 1000 GiB a month through each NAT gateway" in found.assumptions

"""What a cluster on Azure registers in its subscription, for each machine and each way to buy, store and reach it.

Every expectation is typed by hand from Microsoft's documentation and reference deployments (AKS, InfiniBand on HPC
virtual machines, Azure Managed Lustre; Azure/ai-infrastructure-on-azure, Azure/aks-rdma-infiniband), never written by
the program. What stands inside every cluster is in the tests of its own modules; Kueue, which only one engine of the
elastic pool brings, is here.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import yaml
from pulumi.runtime import rpc

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.plan import plan_cluster
from gpucluster.components.azure.settings import Settings
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
SPEC_LABELS = {
    "team": "research",
    "project": "foundation-model",
    "cost-center": "cc-1234",
    "environment": "trial",
    "owner": "ml-platform",
}
NODE_LABELS = {**SPEC_LABELS, "pulumi-project": "project", "pulumi-stack": "azure-trial"}
GPU_LABELS = {**NODE_LABELS, "nvidia.com/gpu.present": "true"}
NETWORK_CONTRIBUTOR = "4d97b98b-1d4f-4787-a291-c67834d212e7"
CONTRIBUTOR = "b24988ac-6180-42a0-ab88-20f7382dd24c"
ACR_PULL = "7f951dda-4ed3-4680-a7ca-43fe172d538d"
CLUSTER_ADMIN = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"
STORAGE_ACCOUNT_CONTRIBUTOR = "17d1049b-9a84-46fb-8f53-869881c3d3ab"
STORAGE_BLOB_DATA_CONTRIBUTOR = "ba92f5b4-2d11-453d-a403-e96b0029c9fe"
RESERVED_IN = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/reserved"
RESERVATION = f"{RESERVED_IN}/providers/Microsoft.Compute/capacityReservationGroups/h100"

Registered = list[tuple[str, str, dict[str, Any]]]
Declare = Callable[..., Registered]


@pytest.fixture
def everything(registered: Callable[[Callable[[], object]], Registered]) -> Declare:
    """Gives what an example spec registers anywhere, by name; `changes` are those of its fields."""

    def run(example: str, settings: Settings | None = None, **changes: Any) -> Registered:
        from gpucluster.components.azure.cluster import TrainingCluster

        path = ROOT / (f"examples/specs/azure/{example}.yaml" if example != "trial" else "stacks/specs/trial.yaml")
        fields = {**yaml.safe_load(path.read_text()), **changes}
        here = Location(subscription=SUBSCRIPTION, region="eastus", number="1", settings=settings or Settings())
        plan = plan_cluster(ClusterSpec.model_validate(fields), here, stack="azure-trial")
        return by_name(registered(lambda: TrainingCluster(plan.name, plan)))

    return run


@pytest.fixture
def declared(everything: Declare) -> Declare:
    """Gives what an example spec registers in the subscription."""
    return lambda *args, **more: [item for item in everything(*args, **more) if item[0].startswith("azure-native:")]


def tags(name: str) -> dict[str, str]:
    return {**SPEC_LABELS, "name": name, "pulumi-project": "project", "pulumi-stack": "azure-trial", **MANAGED}


MANAGED = {"managed-by": "pulumi"}


def tagged(typ: str, name: str, full: str, **inputs: Any) -> tuple[str, str, dict[str, Any]]:
    """A resource in the cluster's group. name: of the cluster. An input that is None is not there."""
    given = {key: value for key, value in inputs.items() if value is not None}
    return f"azure-native:{typ}", full, {"resourceGroupName": f"{name}-group", "tags": tags(full), **given}


def role(name: str, full: str, role_id: str, scope: str, principal: str = "") -> tuple[str, str, dict[str, Any]]:
    return (
        "azure-native:authorization:RoleAssignment",
        full,
        {
            "principalId": principal or f"{name}-identity-cluster-principal",
            "principalType": "ServicePrincipal",
            "roleDefinitionId": f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/"
            f"{role_id}",
            "scope": scope,
        },
    )


def rights(name: str) -> tuple[str, str, dict[str, Any]]:
    """Of whoever runs up, in this cluster alone."""
    full = f"{name}-control-plane"
    kind, at, inputs = role(name, f"{full}-caller", CLUSTER_ADMIN, f"{full}-cluster", "whoever-runs-up")
    return kind, at, {**inputs, "principalType": "User"}


def subnet(name: str, suffix: str, prefix: str, **more: Any) -> tuple[str, str, dict[str, Any]]:
    return (
        "azure-native:network:Subnet",
        f"{name}-network-{suffix}",
        {
            "resourceGroupName": f"{name}-group",
            "virtualNetworkName": f"{name}-network-vnet",
            "addressPrefix": prefix,
            "natGateway": {"id": f"{name}-network-nat"},
            "defaultOutboundAccess": False,
            # Filled in by the SDK.
            "privateEndpointNetworkPolicies": "Disabled",
            "privateLinkServiceNetworkPolicies": "Enabled",
            **more,
        },
    )


def lustre_rules(lustre: str) -> list[dict[str, Any]]:
    both = {
        "access": "Allow",
        "protocol": "Tcp",
        "priority": 100,
        "sourcePortRange": "*",
        "sourceAddressPrefixes": ["10.0.0.0/20", lustre],
        "destinationAddressPrefixes": ["10.0.0.0/20", lustre],
        "destinationPortRanges": ["988", "1019-1023"],
    }
    return [
        {"name": "lustre-inbound", "direction": "Inbound", **both},
        {"name": "lustre-outbound", "direction": "Outbound", **both},
        {
            "name": "azure-outbound",
            "direction": "Outbound",
            "access": "Allow",
            "protocol": "Tcp",
            "priority": 110,
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "AzureCloud",
            "destinationPortRange": "443",
        },
    ]


def network(name: str, *, lustre: str = "10.0.32.0/24", nodes: dict[str, Any] | None = None) -> Registered:
    net = f"{name}-network"
    return [
        tagged(
            "network:PublicIPAddress",
            name,
            f"{net}-nat-address",
            sku={"name": "Standard"},
            publicIPAllocationMethod="Static",
            zones=["1"],
        ),
        tagged(
            "network:NatGateway",
            name,
            f"{net}-nat",
            sku={"name": "Standard"},
            publicIpAddresses=[{"id": f"{net}-nat-address"}],
            zones=["1"],
        ),
        tagged(
            "network:VirtualNetwork",
            name,
            f"{net}-vnet",
            addressSpace={"addressPrefixes": ["10.0.0.0/16"]},
            # Filled in by the SDK.
            enableDdosProtection=False,
            enableVmProtection=False,
        ),
        tagged("network:NetworkSecurityGroup", name, f"{net}-lustre-rules", securityRules=lustre_rules(lustre)),
        subnet(name, "nodes", "10.0.0.0/20", **(nodes or {})),
        subnet(name, "lustre", lustre, networkSecurityGroup={"id": f"{net}-lustre-rules"}),
    ]


PUBLIC = {"authorizedIPRanges": ["203.0.113.0/24", "192.0.2.1/32"], "disableRunCommand": True}
PROVISIONED = {"nodeProvisioningProfile": {"mode": "Auto", "defaultNodePools": "None"}}
FIXED = {"nodeProvisioningProfile": {"mode": "Manual", "defaultNodePools": "None"}}
AUTOSCALED = {
    **FIXED,
    "autoScalerProfile": {"expander": "least-waste", "maxNodeProvisionTime": "30m", "scaleDownUnneededTime": "30m"},
}


OF_40_GPUS = "57"
"""Million samples in 43800 minutes, of 14 counters twice a minute and 4 recordings once for each GPU, rounded up."""


def control_plane(
    name: str,
    *,
    api: dict[str, Any] = PUBLIC,
    scaling: dict[str, Any] = FIXED,
    groups: dict[str, Any] | None = None,
    samples: str = OF_40_GPUS,
) -> Registered:
    system = {
        "name": "system",
        "mode": "System",
        "type": "VirtualMachineScaleSets",
        "count": 3,
        "vmSize": "Standard_D8ds_v5",
        "availabilityZones": ["1", "2", "3"],
        "osType": "Linux",
        "osSKU": "Ubuntu2204",
        "osDiskType": "Ephemeral",
        "osDiskSizeGB": 128,
        "orchestratorVersion": "1.35",
        "vnetSubnetID": f"{name}-network-nodes",
        "upgradeSettings": {"maxSurge": "1"},
        "nodeLabels": {**NODE_LABELS, "gpucluster/pool": "system"},
        "tags": tags(f"{name}-control-plane-system"),
    }
    cluster = tagged(
        "containerservice:ManagedCluster",
        name,
        f"{name}-control-plane-cluster",
        resourceName=f"{name}-azure-trial",
        nodeResourceGroup=f"{name}-azure-trial-nodes",
        dnsPrefix=f"{name}-azure-trial",
        kubernetesVersion="1.35",
        sku={"name": "Base", "tier": "Standard"},
        identity={"type": "UserAssigned", "userAssignedIdentities": [f"{name}-identity-cluster"]},
        agentPoolProfiles=[system],
        networkProfile={
            "networkPlugin": "azure",
            "networkPluginMode": "overlay",
            "networkDataplane": "cilium",
            "networkPolicy": "cilium",
            "loadBalancerSku": "standard",
            "outboundType": "userAssignedNATGateway",
            "podCidr": "10.4.0.0/14",
            "serviceCidr": "10.1.0.0/20",
            "dnsServiceIP": "10.1.0.10",
        },
        apiServerAccessProfile=api,
        aadProfile={"managed": True, "enableAzureRBAC": True, **(groups or {})},
        disableLocalAccounts=True,
        enableRBAC=True,
        oidcIssuerProfile={"enabled": True},
        securityProfile={"workloadIdentity": {"enabled": True}},
        autoUpgradeProfile={"upgradeChannel": "none", "nodeOSUpgradeChannel": "None"},
        azureMonitorProfile={"metrics": {"enabled": True}},
        addonProfiles={
            "omsagent": {
                "enabled": True,
                "config": {"logAnalyticsWorkspaceResourceID": f"{name}-logs-workspace", "useAADAuth": "true"},
            }
        },
        storageProfile={
            "diskCSIDriver": {"enabled": True},
            "fileCSIDriver": {"enabled": True},
            "snapshotController": {"enabled": True},
        },
        **scaling,
    )
    cluster[2]["tags"]["gpucluster-expected-million-samples"] = samples
    return [
        (
            "azure-native:resources:ResourceGroup",
            f"{name}-group",
            {"tags": tags(f"{name}-group")},
        ),
        tagged("managedidentity:UserAssignedIdentity", name, f"{name}-identity-cluster"),
        role(name, f"{name}-identity-network", NETWORK_CONTRIBUTOR, f"{name}-network-vnet"),
        cluster,
        rights(name),
        *monitoring(f"{name}-monitoring", name),
        *logs(f"{name}-logs", name),
        *images(name),
    ]


def images(name: str) -> Registered:
    full = f"{name}-registry"
    # Unique in all of Azure, like the name of a storage account.
    account = f"{name}{hashlib.sha256(f'{SUBSCRIPTION} azure-trial {name}'.encode()).hexdigest()[:10]}"

    def cache(suffix: str, upstream: str) -> tuple[str, str, dict[str, Any]]:
        inputs = {
            "resourceGroupName": f"{name}-group",
            "registryName": f"{full}-images",
            "cacheRuleName": suffix,
            "sourceRepository": f"{upstream}/*",
            "targetRepository": f"{suffix}/*",
        }
        return "azure-native:containerregistry:CacheRule", f"{full}-cache-{suffix}", inputs

    return [
        tagged(
            "containerregistry:Registry",
            name,
            f"{full}-images",
            registryName=account,
            sku={"name": "Premium"},
            adminUserEnabled=False,
            # Filled in by the SDK.
            anonymousPullEnabled=False,
            networkRuleBypassOptions="AzureServices",
            publicNetworkAccess="Enabled",
            zoneRedundancy="Disabled",
        ),
        cache("ecr", "public.ecr.aws"),
        cache("k8s", "registry.k8s.io"),
        cache("quay", "quay.io"),
        role(name, f"{full}-pull", ACR_PULL, f"{full}-images", f"{name}-control-plane-cluster-kubelet"),
    ]


def monitoring(full: str, name: str) -> Registered:
    stream = "Microsoft-PrometheusMetrics"
    return [
        tagged("monitor:AzureMonitorWorkspace", name, f"{full}-workspace"),
        tagged(
            "monitor:DataCollectionEndpoint",
            name,
            f"{full}-endpoint",
            kind="Linux",
            networkAcls={"publicNetworkAccess": "Enabled"},
        ),
        tagged(
            "monitor:DataCollectionRule",
            name,
            f"{full}-rule",
            kind="Linux",
            dataCollectionEndpointId=f"{full}-endpoint",
            dataSources={"prometheusForwarder": [{"name": "prometheus", "streams": [stream]}]},
            destinations={"monitoringAccounts": [{"accountResourceId": f"{full}-workspace", "name": "workspace"}]},
            dataFlows=[{"streams": [stream], "destinations": ["workspace"]}],
        ),
        (
            "azure-native:monitor:DataCollectionRuleAssociation",
            f"{full}-association",
            {"resourceUri": f"{name}-control-plane-cluster", "dataCollectionRuleId": f"{full}-rule"},
        ),
        tagged(
            "alertsmanagement:PrometheusRuleGroup",
            name,
            f"{full}-alerts",
            scopes=[f"{full}-workspace", f"{name}-control-plane-cluster"],
            clusterName=f"{name}-control-plane-cluster",
            enabled=True,
            interval="PT1M",
            # In a test of their own.
            rules=ANY,
        ),
    ]


def logs(full: str, name: str) -> Registered:
    """Of all that the agent can collect, what containers print; of the control plane, what tells who changed what."""
    stream = "Microsoft-ContainerLogV2"
    return [
        tagged(
            "operationalinsights:Workspace", name, f"{full}-workspace", sku={"name": "PerGB2018"}, retentionInDays=30
        ),
        tagged(
            "monitor:DataCollectionRule",
            name,
            f"{full}-rule",
            kind="Linux",
            dataSources={
                "extensions": [
                    {
                        "name": "ContainerInsightsExtension",
                        "extensionName": "ContainerInsights",
                        "streams": [stream],
                        "extensionSettings": {"dataCollectionSettings": {"enableContainerLogV2": True}},
                    }
                ]
            },
            destinations={"logAnalytics": [{"workspaceResourceId": f"{full}-workspace", "name": "workspace"}]},
            dataFlows=[{"streams": [stream], "destinations": ["workspace"]}],
        ),
        (
            "azure-native:monitor:DataCollectionRuleAssociation",
            f"{full}-association",
            {
                "associationName": "ContainerInsightsExtension",
                "resourceUri": f"{name}-control-plane-cluster",
                "dataCollectionRuleId": f"{full}-rule",
            },
        ),
        (
            "azure-native:monitor:DiagnosticSetting",
            f"{full}-control-plane",
            {
                "name": "logs",
                "resourceUri": f"{name}-control-plane-cluster",
                "workspaceId": f"{full}-workspace",
                "logAnalyticsDestinationType": "Dedicated",
                "logs": [
                    {"category": category, "enabled": True}
                    for category in ("kube-apiserver", "kube-audit-admin", "guard")
                ],
            },
        ),
    ]


def storage(name: str, tib: float = 28, tier: int = 500, **more: Any) -> Registered:
    return [
        tagged(
            "storagecache:AmlFilesystem",
            name,
            f"{name}-storage-shared",
            filesystemSubnet=f"{name}-network-lustre",
            storageCapacityTiB=tib,
            sku={"name": f"AMLFS-Durable-Premium-{tier}"},
            zones=["1"],
            maintenanceWindow={"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
            **more,
        )
    ]


def pool(name: str, part: str, **inputs: Any) -> tuple[str, str, dict[str, Any]]:
    """A pool of GPU nodes; inputs say what is not the same in all of them."""
    return tagged(
        "containerservice:AgentPool",
        name,
        f"{name}-{part}",
        **{
            "resourceName": f"{name}-control-plane-cluster",
            "mode": "User",
            "type": "VirtualMachineScaleSets",
            "vnetSubnetID": f"{name}-network-nodes",
            "orchestratorVersion": "1.35",
            "availabilityZones": ["1"],
            "osType": "Linux",
            "osSKU": "Ubuntu2204",
            "osDiskType": "Ephemeral",
            "kubeletDiskType": "OS",
            "enableNodePublicIP": False,
            "gpuProfile": {"driver": "None"},
            "nodeTaints": ["nvidia.com/gpu=true:NoSchedule"],
            "upgradeSettings": {
                "maxSurge": "0",
                "maxUnavailable": "1",
                "drainTimeoutInMinutes": 30,
                "undrainableNodeBehavior": "Cordon",
            },
            "scaleDownMode": "Delete",
            **inputs,
        },
    )


def training(name: str, **changes: Any) -> Registered:
    inputs = {
        "agentPoolName": "training",
        "vmSize": "Standard_ND96isr_H100_v5",
        "count": 5,
        "enableAutoScaling": False,
        "osDiskSizeGB": 1000,
        "nodeLabels": {**GPU_LABELS, "gpucluster/pool": "training"},
        **changes,
    }
    return [pool(name, "training-nodes", **inputs)]


UNTOLD = {"opencost": True, "collector": True}
"""Telemetry of the example of slices, without its receivers of alerts."""
SPOT = {
    "scaleSetPriority": "Spot",
    "scaleSetEvictionPolicy": "Delete",
    "spotMaxPrice": -1,
    "upgradeSettings": None,
}


def by_name(*parts: Registered) -> Registered:
    return sorted((item for part in parts for item in part), key=lambda item: item[1])


def test_the_trial_registers_these_resources_in_its_subscription(declared: Declare) -> None:
    assert declared("trial") == by_name(
        network("trial"), control_plane("trial", scaling=PROVISIONED, samples="59"), storage("trial"), training("trial")
    )


def test_h200_differs_by_its_machine_alone(declared: Declare) -> None:
    assert declared("h200") == by_name(
        network("ultra"),
        control_plane("ultra"),
        storage("ultra"),
        training("ultra", vmSize="Standard_ND96isr_H200_v5"),
    )


@pytest.mark.parametrize(
    ("accelerator", "machine"),
    [("a100-80gb", "Standard_ND96amsr_A100_v4"), ("a100-40gb", "Standard_ND96asr_v4")],
)
def test_a100_differs_by_its_machine_alone(declared: Declare, accelerator: str, machine: str) -> None:
    found = declared("h200", accelerator=accelerator, training={"nodes": 4, "spares": 1, "fabric_gbps": 1600})
    assert found == by_name(
        network("ultra"), control_plane("ultra"), storage("ultra"), training("ultra", vmSize=machine)
    )


def test_reserved_capacity_is_named_and_the_identity_may_use_it(declared: Declare) -> None:
    assert declared("reservation") == by_name(
        network("reserved"),
        control_plane("reserved"),
        [role("reserved", "reserved-identity-reservation", CONTRIBUTOR, RESERVED_IN)],
        storage("reserved"),
        training("reserved", capacityReservationGroupID=RESERVATION),
    )


@pytest.mark.parametrize(("active", "count"), [(False, 0), (True, 5)])
def test_a_block_gets_its_nodes_once_it_has_begun(declared: Declare, active: bool, count: int) -> None:
    found = declared("block", purchase={"kind": "capacity-block", "active": active})
    assert found == by_name(
        network("block"),
        control_plane("block"),
        [role("block", "block-identity-reservation", CONTRIBUTOR, RESERVED_IN)],
        storage("block"),
        training("block", capacityReservationGroupID=RESERVATION, count=count),
    )


def test_a_proximity_group_is_made_where_the_stack_asks_for_one(declared: Declare) -> None:
    proximity = tagged(
        "compute:ProximityPlacementGroup",
        "trial",
        "trial-training-proximity",
        proximityPlacementGroupType="Standard",
        zones=["1"],
        intent={"vmSizes": ["Standard_ND96isr_H100_v5"]},
    )
    assert declared("trial", Settings(proximity_group=True)) == by_name(
        network("trial"),
        control_plane("trial", scaling=PROVISIONED, samples="59"),
        storage("trial"),
        [proximity],
        training("trial", proximityPlacementGroupID="trial-training-proximity"),
    )


def test_the_plan_names_every_service_that_a_subscription_has_to_register(everything: Declare) -> None:
    """What everybody has already is left out."""
    paths = dict(csv.reader((ROOT / "sandbox/clouds/azure/paths.csv").read_text().splitlines()))
    used = {paths[kind] for example in ("trial", "private") for kind, _, _ in everything(example) if kind in paths}
    services = {found[1] for path in used for found in re.finditer(r"/providers/(Microsoft\.\w+)/", path)}
    spec = ClusterSpec.model_validate(yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text()))
    here = Location(subscription=SUBSCRIPTION, region="eastus", number="1")
    [note] = [note for note in plan_cluster(spec, here, stack="s").facts.notes if "az provider register" in note]
    assert set(re.findall(r"Microsoft\.\w+", note)) == services - {"Microsoft.Authorization"} | {"Microsoft.Compute"}


@pytest.mark.parametrize(
    ("example", "name", "layout", "changes"),
    [("mig", "slices", "all-1g.12gb", {"telemetry": UNTOLD}), ("mig-balanced", "balanced", "all-balanced", {})],
)
def test_sliced_gpus_are_on_machines_without_infiniband(
    declared: Declare, example: str, name: str, layout: str, changes: dict[str, Any]
) -> None:
    whole = {**GPU_LABELS, "gpucluster/pool": "training", "nvidia.com/gpu.deploy.mig-manager": "false"}
    sliced = {**GPU_LABELS, "gpucluster/pool": "mig", "nvidia.com/mig.config": layout}
    mig = pool(
        name,
        "mig-nodes",
        agentPoolName="mig",
        vmSize="Standard_NC80adis_H100_v5",
        count=4,
        enableAutoScaling=False,
        osDiskSizeGB=1000,
        nodeLabels=sliced,
    )
    assert declared(example, **changes) == by_name(
        network(name),
        control_plane(name, samples="68"),
        storage(name),
        training(name, nodeLabels=whole),
        [mig],
    )


def test_aks_slices_the_gpus_whose_driver_it_owns(declared: Declare) -> None:
    driver = {"gpuProfile": {"driver": "Install"}}
    inputs = {
        "agentPoolName": "mig",
        "vmSize": "Standard_NC80adis_H100_v5",
        "count": 4,
        "enableAutoScaling": False,
        "osDiskSizeGB": 1000,
        "gpuInstanceProfile": "MIG2g",
        "nodeLabels": {**GPU_LABELS, "gpucluster/pool": "mig"},
        **driver,
        **SPOT,
    }
    mig = pool("slices", "mig-nodes", **inputs)
    sliced = {"nodes": 1, "layout": "all-2g.20gb", "purchase": "spot"}
    found = declared("mig", Settings(driver="aks"), mig=sliced, telemetry=UNTOLD)
    assert found == by_name(
        network("slices"),
        control_plane("slices", samples="68"),
        storage("slices"),
        training("slices", **driver),
        [mig],
    )


def test_the_native_engine_scales_a_node_pool_for_each_pool_and_way_to_buy(declared: Declare) -> None:
    common = {
        "vmSize": "Standard_NC40ads_H100_v5",
        "count": 0,
        "enableAutoScaling": True,
        "minCount": 0,
        "osDiskSizeGB": 1000,
    }

    def labels(kind: str, expected: str) -> dict[str, str]:
        return {**GPU_LABELS, "gpucluster/pool": kind, "gpucluster/expected-gpus": expected}

    pools = [
        pool(
            "scaled",
            "elastic-dev-nodes",
            agentPoolName="dev",
            nodeLabels=labels("dev", "2"),
            maxCount=8,
            **common,
        ),
        pool(
            "scaled",
            "elastic-fine-tuning-nodes",
            agentPoolName="finetuning",
            nodeLabels=labels("fine-tuning", "4"),
            maxCount=16,
            **common,
            **SPOT,
        ),
        pool(
            "scaled",
            "elastic-fine-tuning-nodes-on-demand",
            agentPoolName="finetunondem",
            nodeLabels=labels("fine-tuning", "0"),
            maxCount=16,
            **common,
        ),
    ]
    assert declared("elastic-native") == by_name(
        network("scaled"),
        control_plane("scaled", scaling=AUTOSCALED, samples="65"),
        storage("scaled"),
        training("scaled"),
        pools,
    )


def kueue(kind: str, name: str, spec: dict[str, Any], **metadata: str) -> tuple[str, str, dict[str, Any]]:
    version = "kueue.x-k8s.io/v1beta2"
    inside = {"name": "fine-tuning", **metadata, "labels": NODE_LABELS}
    return (
        f"kubernetes:{version}:{kind}",
        f"scaled-jobs-fine-tuning-{name}",
        {"apiVersion": version, "kind": kind, "metadata": inside, "spec": spec},
    )


def test_the_native_engine_queues_jobs_until_all_their_nodes_are_there(everything: Declare) -> None:
    found = [item for item in everything("elastic-native") if item[1].startswith("scaled-jobs-fine-tuning-")]
    machines = [("cpu", "640"), ("memory", "5120Gi"), ("nvidia.com/gpu", "16")]  # 16 of 40 vCPUs, 320 GiB, one GPU
    assert found == by_name(
        [
            kueue("ResourceFlavor", "flavor", {"nodeLabels": {"gpucluster/pool": "fine-tuning"}}),
            kueue(
                "ProvisioningRequestConfig",
                "provisioning",
                {
                    "provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
                    "managedResources": ["nvidia.com/gpu"],
                },
            ),
            kueue(
                "AdmissionCheck",
                "check",
                {
                    "controllerName": "kueue.x-k8s.io/provisioning-request",
                    "parameters": {
                        "apiGroup": "kueue.x-k8s.io",
                        "kind": "ProvisioningRequestConfig",
                        "name": "fine-tuning",
                    },
                },
            ),
            kueue(
                "ClusterQueue",
                "cluster-queue",
                {
                    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "training"}},
                    "resourceGroups": [
                        {
                            "coveredResources": ["cpu", "memory", "nvidia.com/gpu"],
                            "flavors": [
                                {
                                    "name": "fine-tuning",
                                    "resources": [{"name": name, "nominalQuota": quota} for name, quota in machines],
                                }
                            ],
                        }
                    ],
                    "preemption": {"withinClusterQueue": "LowerPriority"},
                    "admissionChecksStrategy": {
                        "admissionChecks": [{"name": "fine-tuning", "onFlavors": ["fine-tuning"]}]
                    },
                },
            ),
            kueue("LocalQueue", "queue", {"clusterQueue": "fine-tuning"}, namespace="training"),
        ]
    )


def test_no_other_cluster_asks_an_autoscaler_for_nodes(everything: Declare) -> None:
    assert [
        name for type_, name, _ in everything("trial") if type_.endswith((":AdmissionCheck", "RequestConfig"))
    ] == []


def test_a_private_cluster_has_groups_of_admins_and_home_folders(declared: Declare) -> None:
    api = {
        "enablePrivateCluster": True,
        "enablePrivateClusterPublicFQDN": True,
        "privateDNSZone": "none",
        "disableRunCommand": True,
    }
    [account] = [inputs["accountName"] for typ, _, inputs in declared("private") if typ.endswith("StorageAccount")]
    assert account.startswith("closed")
    assert (len(account), account.isalnum(), account.islower()) == (16, True, True)
    home: Registered = [
        tagged(
            "storage:StorageAccount",
            "closed",
            "closed-home-account",
            accountName=account,
            kind="FileStorage",
            sku={"name": "Premium_LRS"},
            enableHttpsTrafficOnly=False,
            allowSharedKeyAccess=False,
            allowBlobPublicAccess=False,
            minimumTlsVersion="TLS1_2",
            networkRuleSet={
                "defaultAction": "Deny",
                "bypass": "None",
                "virtualNetworkRules": [{"virtualNetworkResourceId": "closed-network-nodes", "action": "Allow"}],
            },
        ),
        (
            "azure-native:storage:FileShare",
            "closed-home-files",
            {
                "accountName": "closed-home-account",
                "resourceGroupName": "closed-group",
                "shareName": "home",
                "enabledProtocols": "NFS",
                "rootSquash": "NoRootSquash",
                "shareQuota": 625,
            },
        ),
    ]
    assert declared("private") == by_name(
        network("closed", nodes={"serviceEndpoints": [{"service": "Microsoft.Storage"}]}),
        control_plane("closed", api=api, groups={"adminGroupObjectIDs": ["00000000-0000-0000-0000-00000000000a"]}),
        storage("closed"),
        home,
        training("closed"),
    )


def test_fast_storage_takes_a_faster_tier(declared: Declare) -> None:
    assert declared("storage-fast") == by_name(
        network("fast"), control_plane("fast"), storage("fast", 80, 500), training("fast")
    )


def test_large_storage_has_a_larger_subnet(declared: Declare) -> None:
    shared = {"usable_tib": 160, "gb_per_s": 3, "protect": False, "tier": 250}
    assert declared("storage-fast", storage={"shared": shared}) == by_name(
        network("fast", lustre="10.0.32.0/23"), control_plane("fast"), storage("fast", 200, 250), training("fast")
    )


def test_a_linked_container_is_read_by_the_service_which_has_its_roles_before(declared: Declare) -> None:
    settings = Settings(bucket_group="data", lustre_principal="00000000-0000-0000-0000-0000000000bb")
    shared = {
        "usable_tib": 20,
        "gb_per_s": 3,
        "protect": False,
        "bucket": "https://corpora.blob.core.windows.net/text/english",
    }
    account = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/data/providers/Microsoft.Storage/storageAccounts/corpora"
    principal = "00000000-0000-0000-0000-0000000000bb"
    log = (
        "azure-native:storage:BlobContainer",
        "fast-storage-log",
        {
            "resourceGroupName": "data",
            "accountName": "corpora",
            "publicAccess": "None",
        },
    )
    hsm = {
        "settings": {
            "container": f"{account}/blobServices/default/containers/text",
            "loggingContainer": "fast-storage-log",
            "importPrefix": "/english",
        }
    }
    found = declared("storage-fast", settings, storage={"shared": shared})
    assert found == by_name(
        network("fast"),
        control_plane("fast"),
        [
            log,
            role("fast", "fast-storage-bucket-account", STORAGE_ACCOUNT_CONTRIBUTOR, account, principal),
            role("fast", "fast-storage-bucket-data", STORAGE_BLOB_DATA_CONTRIBUTOR, account, principal),
        ],
        storage("fast", hsm=hsm),
        training("fast"),
    )


def test_a_single_node_needs_nothing_else(declared: Declare) -> None:
    assert declared("single-node") == by_name(
        network("solo"), control_plane("solo", samples="12"), storage("solo"), training("solo", count=1)
    )


def test_nodes_may_pull_from_an_existing_registry(declared: Declare) -> None:
    id_ = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/Team1"
    seen = declared("single-node", registry={"kind": "existing", "id": id_})
    assert [item for item in seen if item[1].startswith("solo-registry")] == [
        role("solo", "solo-registry-pull", ACR_PULL, id_, "solo-control-plane-cluster-kubelet")
    ]


def test_alerts_come_after_what_they_are_made_of_and_go_to_nobody(declared: Declare) -> None:
    (rules,) = [inputs["rules"] for type_, _, inputs in declared("trial") if type_.endswith(":PrometheusRuleGroup")]

    assert [rule.get("record") or rule["alert"] for rule in rules] == [
        "gpucluster:gpu_utilisation:percent",
        "gpucluster:gpu_memory_used:ratio",
        "gpucluster:gpu_sm_active:ratio",
        "gpucluster:gpu_pcie_sent:bytes_per_second",
        "GpuIdle",
        "GpuMemoryOversized",
        "GpuUnderused",
        "GpusAskedAndNotUsed",
        "CommunicationHeavy",
        "NodeLacksGpus",
        "GpuError",
        "GpuMemoryWornOut",
        "InfiniBandPortDown",
        "NodeBroken",
        "NodeStaysBroken",
        "HealingStopped",
        "FabricCarriesLittle",
    ]
    assert rules[-5] == {
        "alert": "InfiniBandPortDown",
        "expression": "node_infiniband_state_id != 4",
        "for": "PT2M",
        "severity": 0,
        "enabled": True,
        "labels": {
            "team": "research",
            "project": "foundation-model",
            "cost_center": "cc-1234",
            "environment": "trial",
            "owner": "ml-platform",
            "stack": "azure-trial",
        },
        "annotations": {
            "summary": "Port {{ $labels.port }} of {{ $labels.device }} on {{ $labels.instance }} is not active: the "
            "fabric of its node has lost a card",
            "runbook": "docs/replacing-a-node.md",
        },
    }
    assert not any("actions" in rule for rule in rules)


def test_versions_that_the_spec_names_reach_control_plane_and_nodes(declared: Declare) -> None:
    chosen = {"kubernetes": "1.36", "system": "1.36.2", "nodes": "1.35", "support": "extended"}
    found = {name: inputs for _, name, inputs in declared("trial", versions=chosen)}
    plane = found["trial-control-plane-cluster"]
    assert (plane["kubernetesVersion"], plane["sku"], plane["supportPlan"]) == (
        "1.36",
        {"name": "Base", "tier": "Premium"},
        "AKSLongTermSupport",
    )
    assert plane["agentPoolProfiles"][0]["orchestratorVersion"] == "1.36.2"
    assert found["trial-training-nodes"]["orchestratorVersion"] == "1.35"


def test_all_that_is_set_of_the_system_pool_stays_as_it_was_made_but_for_a_version_that_is_named(
    declared: Declare,
) -> None:
    from gpucluster.components.azure.control_plane import _as_made  # pyright: ignore[reportPrivateUsage]

    [pool] = {name: inputs for _, name, inputs in declared("trial")}["trial-control-plane-cluster"]["agentPoolProfiles"]
    kept = {name.removeprefix("agentPoolProfiles[0].") for name in _as_made("1.36")}
    assert kept == {*pool} - {"orchestratorVersion"}
    assert _as_made(None) == ["agentPoolProfiles"]


PAGER = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/office/providers/Microsoft.Insights/actionGroups/pager"


def told_by(seen: Registered) -> list[list[dict[str, str]]]:
    """The actions of each alert."""
    (rules,) = [inputs["rules"] for type_, _, inputs in seen if type_.endswith(":PrometheusRuleGroup")]
    assert not any("actions" in rule for rule in rules if "record" in rule)
    return [rule["actions"] for rule in rules if "alert" in rule]


def test_alerts_go_to_a_group_of_the_clusters_and_to_the_users(declared: Declare) -> None:
    receivers = {"mail": ["gpus@example.com"], "webhook": "https://alerts.example.com/s3cret", "topic": PAGER}
    seen = declared("trial", telemetry={"alerts": receivers})

    (group,) = [item for item in seen if item[0] == "azure-native:monitor:ActionGroup"]
    webhooks = group[2].pop("webhookReceivers")
    assert rpc.is_rpc_secret(webhooks)
    assert rpc.unwrap_rpc_secret(webhooks) == [
        {
            "name": "webhook",
            "serviceUri": "https://alerts.example.com/s3cret",
            "useAadAuth": False,
            "useCommonAlertSchema": True,
        }
    ]
    assert group == tagged(
        "monitor:ActionGroup",
        "trial",
        "trial-monitoring-receivers",
        location="Global",
        groupShortName="gpucluster",
        enabled=True,
        emailReceivers=[{"name": "gpus@example.com", "emailAddress": "gpus@example.com", "useCommonAlertSchema": True}],
    )
    both = [{"actionGroupId": "trial-monitoring-receivers"}, {"actionGroupId": PAGER}]
    assert told_by(seen) == [both] * 13


def test_an_action_group_of_the_users_needs_none_of_ours(declared: Declare) -> None:
    seen = declared("trial", telemetry={"alerts": {"topic": PAGER}})
    assert [item[0] for item in seen if item[0].endswith(":ActionGroup")] == []
    assert told_by(seen) == [[{"actionGroupId": PAGER}]] * 13

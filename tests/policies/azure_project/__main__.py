"""Small AKS training pools, one for each of the mistakes that the configuration names; the tests preview them."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_azure_native import containerservice, managedidentity, network, resources

LABELS = {"team": "research"}
ND = "Standard_ND96isr_H100_v5"
RESERVATION = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/elsewhere/providers/Microsoft.Compute"
    "/capacityReservationGroups/h100"
)
PROXIMITY = RESERVATION.replace("capacityReservationGroups/h100", "proximityPlacementGroups/near")

mistakes = (pulumi.Config().get("mistake") or "none").split()


def named(name: str) -> str:
    """The name of a resource; with several mistakes each cluster's are its own."""
    return name if len(mistakes) == 1 else f"{mistake}-{name}"


class Cluster(pulumi.ComponentResource):
    """What a component of somebody else's would look like: it only registers facts."""

    def __init__(self, name: str) -> None:
        super().__init__("example:index:Cluster", name)
        self.own = pulumi.ResourceOptions(parent=self)
        self.group = resources.ResourceGroup(named("group"), location="eastus", tags=LABELS, opts=self.own)
        subnet = self.subnet("172.16.0.0/16" if mistake == "infiniband-range" else "10.16.0.0/16")
        cluster = self.cluster(subnet)
        self.pool("train", "training", cluster, subnet, count=4 if mistake == "two-pools" else 5)
        if mistake == "two-pools":
            self.pool("spares", "spares", cluster, subnet, count=1)
        if mistake == "karpenter":
            self.karpenter(cluster)
        self.register_outputs({"requiredLabels": LABELS, "budget": {"monthly": "9000000", "onExceed": "fail"}})

    def subnet(self, cidr: str) -> network.Subnet:
        vnet = network.VirtualNetwork(
            named("vnet"),
            resource_group_name=self.group.name,
            location="eastus",
            address_space=network.AddressSpaceArgs(address_prefixes=[cidr]),
            tags=LABELS,
            opts=self.own,
        )
        return network.Subnet(
            named("nodes"),
            resource_group_name=self.group.name,
            virtual_network_name=vnet.name,
            address_prefix=cidr.replace("/16", "/20"),
            opts=self.own,
        )

    def cluster(self, subnet: network.Subnet) -> containerservice.ManagedCluster:
        identity = managedidentity.UserAssignedIdentity(
            named("identity"), resource_group_name=self.group.name, location="eastus", tags=LABELS, opts=self.own
        )
        channels = {"upgrade_channel": "none", "node_os_upgrade_channel": "None"}
        return containerservice.ManagedCluster(
            named("cluster"),
            resource_group_name=self.group.name,
            location="eastus",
            dns_prefix="pool",
            identity=containerservice.ManagedClusterIdentityArgs(
                type=containerservice.ResourceIdentityType.USER_ASSIGNED,
                user_assigned_identities=[identity.id],
            ),
            agent_pool_profiles=[
                containerservice.ManagedClusterAgentPoolProfileArgs(
                    name="system",
                    mode="System",
                    type="VirtualMachineScaleSets",
                    count=1,
                    vm_size="Standard_D8ds_v5",
                    vnet_subnet_id=subnet.id,
                    node_labels=LABELS,
                    tags=LABELS,
                )
            ],
            api_server_access_profile=containerservice.ManagedClusterAPIServerAccessProfileArgs(
                authorized_ip_ranges=["203.0.113.0/24"]
            ),
            network_profile=containerservice.ContainerServiceNetworkProfileArgs(
                network_plugin="azure",
                network_plugin_mode="overlay",
                network_dataplane="cilium",
                network_policy="cilium",
            ),
            node_provisioning_profile=containerservice.ManagedClusterNodeProvisioningProfileArgs(
                mode="Auto", default_node_pools="None"
            ),
            auto_upgrade_profile=None
            if mistake == "reimaged"
            else containerservice.ManagedClusterAutoUpgradeProfileArgs(**channels),
            tags={"no-label": {}, "bad-label": {**LABELS, "cost/center": "1"}}.get(mistake, LABELS),
            opts=self.own,
        )

    def pool(
        self,
        name: str,
        pool: str,
        cluster: containerservice.ManagedCluster,
        subnet: network.Subnet,
        *,
        count: int,
    ) -> None:
        more: dict[str, Any] = {
            "reservation": {"proximity_placement_group_id": PROXIMITY, "capacity_reservation_group_id": RESERVATION},
            "spot": {"scale_set_priority": "Spot", "spot_max_price": -1.0},
            "spot-reserved": {"scale_set_priority": "Spot", "capacity_reservation_group_id": RESERVATION},
            "sliced": {"gpu_instance_profile": "MIG1g"},
        }.get(mistake, {})
        zones = {"two-zones": ["1", "2"], "no-zone": None}
        containerservice.AgentPool(
            named(name),
            resource_group_name=self.group.name,
            resource_name_=cluster.name,
            agent_pool_name=pool,
            mode="User",
            type="VirtualMachineScaleSets",
            vm_size={"pcie": "Standard_NC80adis_H100_v5", "no-infiniband": "Standard_ND96is_H100_v5"}.get(mistake, ND),
            count=count,
            availability_zones=zones.get(mistake, ["1"]),
            os_type="Linux",
            gpu_profile=containerservice.GPUProfileArgs(driver="Install"),
            upgrade_settings=containerservice.AgentPoolUpgradeSettingsArgs(
                max_surge="1" if mistake == "surge" else "0", max_unavailable=None if mistake == "surge" else "1"
            ),
            vnet_subnet_id=subnet.id,
            node_labels={**LABELS, "gpucluster/pool": "training"},
            tags=LABELS,
            opts=self.own,
            **more,
        )

    def karpenter(self, cluster: containerservice.ManagedCluster) -> None:
        inside = kubernetes.Provider(named("inside"), kubeconfig=cluster.fqdn, opts=self.own)
        requirement = {"key": "karpenter.azure.com/sku-gpu-name", "operator": "In", "values": ["H100"]}
        kubernetes.apiextensions.CustomResource(
            named("elastic"),
            api_version="karpenter.sh/v1",
            kind="NodePool",
            metadata={"name": "elastic", "labels": LABELS},
            spec={
                "template": {
                    "metadata": {"labels": LABELS},
                    "spec": {
                        "nodeClassRef": {"group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "gpu"},
                        "requirements": [requirement],
                    },
                },
                "limits": {"nvidia.com/gpu": "8"},
                "disruption": {"consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "0", "reasons": ["Drifted"]}]},
            },
            opts=pulumi.ResourceOptions(parent=self, provider=inside),
        )


for mistake in mistakes:  # noqa: B007 (the methods read it)
    Cluster(named("trial"))

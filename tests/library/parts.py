"""A program that has clusters of its own, and takes networks and training pools from the library."""

import pulumi
import pulumi_aws
import pulumi_azure_native
import pulumi_gcp

import gpucluster
from gpucluster import aws, azure, gcp

SPEC = {
    "training": {"nodes": 4, "spares": 1},
    "labels": {"team": "research"},
    "duration": "14d",
}

with gpucluster.watch():
    east = aws.Location(region="us-east-1", zone="us-east-1a")
    vpc = aws.Network("vpc", east, labels={"team": "research"})
    eks = pulumi_aws.eks.Cluster(
        "eks", role_arn="arn:aws:iam::123456789012:role/eks", vpc_config={"subnet_ids": vpc.cluster_subnet_ids}
    )
    eks_pool = aws.TrainingPool(
        "p5",
        SPEC,
        east,
        cluster_name=eks.name,
        cluster_security_group_id=eks.vpc_config.cluster_security_group_id,
        vpc_id=vpc.vpc_id,
        subnet_id=vpc.gpu_subnet_id,
    )

    central = gcp.Location(project="my-project", region="us-central1", zone="us-central1-a")
    nets = gcp.Network("nets", central, machine="a3-megagpu-8g", labels={"team": "research"})
    gke = pulumi_gcp.container.Cluster(
        "gke",
        location="us-central1",
        network=nets.network.name,
        subnetwork=nets.subnetwork.name,
        networking_mode="VPC_NATIVE",
        ip_allocation_policy={"cluster_secondary_range_name": "pods", "services_secondary_range_name": "services"},
        datapath_provider="ADVANCED_DATAPATH",
        enable_multi_networking=True,
        initial_node_count=1,
        remove_default_node_pool=True,
    )
    gke_pool = gcp.TrainingPool(
        "mega",
        {**SPEC, "training": {"nodes": 4, "fabric_gbps": 1600}},
        central,
        cluster_name=gke.name,
        service_account=pulumi_gcp.serviceaccount.Account("nodes", account_id="mine-nodes").email,
        gpu_subnets=nets.gpu_subnets,
    )

    eastus = azure.Location(subscription="00000000-0000-0000-0000-000000000000", region="eastus", zone="1")
    group = pulumi_azure_native.resources.ResourceGroup("group", location="eastus")
    vnet = azure.Network("vnet", eastus, resource_group=group.name, labels={"team": "research"})
    aks = pulumi_azure_native.containerservice.ManagedCluster(
        "aks",
        resource_group_name=group.name,
        location="eastus",
        dns_prefix="mine",
        identity={"type": pulumi_azure_native.containerservice.ResourceIdentityType.SYSTEM_ASSIGNED},
        network_profile={"network_plugin": "azure", "service_cidr": "10.1.0.0/20", "dns_service_ip": "10.1.0.10"},
        agent_pool_profiles=[
            {
                "name": "system",
                "mode": "System",
                "count": 1,
                "vm_size": "Standard_D4ds_v5",
                "vnet_subnet_id": vnet.nodes_id,
            }
        ],
    )
    aks_pool = azure.TrainingPool(
        "nd",
        SPEC,
        eastus,
        resource_group=group.name,
        cluster_name=aks.name,
        subnet_id=vnet.nodes_id,
    )

pulumi.export("pools", [eks_pool.node_group_name, gke_pool.node_pool_name, aks_pool.node_pool_name])

"""The AKS control plane, with the one pool that is part of it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import pulumi
from pulumi_azure_native import authorization, containerservice

from gpucluster.components.azure.access import CLUSTER_ADMIN, AccessPlan
from gpucluster.components.azure.addresses import AddressPlan
from gpucluster.components.azure.caller import caller
from gpucluster.components.azure.identity import ClusterIdentity, granted
from gpucluster.components.azure.kubeconfig import kubeconfig
from gpucluster.components.azure.location import ZONES
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.node_image import OS_SKU
from gpucluster.components.azure.propagation import known_everywhere
from gpucluster.components.azure.system import SystemPlan
from gpucluster.components.labels import EXPECTED_SAMPLES
from gpucluster.components.names import POOL, SYSTEM_POOL


class ControlPlane(pulumi.ComponentResource):
    """Outputs: cluster_name, endpoint, kubeconfig. issuer: of its service accounts' tokens. `ready` is what pools wait
    for, `open` what is inside the cluster.

    Whoever runs up gets all rights in this cluster, and nowhere else, because software is installed by them.
    """

    cluster: containerservice.ManagedCluster
    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    issuer: pulumi.Output[str]
    ready: list[pulumi.Resource]
    open: list[pulumi.Input[pulumi.Resource]]

    def __init__(
        self,
        name: str,
        *,
        cluster_name: str,
        version: str,
        system_version: str | None = None,
        extended: bool = False,
        group: pulumi.Input[str],
        subscription: str,
        access: AccessPlan,
        addresses: AddressPlan,
        network: Network,
        identity: ClusterIdentity,
        system: SystemPlan,
        provisioning: bool,
        million_samples: Decimal,
        log_workspace: pulumi.Input[str] | None,
        keep_empty: int | None,
        blobs: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """provisioning: nodes come by node auto provisioning; no pool may autoscale then. million_samples: of metrics
        a month. log_workspace: id of the one that agents send what pods print to, None where nobody collects it.
        keep_empty: minutes that an empty machine of an autoscaled pool waits for a job; None where no pool
        autoscales. blobs: nodes mount containers of blobs.
        """
        super().__init__("gpucluster:azure:ControlPlane", name, {}, opts)
        self.cluster = containerservice.ManagedCluster(
            f"{name}-cluster",
            resource_group_name=group,
            resource_name_=cluster_name,
            # AKS would name the group of its machines after ours, cut where that is too long.
            node_resource_group=f"{cluster_name}-nodes",
            dns_prefix=cluster_name,
            kubernetes_version=version,
            sku=containerservice.ManagedClusterSKUArgs(name="Base", tier="Premium" if extended else "Standard"),
            support_plan="AKSLongTermSupport" if extended else None,
            identity=containerservice.ManagedClusterIdentityArgs(
                type=containerservice.ResourceIdentityType.USER_ASSIGNED,
                user_assigned_identities=[identity.identity_id],
            ),
            agent_pool_profiles=[_system_pool(f"{name}-system", system, network, system_version or version)],
            network_profile=_network(addresses),
            api_server_access_profile=_api_access(access, network),
            # Microsoft Entra alone: a local account is a certificate that nobody can take back.
            aad_profile=containerservice.ManagedClusterAADProfileArgs(
                managed=True, enable_azure_rbac=True, admin_group_object_ids=list(access.admins) or None
            ),
            disable_local_accounts=True,
            enable_rbac=True,
            oidc_issuer_profile=containerservice.ManagedClusterOIDCIssuerProfileArgs(enabled=True),
            security_profile=containerservice.ManagedClusterSecurityProfileArgs(
                workload_identity=containerservice.ManagedClusterSecurityProfileWorkloadIdentityArgs(enabled=True)
            ),
            # Left out, AKS puts new images on GPU nodes under running jobs, with kernels that drivers do not fit.
            auto_upgrade_profile=containerservice.ManagedClusterAutoUpgradeProfileArgs(
                upgrade_channel="none", node_os_upgrade_channel="None"
            ),
            # Its own default pools would make CPU machines of any kind; left out, the SDK asks for them.
            node_provisioning_profile=containerservice.ManagedClusterNodeProvisioningProfileArgs(
                mode="Auto" if provisioning else "Manual", default_node_pools="None"
            ),
            auto_scaler_profile=None if keep_empty is None else _autoscaler(keep_empty),
            azure_monitor_profile=containerservice.ManagedClusterAzureMonitorProfileArgs(
                metrics=containerservice.ManagedClusterAzureMonitorProfileMetricsArgs(enabled=True)
            ),
            addon_profiles={"omsagent": _log_agent(log_workspace)},
            storage_profile=_storage(blobs=blobs),
            tags={EXPECTED_SAMPLES: f"{million_samples:f}"},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*identity.grants, *network.ready],
                # AKS lists every pool there, and an edit of one sets all of them in motion.
                ignore_changes=_as_made(system_version),
                # The name is taken until the old cluster is gone.
                delete_before_replace=True,
            ),
        )
        self._enter(name, group, subscription, private=access.private)

    @property
    def kubelet_principal(self) -> pulumi.Output[str]:
        """Whom all nodes are to Azure."""
        return self.cluster.identity_profile.apply(lambda profile: str(_kubelet(profile).object_id))

    @property
    def kubelet_client(self) -> pulumi.Output[str]:
        """By what a program on a node asks to be it."""
        return self.cluster.identity_profile.apply(lambda profile: str(_kubelet(profile).client_id))

    def _enter(self, name: str, group: pulumi.Input[str], subscription: str, *, private: bool) -> None:
        """What is known of it once it stands, and the rights to work in it."""
        given = containerservice.list_managed_cluster_user_credentials_output(
            resource_group_name=group,
            resource_name=self.cluster.name,
            format="exec",
            # A private zone of its own, to which AKS would point, it has none.
            server_fqdn="public" if private else None,
            opts=pulumi.InvokeOutputOptions(parent=self),
        )
        self.cluster_name = self.cluster.name
        self.endpoint = pulumi.Output.concat("https://", self.cluster.fqdn)
        self.issuer = self.cluster.oidc_issuer_profile.apply(lambda profile: profile.issuer_url if profile else "")
        self.kubeconfig = pulumi.Output.all(self.cluster.name, given.kubeconfigs[0].value).apply(
            lambda values: kubeconfig(*values)
        )
        rights = self._rights(f"{name}-caller", subscription)
        self.ready = [self.cluster]
        self.open = [rights, known_everywhere([rights])]
        self.register_outputs(
            {"clusterName": self.cluster_name, "endpoint": self.endpoint, "kubeconfig": self.kubeconfig}
        )

    def _rights(self, name: str, subscription: str) -> authorization.RoleAssignment:
        """Of whoever runs this program. A first preview has nobody to log in."""
        who = caller(pulumi.InvokeOutputOptions(parent=self, depends_on=[self.cluster]))
        return granted(
            name,
            CLUSTER_ADMIN,
            scope=self.cluster.id,
            principal=who.object_id,
            subscription=subscription,
            kind=who.kind,
            opts=pulumi.ResourceOptions(parent=self),
        )


def _kubelet(profile: Mapping[str, Any] | None) -> Any:
    """The identity of all nodes, which AKS makes with the cluster."""
    return (profile or {})["kubeletidentity"]


def _network(addresses: AddressPlan) -> containerservice.ContainerServiceNetworkProfileArgs:
    return containerservice.ContainerServiceNetworkProfileArgs(
        network_plugin="azure",
        # Pods have addresses of the cluster's own, and node auto provisioning wants this set.
        network_plugin_mode="overlay",
        network_dataplane="cilium",
        network_policy="cilium",
        load_balancer_sku="standard",
        # Can't be changed later.
        outbound_type="userAssignedNATGateway",
        pod_cidr=addresses.pods,
        service_cidr=addresses.services,
        dns_service_ip=addresses.dns,
    )


def _storage(*, blobs: bool) -> containerservice.ManagedClusterStorageProfileArgs:
    return containerservice.ManagedClusterStorageProfileArgs(
        blob_csi_driver=containerservice.ManagedClusterStorageProfileBlobCSIDriverArgs(enabled=True) if blobs else None,
        disk_csi_driver=containerservice.ManagedClusterStorageProfileDiskCSIDriverArgs(enabled=True),
        file_csi_driver=containerservice.ManagedClusterStorageProfileFileCSIDriverArgs(enabled=True),
        snapshot_controller=containerservice.ManagedClusterStorageProfileSnapshotControllerArgs(enabled=True),
    )


def _log_agent(workspace: pulumi.Input[str] | None) -> containerservice.ManagedClusterAddonProfileArgs:
    """On every node, whatever its taints; what it sends, the workspace's rule says."""
    if workspace is None:
        return containerservice.ManagedClusterAddonProfileArgs(enabled=False)
    return containerservice.ManagedClusterAddonProfileArgs(
        enabled=True, config={"logAnalyticsWorkspaceResourceID": workspace, "useAADAuth": "true"}
    )


def _autoscaler(keep_empty: int) -> containerservice.ManagedClusterPropertiesAutoScalerProfileArgs:
    """A GPU machine takes long to come, and is dear while nothing runs on it."""
    return containerservice.ManagedClusterPropertiesAutoScalerProfileArgs(
        expander="least-waste", max_node_provision_time="30m", scale_down_unneeded_time=f"{keep_empty}m"
    )


def _api_access(access: AccessPlan, network: Network) -> containerservice.ManagedClusterAPIServerAccessProfileArgs:
    if access.private:
        return containerservice.ManagedClusterAPIServerAccessProfileArgs(
            enable_private_cluster=True,
            # The public name of a private address: it resolves at the other end of a VPN too, where a private zone
            # would have to be linked first.
            enable_private_cluster_public_fqdn=True,
            private_dns_zone="none",
            disable_run_command=True,
        )
    return containerservice.ManagedClusterAPIServerAccessProfileArgs(
        # Nodes reach the API by their way out, which of a network of the user's is one of theirs.
        authorized_ip_ranges=[
            *access.client_cidrs,
            *([] if network.egress_ip is None else [pulumi.Output.concat(network.egress_ip, "/32")]),
        ],
        disable_run_command=True,
    )


# What is set of the system pool, as Pulumi names it.
_OF_THE_POOL: Final = (
    "availabilityZones",
    "count",
    "mode",
    "name",
    "nodeLabels",
    "osDiskSizeGB",
    "osDiskType",
    "osSKU",
    "osType",
    "tags",
    "type",
    "upgradeSettings",
    "vmSize",
    "vnetSubnetID",
)


def _as_made(version: str | None) -> list[str]:
    """What of the system pool stays as it was made: all of it, or all but a version that the spec names."""
    if version is None:
        return ["agentPoolProfiles"]
    return [f"agentPoolProfiles[0].{name}" for name in _OF_THE_POOL]


def _system_pool(
    name: str, plan: SystemPlan, network: Network, version: str
) -> containerservice.ManagedClusterAgentPoolProfileArgs:
    """The pool that AKS insists on. Every other one is a resource of its own."""
    return containerservice.ManagedClusterAgentPoolProfileArgs(
        name=SYSTEM_POOL,
        mode="System",
        type="VirtualMachineScaleSets",
        count=plan.nodes,
        vm_size=plan.machine_type,
        # Not in the GPU nodes' zone alone: a zone full of GPUs is often out of the rest.
        availability_zones=list(ZONES),
        os_type="Linux",
        os_sku=OS_SKU,
        os_disk_type="Ephemeral",
        os_disk_size_gb=plan.root_gib,
        orchestrator_version=version,
        vnet_subnet_id=network.nodes_id,
        upgrade_settings=containerservice.AgentPoolUpgradeSettingsArgs(max_surge="1"),
        node_labels={POOL: SYSTEM_POOL},
        tags={"name": name},
    )

"""The AKS control plane, including its system pool, and its kubeconfig without a credential."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, cast

import pulumi
import yaml
from pulumi_azure_native import authorization, containerservice

from gpucluster.components.azure.identity import ClusterIdentity, caller, propagation, role_assignment
from gpucluster.components.azure.network import Network
from gpucluster.components.azure.planning.access import CLUSTER_ADMIN, AccessPlan
from gpucluster.components.azure.planning.machines import SystemPlan
from gpucluster.components.azure.planning.network_plan import AddressPlan
from gpucluster.components.azure.pools.system_pool import AS_CREATED, system_pool


class ControlPlane(pulumi.ComponentResource):
    """Outputs: cluster_name, endpoint, kubeconfig. issuer: of its service accounts' tokens. Pools depend on `ready`,
    objects inside the cluster on `open`.

    The identity that runs `up` gets all permissions in this cluster, and nowhere else, because it installs software.
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
        extended: bool = False,
        group: pulumi.Input[str],
        subscription: str,
        access: AccessPlan,
        addresses: AddressPlan,
        network: Network,
        identity: ClusterIdentity,
        system: SystemPlan,
        os_sku: str,
        provisioning: bool,
        log_workspace: pulumi.Input[str] | None,
        keep_empty: int | None,
        blobs: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """provisioning: node auto provisioning creates nodes; then no pool may autoscale. log_workspace: id of the
        workspace to which agents send the pods' output; None if it is not collected. keep_empty: minutes that an empty
        machine of an autoscaled pool waits for a job; None if no pool autoscales. blobs: nodes mount blob containers.
        """
        super().__init__("gpucluster:azure:ControlPlane", name, {}, opts)
        self.cluster = containerservice.ManagedCluster(
            f"{name}-cluster",
            resource_group_name=group,
            resource_name_=cluster_name,
            # AKS would name the group of its machines after our resource group, truncated if too long.
            node_resource_group=f"{cluster_name}-nodes",
            dns_prefix=cluster_name,
            kubernetes_version=version,
            sku=containerservice.ManagedClusterSKUArgs(name="Base", tier="Premium" if extended else "Standard"),
            support_plan="AKSLongTermSupport" if extended else None,
            identity=containerservice.ManagedClusterIdentityArgs(
                type=containerservice.ResourceIdentityType.USER_ASSIGNED,
                user_assigned_identities=[identity.identity_id],
            ),
            agent_pool_profiles=[system_pool(f"{name}-system", system, os_sku, network)],
            network_profile=_network(addresses),
            api_server_access_profile=_api_access(access, network),
            # Microsoft Entra only: a local account is a certificate that can't be revoked.
            aad_profile=containerservice.ManagedClusterAADProfileArgs(
                managed=True, enable_azure_rbac=True, admin_group_object_ids=list(access.admins) or None
            ),
            disable_local_accounts=True,
            enable_rbac=True,
            oidc_issuer_profile=containerservice.ManagedClusterOIDCIssuerProfileArgs(enabled=True),
            security_profile=containerservice.ManagedClusterSecurityProfileArgs(
                workload_identity=containerservice.ManagedClusterSecurityProfileWorkloadIdentityArgs(enabled=True)
            ),
            # If not set, AKS puts new images on GPU nodes under running jobs, with kernels that do not fit the drivers.
            auto_upgrade_profile=containerservice.ManagedClusterAutoUpgradeProfileArgs(
                upgrade_channel="none", node_os_upgrade_channel="None"
            ),
            # The default pools would create CPU machines of any kind; if not set, the SDK requests them.
            node_provisioning_profile=containerservice.ManagedClusterNodeProvisioningProfileArgs(
                mode="Auto" if provisioning else "Manual", default_node_pools="None"
            ),
            auto_scaler_profile=None if keep_empty is None else _autoscaler(keep_empty),
            azure_monitor_profile=containerservice.ManagedClusterAzureMonitorProfileArgs(
                metrics=containerservice.ManagedClusterAzureMonitorProfileMetricsArgs(enabled=True)
            ),
            addon_profiles={"omsagent": _log_agent(log_workspace)},
            storage_profile=_storage(blobs=blobs),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[*identity.grants, propagation(identity.grants), *network.ready],
                ignore_changes=[f"agentPoolProfiles[0].{field}" for field in AS_CREATED],
                # The name is in use until the old cluster is deleted.
                delete_before_replace=True,
            ),
        )
        self._set_outputs(name, group, subscription, private=access.private)

    @property
    def kubelet_principal(self) -> pulumi.Output[str]:
        """The object id of the nodes' identity."""
        return self.cluster.identity_profile.apply(lambda profile: str(_kubelet(profile).object_id))

    @property
    def kubelet_client(self) -> pulumi.Output[str]:
        """The client id by which a program on a node requests this identity."""
        return self.cluster.identity_profile.apply(lambda profile: str(_kubelet(profile).client_id))

    def _set_outputs(self, name: str, group: pulumi.Input[str], subscription: str, *, private: bool) -> None:
        """Outputs of the running cluster, and the permissions to work in it."""
        credentials = containerservice.list_managed_cluster_user_credentials_output(
            resource_group_name=group,
            resource_name=self.cluster.name,
            format="exec",
            # By default AKS returns a name in a private DNS zone, which this cluster lacks.
            server_fqdn="public" if private else None,
            opts=pulumi.InvokeOutputOptions(parent=self),
        )
        self.cluster_name = self.cluster.name
        self.endpoint = pulumi.Output.concat("https://", self.cluster.fqdn)
        self.issuer = self.cluster.oidc_issuer_profile.apply(lambda profile: profile.issuer_url if profile else "")
        self.kubeconfig = pulumi.Output.all(self.cluster.name, credentials.kubeconfigs[0].value).apply(
            lambda values: kubeconfig(*values)
        )
        rights = self._rights(f"{name}-caller", subscription)
        self.ready = [self.cluster]
        self.open = [rights, propagation([rights])]
        self.register_outputs(
            {"clusterName": self.cluster_name, "endpoint": self.endpoint, "kubeconfig": self.kubeconfig}
        )

    def _rights(self, name: str, subscription: str) -> authorization.RoleAssignment:
        """Permissions of the identity that runs this program. A first preview needs no login."""
        identity = caller(pulumi.InvokeOutputOptions(parent=self, depends_on=[self.cluster]))
        return role_assignment(
            name,
            CLUSTER_ADMIN,
            scope=self.cluster.id,
            principal=identity.object_id,
            subscription=subscription,
            kind=identity.kind,
            opts=pulumi.ResourceOptions(parent=self),
        )


def _kubelet(profile: Mapping[str, Any] | None) -> Any:
    """The identity of all nodes, which AKS creates with the cluster."""
    return (profile or {})["kubeletidentity"]


def _network(addresses: AddressPlan) -> containerservice.ContainerServiceNetworkProfileArgs:
    return containerservice.ContainerServiceNetworkProfileArgs(
        network_plugin="azure",
        # Pods have addresses inside the cluster, and node auto provisioning requires this setting.
        network_plugin_mode="overlay",
        network_dataplane="cilium",
        network_policy="cilium",
        load_balancer_sku="standard",
        # Another value replaces the cluster.
        outbound_type="userDefinedRouting" if addresses.routed else "userAssignedNATGateway",
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
    """Runs on every node, whatever its taints; the workspace's rule decides what it sends."""
    if workspace is None:
        return containerservice.ManagedClusterAddonProfileArgs(enabled=False)
    return containerservice.ManagedClusterAddonProfileArgs(
        enabled=True, config={"logAnalyticsWorkspaceResourceID": workspace, "useAADAuth": "true"}
    )


def _autoscaler(keep_empty: int) -> containerservice.ManagedClusterPropertiesAutoScalerProfileArgs:
    """A GPU machine takes long to start and is expensive while idle."""
    return containerservice.ManagedClusterPropertiesAutoScalerProfileArgs(
        expander="least-waste", max_node_provision_time="30m", scale_down_unneeded_time=f"{keep_empty}m"
    )


def _api_access(access: AccessPlan, network: Network) -> containerservice.ManagedClusterAPIServerAccessProfileArgs:
    if access.private:
        return containerservice.ManagedClusterAPIServerAccessProfileArgs(
            enable_private_cluster=True,
            # The public name of a private address also resolves at the other end of a VPN, where a private zone would
            # have to be linked first.
            enable_private_cluster_public_fqdn=True,
            private_dns_zone="none",
            disable_run_command=True,
        )
    return containerservice.ManagedClusterAPIServerAccessProfileArgs(
        # Nodes reach the API from their egress address, which the user owns in an existing network.
        authorized_ip_ranges=[
            *access.client_cidrs,
            *([] if network.egress_ip is None else [pulumi.Output.concat(network.egress_ip, "/32")]),
        ],
        disable_run_command=True,
    )


# The server application of every AKS cluster in Microsoft Entra.
# Source: Azure/kubelogin, docs/book/src/concepts/aks.md.
_SERVER = "6dae42f8-4368-4678-94ff-3960e28e3630"


def kubeconfig(cluster: str, given: str) -> str:
    """A kubeconfig as JSON, which is valid YAML. `kubelogin` gets a token at each use.

    given: AKS' kubeconfig for users, in base 64. Only address and certificate are used: it would open a browser for
    login, while `up` uses the login of the Azure CLI or, by AAD_LOGIN_METHOD, another one.
    """
    found = cast(Mapping[str, Any], yaml.safe_load(base64.b64decode(given)))
    server = cast(Mapping[str, str], found["clusters"][0]["cluster"])
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": cluster,
            "clusters": [
                {
                    "name": cluster,
                    "cluster": {key: server[key] for key in ("server", "certificate-authority-data")},
                }
            ],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "users": [
                {
                    "name": cluster,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "kubelogin",
                            "args": ["get-token", "--login", "azurecli", "--server-id", _SERVER],
                            "provideClusterInfo": False,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

"""The GKE control plane, the key for its secrets, and its kubeconfig without a credential."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

import pulumi
from pulumi_gcp import container, kms, projects

from gpucluster.components.gcp.identity import CLOUD_PLATFORM, NodeIdentity, workload_pool
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.network import Network
from gpucluster.components.gcp.planning.access import AccessPlan
from gpucluster.components.planning.labels import EXPECTED_SAMPLES

# Without DCGM: `monitoring.py` explains why.
# Source: GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/scheduler/gke-cluster; Pulumi's gcp.container.Cluster.
_METRICS: Final = (
    "SYSTEM_COMPONENTS",
    "POD",
    "DAEMONSET",
    "DEPLOYMENT",
    "STATEFULSET",
    "STORAGE",
    "HPA",
    "CADVISOR",
    "KUBELET",
    "JOBSET",
)
_LOGS: Final = ("SYSTEM_COMPONENTS", "APISERVER")
_POD_LOGS: Final = ("SYSTEM_COMPONENTS", "WORKLOADS", "APISERVER")


class ControlPlane(pulumi.ComponentResource):
    """Creates a key for secrets, then, in `start`, the cluster. Outputs: cluster_name, endpoint, kubeconfig.

    key_use: GKE's permission to use the key. before_nodes: resources that must exist before a node can join.
    """

    key_use: kms.CryptoKeyIAMMember
    cluster: container.Cluster
    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    provider_kubeconfig: pulumi.Output[str]
    before_nodes: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        *,
        location: Location,
        existing_key: str | None,
        after: Sequence[pulumi.Resource],
        grant_hook: pulumi.ResourceHookBinding | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """existing_key: id of the key for secrets; None to create one. after: the APIs. grant_hook: runs after a grant
        is created.
        """
        super().__init__("gpucluster:gcp:ControlPlane", name, {}, opts)
        self._name, self._location = name, location
        self._key, self.key_use = secrets_key(
            f"{name}-secrets",
            existing_key,
            project=location.project,
            region=location.region,
            after=after,
            grant_hook=grant_hook,
            opts=pulumi.ResourceOptions(parent=self),
        )

    def start(
        self,
        *,
        cluster_name: str,
        version: str,
        extended: bool = False,
        access: AccessPlan,
        security_group: str | None,
        network: Network,
        nodes: NodeIdentity,
        lustre: bool,
        bucket: bool,
        filestore: bool,
        limits: Mapping[str, int] | None,
        million_samples: Decimal,
        pod_logs: bool,
    ) -> None:
        """security_group: the group in which GKE looks up users' groups. network: must wait for the permission to use
        the key and for the nodes' account, which take a minute to propagate in Google Cloud. lustre, bucket, filestore:
        which storage drivers to enable. limits: maximum of all pools together, if GKE creates pools automatically.
        million_samples: of metrics, per month. pod_logs: whether the pods' output is collected.
        """
        name, location = self._name, self._location
        self.cluster = container.Cluster(
            f"{name}-cluster",
            name=cluster_name,
            # Regional: the API survives the loss of a zone, and CPU nodes need no capacity in the GPUs' zone.
            location=location.region,
            node_locations=list(location.system_zones),
            network=network.network_name,
            subnetwork=network.subnetwork_name,
            networking_mode="VPC_NATIVE",
            ip_allocation_policy=container.ClusterIpAllocationPolicyArgs(
                cluster_secondary_range_name=network.pods_range, services_secondary_range_name=network.services_range
            ),
            # Neither can be changed later; both are required to give pods the GPU interfaces.
            datapath_provider="ADVANCED_DATAPATH",
            enable_multi_networking=True,
            # Every pool is declared separately; the first one, which GKE requires, is deleted at once.
            remove_default_node_pool=True,
            initial_node_count=1,
            node_config=container.ClusterNodeConfigArgs(service_account=nodes.email),
            # Otherwise the state's protection would keep `destroy` from deleting the cluster.
            deletion_protection=False,
            min_master_version=version,
            release_channel=container.ClusterReleaseChannelArgs(channel="EXTENDED" if extended else "REGULAR"),
            maintenance_policy=_maintenance(),
            private_cluster_config=container.ClusterPrivateClusterConfigArgs(
                enable_private_nodes=True, enable_private_endpoint=access.private
            ),
            master_authorized_networks_config=container.ClusterMasterAuthorizedNetworksConfigArgs(
                cidr_blocks=[
                    container.ClusterMasterAuthorizedNetworksConfigCidrBlockArgs(cidr_block=cidr)
                    for cidr in access.client_cidrs
                ],
                # Otherwise any machine in Google Cloud, of any customer, could try to connect.
                gcp_public_cidrs_access_enabled=False,
            ),
            authenticator_groups_config=None
            if security_group is None
            else container.ClusterAuthenticatorGroupsConfigArgs(security_group=security_group),
            # The DNS name checks permissions, not addresses: if open to external traffic, it bypasses the ranges above.
            control_plane_endpoints_config=container.ClusterControlPlaneEndpointsConfigArgs(
                dns_endpoint_config=container.ClusterControlPlaneEndpointsConfigDnsEndpointConfigArgs(
                    allow_external_traffic=access.dns
                )
            ),
            # A replica of kube-dns for each 256 vCPUs of GPU nodes would fill the system nodes (`system_pool.py`).
            dns_config=container.ClusterDnsConfigArgs(cluster_dns="CLOUD_DNS", cluster_dns_scope="CLUSTER_SCOPE"),
            workload_identity_config=container.ClusterWorkloadIdentityConfigArgs(
                workload_pool=workload_pool(location.project)
            ),
            database_encryption=container.ClusterDatabaseEncryptionArgs(state="ENCRYPTED", key_name=self._key),
            enable_shielded_nodes=True,
            logging_config=container.ClusterLoggingConfigArgs(enable_components=list(_POD_LOGS if pod_logs else _LOGS)),
            monitoring_config=container.ClusterMonitoringConfigArgs(
                enable_components=list(_METRICS),
                managed_prometheus=container.ClusterMonitoringConfigManagedPrometheusArgs(enabled=True),
            ),
            addons_config=_addons(lustre=lustre, bucket=bucket, filestore=filestore),
            cluster_autoscaling=None if limits is None else _auto_provisioning(limits, nodes),
            resource_labels={EXPECTED_SAMPLES: f"{million_samples:f}"},
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=network.ready,
                # The name is in use until the old cluster is deleted.
                delete_before_replace=True,
                # Belongs to the deleted first pool.
                ignore_changes=["nodeConfig"],
            ),
        )
        self.before_nodes = [*nodes.grants, *network.egress]
        self.cluster_name = self.cluster.name
        self.endpoint = self._dns_name() if access.dns else self.cluster.endpoint
        certificate = None if access.dns else self.cluster.master_auth.cluster_ca_certificate
        connection = pulumi.Output.all(self.cluster.name, self.endpoint, certificate)
        self.kubeconfig = connection.apply(lambda values: kubeconfig(*values))
        self.provider_kubeconfig = connection.apply(lambda values: kubeconfig(*values, as_provider=True))
        self.register_outputs(
            {"clusterName": self.cluster_name, "endpoint": self.endpoint, "kubeconfig": self.kubeconfig}
        )

    def _dns_name(self) -> pulumi.Output[str]:
        """Empty if unknown in a preview."""

        def name(config: container.outputs.ClusterControlPlaneEndpointsConfig) -> str:
            found = config.dns_endpoint_config
            return "" if found is None else found.endpoint or ""

        return self.cluster.control_plane_endpoints_config.apply(name)


def _maintenance() -> container.ClusterMaintenancePolicyArgs:
    """Patches the control plane at night; while the version is supported, excludes minor versions and, because of
    running jobs, node upgrades.
    """
    return container.ClusterMaintenancePolicyArgs(
        daily_maintenance_window=container.ClusterMaintenancePolicyDailyMaintenanceWindowArgs(start_time="03:00"),
        maintenance_exclusions=[
            container.ClusterMaintenancePolicyMaintenanceExclusionArgs(
                exclusion_name="no-minor-or-node-upgrades",
                # Any date in the past: a plan has no clock.
                start_time="2026-01-01T00:00:00Z",
                exclusion_options=container.ClusterMaintenancePolicyMaintenanceExclusionExclusionOptionsArgs(
                    scope="NO_MINOR_OR_NODE_UPGRADES", end_time_behavior="UNTIL_END_OF_SUPPORT"
                ),
            )
        ],
    )


def _auto_provisioning(limits: Mapping[str, int], nodes: NodeIdentity) -> container.ClusterClusterAutoscalingArgs:
    """The only limit of the pools that GKE creates; the compute classes that request them define them."""
    return container.ClusterClusterAutoscalingArgs(
        enabled=True,
        resource_limits=[
            container.ClusterClusterAutoscalingResourceLimitArgs(resource_type=kind, minimum=0, maximum=most)
            for kind, most in limits.items()
        ],
        # For a pool that no class requests: the nodes' own account, never the project's, and verified boot.
        auto_provisioning_defaults=container.ClusterClusterAutoscalingAutoProvisioningDefaultsArgs(
            service_account=nodes.email,
            oauth_scopes=[CLOUD_PLATFORM],
            image_type="COS_CONTAINERD",
            management=container.ClusterClusterAutoscalingAutoProvisioningDefaultsManagementArgs(
                auto_repair=True, auto_upgrade=True
            ),
            shielded_instance_config=(
                container.ClusterClusterAutoscalingAutoProvisioningDefaultsShieldedInstanceConfigArgs(
                    enable_secure_boot=True, enable_integrity_monitoring=True
                )
            ),
        ),
    )


def _addons(*, lustre: bool, bucket: bool, filestore: bool) -> container.ClusterAddonsConfigArgs:
    return container.ClusterAddonsConfigArgs(
        gce_persistent_disk_csi_driver_config=container.ClusterAddonsConfigGcePersistentDiskCsiDriverConfigArgs(
            enabled=True
        ),
        lustre_csi_driver_config=(
            # The GPU networks have no route to the file servers.
            container.ClusterAddonsConfigLustreCsiDriverConfigArgs(enabled=True, disable_multi_nic=True)
            if lustre
            else None
        ),
        gcs_fuse_csi_driver_config=(
            container.ClusterAddonsConfigGcsFuseCsiDriverConfigArgs(enabled=True) if bucket else None
        ),
        gcp_filestore_csi_driver_config=(
            container.ClusterAddonsConfigGcpFilestoreCsiDriverConfigArgs(enabled=True) if filestore else None
        ),
    )


_DAY = 24 * 60 * 60


def secrets_key(
    name: str,
    existing: str | None,
    *,
    project: str,
    region: str,
    after: Sequence[pulumi.Resource],
    grant_hook: pulumi.ResourceHookBinding | None,
    opts: pulumi.ResourceOptions,
) -> tuple[pulumi.Input[str], kms.CryptoKeyIAMMember]:
    """The id of a key that is rotated every 90 days, in addition to Google's encryption, and the permission of GKE's
    own service account to use only this key. existing: id of a key to use instead, whose permission stays after a
    destroy: GKE has one service account in a project, so another cluster may use the same permission. grant_hook:
    runs after the permission is created.

    Key rings can't be deleted in Google Cloud, and are free; a destroyed key waits for 30 days, during which it can be
    restored. Source: Google Cloud documentation, "Encrypt secrets at the application layer".
    """
    after_apis = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after)))
    key = existing or _key(name, region, after_apis, opts).id
    gke = projects.ServiceIdentity(f"{name}-gke", project=project, service="container.googleapis.com", opts=after_apis)
    use = kms.CryptoKeyIAMMember(
        f"{name}-use",
        crypto_key_id=key,
        role="roles/cloudkms.cryptoKeyEncrypterDecrypter",
        member=gke.member,
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(hooks=grant_hook, retain_on_delete=existing is not None)
        ),
    )
    return key, use


def _key(name: str, region: str, after_apis: pulumi.ResourceOptions, opts: pulumi.ResourceOptions) -> kms.CryptoKey:
    ring = kms.KeyRing(f"{name}-ring", location=region, opts=after_apis)
    return kms.CryptoKey(
        name,
        key_ring=ring.id,
        purpose="ENCRYPT_DECRYPT",
        rotation_period=f"{90 * _DAY}s",
        destroy_scheduled_duration=f"{30 * _DAY}s",
        opts=opts,
    )


# Source: kubernetes/cloud-provider-gcp, cmd/gke-gcloud-auth-plugin/cred.go: by default it asks gcloud for a token.
_DEFAULT_CREDENTIALS = "--use_application_default_credentials=true"


def kubeconfig(cluster: str, endpoint: str, certificate: str | None, *, as_provider: bool = False) -> str:
    """A kubeconfig as JSON, which is valid YAML. `gke-gcloud-auth-plugin` gets a token at each use.

    endpoint: address or name of the API. certificate: of its CA, in base64; None for the DNS name, which has a publicly
    trusted certificate. as_provider: with the application default credentials, as Pulumi's provider for Google Cloud,
    instead of gcloud's account.
    """
    authority = {} if certificate is None else {"certificate-authority-data": certificate}
    server = {"server": f"https://{endpoint}", **authority}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": cluster,
            "clusters": [{"name": cluster, "cluster": server}],
            "contexts": [{"name": cluster, "context": {"cluster": cluster, "user": cluster}}],
            "users": [
                {
                    "name": cluster,
                    "user": {
                        "exec": {
                            "apiVersion": "client.authentication.k8s.io/v1beta1",
                            "command": "gke-gcloud-auth-plugin",
                            **({"args": [_DEFAULT_CREDENTIALS]} if as_provider else {}),
                            "provideClusterInfo": True,
                            "interactiveMode": "Never",
                        }
                    },
                }
            ],
        }
    )

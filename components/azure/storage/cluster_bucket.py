"""The cluster's own blob container, and the access of jobs to it and to others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pulumi
from pulumi_azure_native import managedidentity, storage

from gpucluster.components.azure.arm import container_id, storage_account_id
from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.azure.identity import role_assignment
from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.storage import bucket_of
from gpucluster.components.kubernetes.job_identities import JobIdentity
from gpucluster.components.planning.labels import EXPECTED_GIB
from gpucluster.components.shared.buckets import IdentityPlan, OwnBucketPlan, remote_name
from gpucluster.components.spec.storage import OWN

# Source: AKS documentation, "Use Microsoft Entra Workload ID".
_AUDIENCE: Final = "api://AzureADTokenExchange"
_CLIENT: Final = "azure.workload.identity/client-id"


class OwnBucket(pulumi.ComponentResource):
    """Outputs: address. Azure encrypts its contents; access always requires an identity."""

    account: storage.StorageAccount
    container: storage.BlobContainer
    address: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: OwnBucketPlan,
        *,
        account_name: str,
        group: pulumi.Input[str],
        keys: bool,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """account_name: unique in all of Azure. keys: whether account keys also give access, as Managed Lustre
        requires.
        """
        super().__init__("gpucluster:azure:OwnBucket", name, {}, opts)
        self.account, self.container = private_container(
            name,
            account_name=account_name,
            group=group,
            keys=keys,
            expected_gib=plan.expected_gib,
            protect=plan.protect,
            parent=self,
        )
        self.address = pulumi.Output.format("https://{0}.blob.core.windows.net/{1}", self.account.name, CONTAINER)
        self.register_outputs({"address": self.address})


def bucket_identities(
    name: str,
    identities: Sequence[IdentityPlan],
    own: OwnBucket | None,
    *,
    location: Location,
    group: pulumi.Input[str],
    control_plane: ControlPlane,
    opts: pulumi.ResourceOptions,
) -> list[JobIdentity]:
    """A managed identity for each, which its service account uses through its token."""
    job_identities: list[JobIdentity] = []
    for identity in identities:
        full = f"{name}-{identity.name}"
        managed = managedidentity.UserAssignedIdentity(full, resource_group_name=group, opts=opts)
        managedidentity.FederatedIdentityCredential(
            f"{full}-account",
            resource_group_name=group,
            resource_name_=managed.name,
            issuer=control_plane.issuer,
            subject=f"system:serviceaccount:{identity.namespace}:{identity.name}",
            audiences=[_AUDIENCE],
            opts=opts,
        )
        places = {bucket: _place(bucket, own, location) for bucket in identity.buckets}
        for bucket, (_, scope) in places.items():
            role_assignment(
                f"{full}-{remote_name(bucket)}",
                "Storage Blob Data Contributor" if bucket in identity.writes else "Storage Blob Data Reader",
                scope=scope,
                principal=managed.principal_id,
                subscription=location.subscription,
                opts=opts,
            )
        remotes = {bucket: remote for bucket, (remote, _) in places.items()}
        job_identities.append(JobIdentity(plan=identity, remotes=remotes, annotations={_CLIENT: managed.client_id}))
    return job_identities


def _place(bucket: str, own: OwnBucket | None, location: Location) -> tuple[pulumi.Output[str], pulumi.Input[str]]:
    """rclone's remote of a container, and its id."""
    account: pulumi.Input[str]
    scope: pulumi.Input[str]
    if bucket == OWN and own is not None:
        account, container, scope = own.account.name, CONTAINER, own.container.id
    else:
        found = bucket_of(bucket)
        account, container = found.account, found.container
        owner = storage_account_id(location.subscription, location.settings.bucket_group or "", found.account)
        scope = container_id(owner, container)
    return pulumi.Output.format(":azureblob,account={0},env_auth,no_check_container:{1}", account, container), scope


CONTAINER: Final = "data"


def private_container(
    name: str,
    *,
    account_name: str,
    group: pulumi.Input[str],
    keys: bool = False,
    network_rules: storage.NetworkRuleSetArgs | None = None,
    expected_gib: str | None,
    protect: bool,
    parent: pulumi.Resource,
) -> tuple[storage.StorageAccount, storage.BlobContainer]:
    """account_name: unique in all of Azure. keys: whether account keys also give access, as Managed Lustre requires.
    expected_gib: average GiB stored, for the cost.
    """
    protected = pulumi.ResourceOptions(parent=parent, protect=protect)
    account = storage.StorageAccount(
        f"{name}-account",
        account_name=account_name,
        resource_group_name=group,
        kind="StorageV2",
        sku=storage.SkuArgs(name="Standard_LRS"),
        access_tier=storage.AccessTier.HOT,
        enable_https_traffic_only=True,
        allow_shared_key_access=keys,
        allow_blob_public_access=False,
        minimum_tls_version="TLS1_2",
        network_rule_set=network_rules,
        tags={} if expected_gib is None else {EXPECTED_GIB: expected_gib},
        opts=protected,
    )
    container = storage.BlobContainer(
        f"{name}-data",
        container_name=CONTAINER,
        account_name=account.name,
        resource_group_name=group,
        public_access=storage.PublicAccess.NONE,
        opts=protected,
    )
    return account, container


def node_subnet_rules(subnet: pulumi.Input[str]) -> storage.NetworkRuleSetArgs:
    """Rules of an account that admit only the nodes' subnet, by its service endpoint."""
    return storage.NetworkRuleSetArgs(
        default_action=storage.DefaultAction.DENY,
        bypass="None",
        virtual_network_rules=[
            storage.VirtualNetworkRuleArgs(virtual_network_resource_id=subnet, action=storage.Action.ALLOW)
        ],
    )

"""Images on Azure: a container registry that caches public ones, and the nodes' permission to pull."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pulumi
from pulumi_azure_native import containerregistry

from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.azure.identity import role_assignment
from gpucluster.components.cluster.outputs import Registry
from gpucluster.components.resources.run import or_empty
from gpucluster.components.shared.registry import IMAGE, UPSTREAMS, RegistryPlan

_TIER: Final = "Premium"
"""10,000 reads a minute, against 1,000 of Basic and 3,000 of Standard: a node reads an image in some dozens of reads,
and a GPU node that waits for one costs more in an hour than this tier in a month. Its price includes 500 GiB.

Source: Azure documentation, "Azure Container Registry SKU features and limits"."""


def registry(
    name: str,
    plan: RegistryPlan,
    *,
    subscription: str,
    group: pulumi.Input[str],
    control_plane: ControlPlane,
    parent: pulumi.Resource,
) -> Registry:
    """All nodes, including elastic ones, pull with the identity of the cluster's kubelets."""
    scope: pulumi.Input[str]
    caches: Mapping[str, pulumi.Output[str]] = {}
    if plan.existing is not None:
        account: pulumi.Input[str] = plan.existing.rpartition("/")[2]
        scope, holder = plan.existing, parent
        server = pulumi.Output.from_input(f"{account.lower()}.azurecr.io")
    else:
        resources = _ClusterRegistry(name, plan, group=group, opts=pulumi.ResourceOptions(parent=parent))
        account, scope, holder, server, caches = (
            plan.name,
            resources.registry_id,
            resources,
            resources.server,
            resources.caches,
        )
    role_assignment(
        f"{name}-pull",
        "AcrPull",
        scope=scope,
        principal=control_plane.kubelet_principal,
        subscription=subscription,
        opts=pulumi.ResourceOptions(parent=holder),
    )
    return Registry(
        image=pulumi.Output.concat(server, f"/{IMAGE}"),
        login=pulumi.Output.from_input(f"az acr login --name {account}"),
        caches=caches,
    )


class _ClusterRegistry(pulumi.ComponentResource):
    """Outputs: server, its host name."""

    registry_id: pulumi.Output[str]
    server: pulumi.Output[str]
    caches: Mapping[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        plan: RegistryPlan,
        *,
        group: pulumi.Input[str],
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("gpucluster:azure:Registry", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        resources = containerregistry.Registry(
            f"{name}-images",
            registry_name=plan.name,
            resource_group_name=group,
            sku=containerregistry.SkuArgs(name=_TIER),
            # Microsoft Entra only: the registry's own user is a shared password.
            admin_user_enabled=False,
            opts=here,
        )
        self.registry_id, self.server = resources.id, or_empty(resources.login_server)
        for short, upstream in UPSTREAMS.items():
            containerregistry.CacheRule(
                f"{name}-cache-{short}",
                registry_name=resources.name,
                resource_group_name=group,
                cache_rule_name=short,
                source_repository=f"{upstream}/*",
                target_repository=f"{short}/*",
                opts=here,
            )
        self.caches = {
            upstream: pulumi.Output.concat(self.server, f"/{short}") for short, upstream in UPSTREAMS.items()
        }
        self.register_outputs({"server": self.server})

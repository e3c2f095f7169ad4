"""The training pool: a fixed number of GPU nodes in one scale set, which is their InfiniBand domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pulumi
from pulumi_azure_native import compute, containerservice, features

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.planning.training import TrainingPlan
from gpucluster.components.azure.pools.node_pool import GpuNodes
from gpucluster.components.azure.settings import FEATURE, FEATURE_NAMESPACE, Settings
from gpucluster.components.planning.labels import BLOCK_NODES
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.resources.node_replacement import RollGuard
from gpucluster.components.resources.run import Refused
from gpucluster.core.catalog.azure_regions import has_infiniband
from gpucluster.errors import InputError


class TrainingPool(pulumi.ComponentResource):
    """Outputs: node_pool_name, proximity_group_id (None without one). Software on the nodes depends on `ready`.

    Since 2022-04, AKS automatically gives pools of InfiniBand sizes a single placement group; no field requests it.
    """

    ready: list[pulumi.Resource]
    node_pool_name: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: TrainingPlan,
        *,
        location: Location,
        group: pulumi.Input[str],
        nodes: GpuNodes,
        after: Sequence[pulumi.Resource],
        pool: str = TRAINING_POOL,
        image: str | None = None,
        facts: Mapping[str, Any] | None = None,
        gpu_hour_usd: Decimal | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """group: the cluster's resource group. after: must exist before the first node starts. pool: its name in the
        cluster. image: id of the snapshot whose node image it has, None for the newest. facts: to register if the pool
        is outside a cluster of this toolkit.

        gpu_hour_usd: price of a GPU-hour, for the report of an update that ends jobs.
        """
        kind = "gpucluster:azure:TrainingPool"
        inputs: dict[str, Any] = {"machineType": plan.shape.machine_type, "zone": location.zone}
        if facts is not None:
            inputs |= nodes.inside
        guard = RollGuard(kind, name, inputs, plan, field="training.roll", gpu_hour_usd=gpu_hour_usd)
        super().__init__(kind, name, {**inputs, **(facts or {})}, guard.over(opts))
        here = pulumi.ResourceOptions(parent=self)
        # A cluster of this toolkit has checked this already, before its creation.
        feature = (
            []
            if facts is None
            else feature_registration(f"pool {name}", plan.shape.machine_type, location.settings, parent=self, after=[])
        )
        proximity = (
            compute.ProximityPlacementGroup(
                f"{name}-proximity",
                resource_group_name=group,
                proximity_placement_group_type="Standard",
                # Azure accepts a zone only together with the intended sizes.
                zones=location.zones,
                intent=compute.ProximityPlacementGroupPropertiesIntentArgs(vm_sizes=[plan.shape.machine_type]),
                opts=here,
            )
            if plan.placement.proximity_group
            else None
        )
        node_pool = nodes.declare(
            f"{name}-nodes",
            pool=pool,
            shape=plan.shape,
            root_gib=plan.root_gib,
            # Fixed: a gang starts only when all its nodes are ready.
            count=plan.started,
            enable_auto_scaling=False,
            proximity_placement_group_id=None if proximity is None else proximity.id,
            capacity_reservation_group_id=plan.placement.reservation,
            creation_data=None if image is None else containerservice.CreationDataArgs(source_resource_id=image),
            tags=None if plan.block_nodes is None else {BLOCK_NODES: str(plan.block_nodes)},
            # Pools of earlier releases have a CPU manager, which does nothing for pods without CPU limits, and which
            # AKS never changes.
            opts=guard.over(
                pulumi.ResourceOptions(parent=self, depends_on=[*after, *feature], ignore_changes=["kubeletConfig"])
            ),
        )
        self.ready = [node_pool]
        self.node_pool_name = node_pool.name.apply(lambda found: found or pool)
        self.register_outputs(
            {
                **(facts or {}),
                "nodePoolName": node_pool.name,
                "proximityGroupId": None if proximity is None else proximity.id,
            }
        )


def feature_registration(
    name: str, machine_type: str, settings: Settings, *, parent: pulumi.Resource, after: Sequence[pulumi.Resource]
) -> list[pulumi.Output[Any]]:
    """To depend on: if machines have InfiniBand, ends the program unless the feature is registered.

    This program never registers it: Azure also returns features without a registration, so azure-native treats them as
    existing (pulumi/pulumi-azure-native issue 1722).

    name: of the cluster or pool. after: the check waits for their creation, so that a first preview needs no login.
    """
    if settings.infiniband_feature == "waived" or not has_infiniband(machine_type):
        return []
    found = features.get_subscription_feature_registration_output(
        provider_namespace=FEATURE_NAMESPACE,
        feature_name=FEATURE,
        opts=pulumi.InvokeOutputOptions(parent=parent, depends_on=list(after)),
    )
    return [found.properties.apply(lambda properties: _check(name, properties.state))]


def _check(name: str, state: str | None) -> None:
    """Azure returns Registered once its whole API knows it: no further wait is needed.

    Source: hashicorp/terraform-provider-azurerm pull request 12385, the answer of Azure's team.
    """
    if state != "Registered":
        raise Refused(InputError(name, [_problem(state or "in an unknown state")]))


def _problem(state: str) -> str:
    return (
        f"the feature {FEATURE} is {state} in the subscription: without it the nodes may be on several InfiniBand "
        f"networks; run az feature register --namespace {FEATURE_NAMESPACE} --name {FEATURE}, wait until az feature "
        "show says Registered, and run this again; if Microsoft confirms that the subscription does not need it, "
        "write gpucluster:infinibandFeature: waived"
    )

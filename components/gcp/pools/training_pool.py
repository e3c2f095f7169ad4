"""The training pool: a fixed number of GPU nodes in one co-location domain with the fabric on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import pulumi
from pulumi_gcp import container

from gpucluster.components.gcp import compute
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.planning.training import TrainingPlan
from gpucluster.components.gcp.pools.node_pool import (
    FROZEN,
    flex_start,
    gpu_config,
    in_place_upgrades,
    node_config,
    pool_autoscaling,
)
from gpucluster.components.planning.labels import CALENDAR_NODES
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.components.resources.node_replacement import RollGuard

_MAINTENANCE: Final = "hostMaintenance"


class TrainingPool(pulumi.ComponentResource):
    """Outputs: node_pool_name, placement_policy_name (None without a compact placement)."""

    ready: list[pulumi.Resource]
    node_pool_name: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        plan: TrainingPlan,
        *,
        location: Location,
        cluster_name: pulumi.Input[str],
        node_account: pulumi.Input[str],
        gpu_subnets: Sequence[tuple[pulumi.Input[str], pulumi.Input[str]]],
        after: Sequence[pulumi.Resource],
        pool: str = TRAINING_POOL,
        facts: Mapping[str, Any] | None = None,
        version: str | None = None,
        gpu_hour_usd: Decimal | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """node_account: email of the nodes' service account. gpu_subnets: network and subnet, by name, of each
        additional interface; they can't be changed after the pool's creation. after: must exist before the first node
        starts. pool: its name in the cluster and in the nodes' label. facts: to register if the pool is outside a
        cluster of this toolkit.

        gpu_hour_usd: price of a GPU-hour, for the report of an update that ends jobs. version: of the nodes; None keeps
        it.
        """
        kind = "gpucluster:gcp:TrainingPool"
        inputs = _inputs(plan, location)
        if facts is not None:
            subnets = [[network, subnet] for network, subnet in gpu_subnets]
            inputs |= {"clusterName": cluster_name, "nodeAccount": node_account, "gpuSubnets": subnets}
        field = "training.roll"
        guard = RollGuard(kind, name, inputs, plan, field=field, optional=[_MAINTENANCE], gpu_hour_usd=gpu_hour_usd)
        super().__init__(kind, name, {**inputs, **(facts or {})}, guard.over(opts))
        policy_name = self._policy(f"{name}-placement", plan, location, after)
        nodes = container.NodePool(
            f"{name}-nodes",
            name=pool,
            cluster=cluster_name,
            location=location.region,
            # One zone: the fabric can't span two, and node_count is per zone.
            node_locations=[location.zone],
            version=version,
            max_pods_per_node=plan.max_pods,
            **_size(plan),
            management=container.NodePoolManagementArgs(
                # Flex-start nodes can't be repaired: there may be none to replace them.
                auto_repair=plan.flex_start_hours is None,
                auto_upgrade=True,
            ),
            upgrade_settings=in_place_upgrades(flex_start=plan.flex_start_hours is not None),
            best_effort_provisioning=_without_spares(plan),
            queued_provisioning=container.NodePoolQueuedProvisioningArgs(enabled=True) if plan.queued else None,
            placement_policy=_compact(policy_name),
            network_config=_in_networks(gpu_subnets),
            node_config=_config(plan, pool, node_account),
            # The old pool holds this name, and its part of a reservation, until it is deleted.
            opts=guard.over(
                pulumi.ResourceOptions(
                    parent=self,
                    depends_on=list(after),
                    delete_before_replace=True,
                    # Set at creation; the provider would replace the pool to change it.
                    ignore_changes=["bestEffortProvisioning", *([] if plan.roll else FROZEN)],
                )
            ),
        )
        self.ready = [nodes]
        self.node_pool_name = nodes.name
        self.register_outputs(
            {**(facts or {}), "nodePoolName": self.node_pool_name, "placementPolicyName": policy_name}
        )

    def _policy(
        self, name: str, plan: TrainingPlan, location: Location, after: Sequence[pulumi.Resource]
    ) -> pulumi.Input[str] | None:
        """The name of the compact placement policy: an existing one, else the pool's own."""
        if plan.placement.policy is not None or not plan.placement.compact:
            return plan.placement.policy
        policy = compute.ResourcePolicy(
            name,
            region=location.region,
            # No distance: on A3 Google refuses one that it has not granted to the project.
            # Source: GoogleCloudPlatform/cluster-toolkit v1.95.0, modules/compute/resource-policy.
            group_placement_policy=compute.ResourcePolicyGroupPlacementPolicyArgs(collocation="COLLOCATED"),
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        return policy.name


def _inputs(plan: TrainingPlan, location: Location) -> dict[str, Any]:
    """Inputs whose change forces new nodes."""
    return {
        "machineType": plan.shape.machine_type,
        "zone": location.zone,
        "reservation": plan.placement.reservation,
        "placementPolicy": plan.placement.policy or plan.placement.compact,
        "flexStart": plan.flex_start_hours is not None,
        # Only if true: a new input would be a change to every existing pool.
        **({"queued": True} if plan.queued else {}),
        **({_MAINTENANCE: "periodic"} if plan.placement.periodic else {}),
    }


def _config(plan: TrainingPlan, pool: str, account: pulumi.Input[str]) -> container.NodePoolNodeConfigArgs:
    return node_config(
        plan.shape.machine_type,
        pool=pool,
        disk_type=plan.shape.boot_disk,
        root_gib=plan.root_gib,
        account=account,
        resource_labels=_calendar(plan),
        more={**gpu_config(plan.shape, driver=plan.driver), **_bought(plan)},
    )


def _compact(policy: pulumi.Input[str] | None) -> container.NodePoolPlacementPolicyArgs | None:
    return None if policy is None else container.NodePoolPlacementPolicyArgs(type="COMPACT", policy_name=policy)


def _in_networks(
    subnets: Sequence[tuple[pulumi.Input[str], pulumi.Input[str]]],
) -> container.NodePoolNetworkConfigArgs:
    return container.NodePoolNetworkConfigArgs(
        enable_private_nodes=True,
        additional_node_network_configs=[
            container.NodePoolNetworkConfigAdditionalNodeNetworkConfigArgs(network=network, subnetwork=subnet)
            for network, subnet in subnets
        ]
        or None,
    )


def _size(plan: TrainingPlan) -> dict[str, Any]:
    """A fixed number of nodes; flex-start nodes are added as capacity allows."""
    return (
        {"node_count": plan.started} if plan.flex_start_hours is None else {"autoscaling": pool_autoscaling(plan.size)}
    )


def _without_spares(plan: TrainingPlan) -> container.NodePoolBestEffortProvisioningArgs | None:
    """The pool is ready with the nodes that jobs use; GKE keeps looking for a spare that is not available."""
    if not plan.spares or not plan.active or plan.flex_start_hours is not None:
        return None
    return container.NodePoolBestEffortProvisioningArgs(enabled=True, min_provision_nodes=plan.nodes)


def _calendar(plan: TrainingPlan) -> dict[str, str]:
    """The number of paid nodes, billed even while the pool waits for them and has none."""
    return {CALENDAR_NODES: str(plan.size)} if plan.calendar else {}


def _bought(plan: TrainingPlan) -> dict[str, Any]:
    if plan.flex_start_hours is not None:
        return flex_start(plan.flex_start_hours)
    if plan.placement.reservation is None:
        return {}
    affinity = container.NodePoolNodeConfigReservationAffinityArgs(
        consume_reservation_type="SPECIFIC_RESERVATION",
        key="compute.googleapis.com/reservation-name",
        values=[plan.placement.reservation],
    )
    # GKE refuses a pool whose interval is not that of its reservation (AI-Hypercomputer/xpk 367c838,
    # src/xpk/core/nodepool.py).
    periodic = container.NodePoolNodeConfigHostMaintenancePolicyArgs(maintenance_interval="PERIODIC")
    return {
        "reservation_affinity": affinity,
        **({"host_maintenance_policy": periodic} if plan.placement.periodic else {}),
    }

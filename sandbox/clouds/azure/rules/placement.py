"""Sources of a pool's machines: placement groups, capacity reservations, spot.

Sources: MicrosoftDocs/azure-aks-docs reduce-latency-ppg.md, use-capacity-reservation-groups.md, spot-node-pool.md;
MicrosoftDocs/azure-compute-docs co-location.md, capacity-reservation-overview.md; hashicorp/terraform-provider-azurerm
#19355 (spot and surge).
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.machines import Pool
from gpucluster.sandbox.clouds.azure.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.azure.rules.pool import pool_rule

_GROUP: Final = "azure-native:compute:ProximityPlacementGroup"
_RESERVATION: Final = "azure-native:compute:CapacityReservation"
_RESERVATIONS: Final = "azure-native:compute:CapacityReservationGroup"


@pool_rule
def placement_group_is_in_one_place(pool: Pool) -> None:
    """A proximity placement group is one data centre: one zone, and no reserved machines."""
    if not pool.given.get("proximityPlacementGroupID"):
        return
    if len(pool.zones) > 1:
        message = f"agent pool '{pool.name}': a proximity placement group takes one availability zone, not {pool.zones}"
        raise refused("InvalidParameter", message)
    if pool.given.get("capacityReservationGroupID"):
        message = (
            f"agent pool '{pool.name}': capacity reservations cannot be used together with a proximity placement group"
        )
        raise refused("InvalidParameter", message)


@pool_rule
def reserved_machines_need_an_identity(pool: Pool) -> None:
    """AKS reaches a reservation group as the cluster's user-assigned identity, and spot machines are never reserved."""
    if not pool.given.get("capacityReservationGroupID"):
        return
    if pool.is_spot:
        message = f"agent pool '{pool.name}': capacity reservations cannot be used with Spot"
        raise refused("InvalidParameter", message)
    if mapping(pool.cluster.get("identity")).get("type") != "UserAssigned":
        message = (
            f"agent pool '{pool.name}': a capacity reservation group needs a cluster with a user-assigned identity"
        )
        raise refused("InvalidParameter", message)


@pool_rule
def spot_is_for_work_that_can_end(pool: Pool) -> None:
    """Spot machines run no system pool and have no surge."""
    if not pool.is_spot:
        return
    if pool.is_system:
        raise refused("InvalidParameter", f"agent pool '{pool.name}': a system pool cannot be Spot")
    if mapping(pool.given.get("upgradeSettings")).get("maxSurge") is not None:
        raise refused("InvalidParameter", f"agent pool '{pool.name}': Spot pools can't set max surge")


@rule(_GROUP)
def zone_of_a_placement_group_goes_with_its_sizes(managed: ManagedResource) -> None:
    """At most one zone, which requires a list of sizes."""
    zones = items(managed.inputs.get("zones"))
    sizes = items(mapping(managed.inputs.get("intent")).get("vmSizes"))
    if len(zones) > 1 or (zones and not sizes):
        message = (
            f"Proximity placement group '{managed.name}': zones takes one zone, and only together with intent.vmSizes"
        )
        raise refused("InvalidParameter", message)


@rule(_RESERVATION)
def reservation_is_in_a_zone_of_its_group(managed: ManagedResource) -> None:
    """A reservation is for one zone, one of the group's."""
    zones = [str(zone) for zone in items(managed.inputs.get("zones"))]
    group = managed.at(_RESERVATIONS, managed.parent)
    around = [str(zone) for zone in items(group.inputs.get("zones"))] if group is not None else []
    if len(zones) > 1 or (around and set(zones) - set(around)) or (around and not zones):
        message = (
            f"Capacity reservation '{managed.name}': zones {zones} must be one of the zones of its group, {around}"
        )
        raise refused("InvalidParameter", message)

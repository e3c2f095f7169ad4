"""What a stack itself uses of quotas and reservations: its machines and file systems, if it is up, and those reserved
for it, which count before they run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.containerservice.models import ManagedClusterProperties

from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.settings import SYSTEM_MACHINES
from gpucluster.components.planning.names import TRAINING_POOL
from gpucluster.core.catalog.machines import cpu_machines, machines
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.preflight.azure.ids import id_of, same_region, text_of

TOTAL: Final = "cores"
SPOT: Final = "lowPriorityCores"


def use_by_stack(clients: Clients, plan: AzureClusterPlan, region: str) -> Mapping[str, Counter[str]]:
    """Stack -> quota, in lower case -> vCPUs of the node pools of its cluster, and of a reservation for training nodes
    of this stack. Machines that Karpenter starts are in no pool, and count for no stack.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    training = 0
    for stack, one in _clusters(clients, plan, region):
        for pool in one.agent_pool_profiles or []:
            family, vcpus = _quota(pool.vm_size or "")
            count = vcpus * int(pool.count or 0)
            names = (SPOT,) if text_of(pool.scale_set_priority) == "Spot" else (family.lower(), TOTAL)
            found[stack].update(dict.fromkeys(names, count))
            training += count if (pool.name, stack) == (TRAINING_POOL, plan.stack) else 0
    if (waiting := _reserved(clients, plan) - training) > 0:
        found[plan.stack].update(dict.fromkeys((plan.training.shape.quota.lower(), TOTAL), waiting))
    return found


def _clusters(clients: Clients, plan: AzureClusterPlan, region: str) -> Iterator[tuple[str, ManagedClusterProperties]]:
    """Each with its stack; that of the plan only after `up`. Another project may have a stack of the same name."""
    for one in clients.kubernetes.managed_clusters.list():
        stack = (one.tags or {}).get("pulumi-stack", "")
        if one.name == plan.cluster_name:
            stack = plan.stack
        elif stack == plan.stack:
            continue
        if stack and same_region(one.location, region) and one.properties is not None:
            yield stack, one.properties


def own_machines(clients: Clients, plan: AzureClusterPlan, ids: Iterable[str]) -> int:
    """Those of the stack's cluster. ids: of machines, which are in the group that AKS creates for its nodes."""
    clusters = _clusters(clients, plan, plan.location.region)
    groups = {(one.node_resource_group or "").lower() for stack, one in clusters if stack == plan.stack}
    return sum(id_of(one).group.lower() in groups for one in ids)


def own_file_systems(clients: Clients, plan: AzureClusterPlan, region: str) -> int:
    """Those with the tags of the stack."""
    found = [one for one in clients.lustre.aml_filesystems.list() if same_region(one.location, region)]
    return sum((one.tags or {}).get("pulumi-stack") == plan.stack for one in found)


def _reserved(clients: Clients, plan: AzureClusterPlan) -> int:
    """vCPUs of the training pool that a reservation of this subscription holds: its quota is used when it is made, and
    machines in it need none besides. A block needs none.

    Source: Azure documentation, "Create a capacity reservation" (considerations).
    """
    training, group = plan.training, plan.training.placement.reservation
    if group is None or training.block_nodes is not None:
        return 0
    place = id_of(group)
    if place.subscription.lower() != clients.subscription.lower():
        return 0
    api = clients.compute.capacity_reservations
    try:
        members = [*api.list_by_capacity_reservation_group(place.group, place.name)]
    except ResourceNotFoundError:
        return 0
    machine = training.shape.machine_type.lower()
    held = sum(int(one.sku.capacity or 0) for one in members if (one.sku.name or "").lower() == machine)
    return min(held, training.size) * training.shape.vcpus


def _quota(machine: str) -> tuple[str, int]:
    """The family of a machine that this toolkit makes, and its vCPUs."""
    if machine in SYSTEM_MACHINES:
        return SYSTEM_MACHINES[machine], cpu_machines()[machine].vcpus
    known = machines().get(machine)
    return ("", 0) if known is None else (known.quota, known.vcpus)

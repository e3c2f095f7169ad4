"""What a stack that is up uses of the quotas itself: asked again, its own machines are not in its way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from gpucluster.components.azure.settings import SYSTEM_MACHINES
from gpucluster.core.catalog.machines import cpu_machines, machines
from gpucluster.operate.preflight.azure.clients import Clients
from gpucluster.operate.preflight.azure.ids import same_region, text_of

TOTAL: Final = "cores"
SPOT: Final = "lowPriorityCores"


def own_use(clients: Clients, cluster: str, region: str) -> Mapping[str, int]:
    """Quota, in lower case -> vCPUs of the node pools of the stack's cluster; empty if there is no such cluster.
    Machines that Karpenter starts are in no pool, and count as those of others.
    """
    found: Counter[str] = Counter()
    for one in clients.kubernetes.managed_clusters.list():
        if one.name != cluster or not same_region(one.location, region) or one.properties is None:
            continue
        for pool in one.properties.agent_pool_profiles or []:
            family, vcpus = _quota(pool.vm_size or "")
            count = vcpus * int(pool.count or 0)
            names = (SPOT,) if text_of(pool.scale_set_priority) == "Spot" else (family.lower(), TOTAL)
            found.update(dict.fromkeys(names, count))
    return found


def _quota(machine: str) -> tuple[str, int]:
    """The family of a machine that this toolkit makes, and its vCPUs."""
    if machine in SYSTEM_MACHINES:
        return SYSTEM_MACHINES[machine], cpu_machines()[machine].vcpus
    known = machines().get(machine)
    return ("", 0) if known is None else (known.quota, known.vcpus)

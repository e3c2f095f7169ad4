"""Machine types, GKE versions and node pools, and the machines that pools, instances and reservations request.

Google documents each as the first with some feature: load balancers of mixed protocols (1.36.2-gke.1498000), the Slurm
operator (1.35.2-gke.1842000), managed DRANET (1.34.1-gke.1829001), Lustre without its legacy port (1.33.2-gke.4655000),
GPUDirect RDMA on A4 and flex-start (1.32.2-gke.1652000). GKE documentation, the pages of these features. The sandbox
does not check which versions are available today.

The machine types with accelerators: `machines.csv`, one source per row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.events.quotas import ON_DEMAND, RESERVED, SPOT, WAITING, Demand
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, is_zone, region_of
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

VERSIONS: Final = (
    "1.36.2-gke.1498000",
    "1.35.2-gke.1842000",
    "1.34.1-gke.1829001",
    "1.33.2-gke.4655000",
    "1.32.2-gke.1652000",
)


def resolved(requested: str, before: str) -> str:
    """The version of a control plane that requests `requested`; a matching existing version stays."""
    if not requested or requested in ("-", "latest"):
        return before or VERSIONS[0]
    if "-gke." in requested:
        return requested
    lines = requested.rstrip(".") + "."
    fitting = [version for version in (before, *VERSIONS) if f"{version}.".replace("-", ".").startswith(lines)]
    return fitting[0] if fitting else f"{'.'.join([*requested.rstrip('.').split('.'), '0', '0'][:3])}-gke.1"


_FAMILIES: Final = r"a[234]-"
# Compute Engine documentation, "Machine families resource and comparison guide", section "Machine type naming": series,
# class, number of vCPUs, and words; of TPU machines (ct...) the number of chips with a t.
_WITHOUT_A_NUMBER: Final = r"(?!ct)[a-z]\d+[a-z]*-(?:standard|highmem|highcpu)(?!-\d+(?:-[a-z]+)*$)"


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One machine type; None for values missing in the table."""

    machine_type: str
    accelerator: str
    gpus: int
    local_ssds: int | None
    gpu_networks: int
    mtu: int | None
    fabric: str

    @property
    def is_rdma(self) -> bool:
        """Whether its fabric is RoCE."""
        return self.fabric == "GPUDirect-RDMA"


@cache
def _table() -> Mapping[str, Machine]:
    return {
        row["machine_type"]: Machine(
            machine_type=row["machine_type"],
            accelerator=row["accelerator"],
            gpus=int(row["gpus"]),
            local_ssds=int(row["local_ssds"]) if row["local_ssds"] else None,
            gpu_networks=int(row["gpu_networks"]),
            mtu=int(row["mtu"]) if row["mtu"] else None,
            fabric=row["fabric"],
        )
        for row in read_rows("sandbox/clouds/gcp/machines.csv")
    }


def machine(machine_type: Any) -> Machine | None:
    """The row of a machine type, None for one without accelerators or an unknown one."""
    return _table().get(machine_type) if isinstance(machine_type, str) else None


def is_unknown_type(machine_type: str) -> bool:
    """Whether no machine can have this name.

    For a family with all machines in the table, it is none of them, with or without local SSDs. For any other, it has
    no number of vCPUs.
    """
    if re.match(_FAMILIES, machine_type):
        return machine(machine_type.removesuffix("-nolssd")) is None
    return re.match(_WITHOUT_A_NUMBER, machine_type) is not None


CLUSTER: Final = "gcp:container/cluster:Cluster"
NODE_POOL: Final = "gcp:container/nodePool:NodePool"


class Pool:
    """The inputs of a node pool by the names of the API."""

    def __init__(self, managed: ManagedResource) -> None:
        self.managed = managed
        self.config = mapping(managed.inputs.get("nodeConfig"))
        self.placement = mapping(managed.inputs.get("placementPolicy"))
        self.affinity = mapping(self.config.get("reservationAffinity"))
        self.accelerators = [mapping(item) for item in items(self.config.get("guestAccelerators"))]

    @property
    def machine_type(self) -> str:
        """e2-medium by default (Kubernetes Engine API, NodeConfig.machineType)."""
        return str(self.config.get("machineType") or "e2-medium")

    @property
    def machine(self) -> Machine | None:
        """Its machine type, None for one without accelerators."""
        return machine(self.machine_type)

    @property
    def cluster(self) -> Entry | None:
        """Its cluster."""
        return self.managed.at(CLUSTER, self.managed.id.rsplit("/nodePools/", 1)[0])

    @property
    def zones(self) -> list[str]:
        """The zones of its nodes: its own, else the cluster's."""
        named = items(self.managed.inputs.get("nodeLocations"))
        if named or is_zone(self.managed.location):
            return [str(zone) for zone in named] or [self.managed.location]
        around = self.cluster
        return items(around.outputs.get("nodeLocations")) if around is not None else []

    @property
    def networks(self) -> list[Mapping[str, Any]]:
        """The networks it adds to the cluster's own, in order."""
        config = mapping(self.managed.inputs.get("networkConfig"))
        return [mapping(item) for item in items(config.get("additionalNodeNetworkConfigs"))]

    @property
    def network_profile(self) -> Any:
        """The accelerator network profile, for which GKE creates the networks itself."""
        return mapping(self.managed.inputs.get("networkConfig")).get("acceleratorNetworkProfile")

    @property
    def partition(self) -> str:
        """The MIG size, empty for whole GPUs."""
        return next((str(item["gpuPartitionSize"]) for item in self.accelerators if item.get("gpuPartitionSize")), "")

    @property
    def is_compact(self) -> bool:
        """Whether its nodes are placed close together."""
        return self.placement.get("type") == "COMPACT"

    @property
    def is_spot(self) -> bool:
        """Whether its machines can be preempted."""
        return self.config.get("spot") is True or self.config.get("preemptible") is True

    @property
    def is_flex_start(self) -> bool:
        """Whether the Dynamic Workload Scheduler provides its machines one by one."""
        return self.config.get("flexStart") is True

    @property
    def is_queued(self) -> bool:
        """Whether the Dynamic Workload Scheduler provides its machines all at once."""
        return mapping(self.managed.inputs.get("queuedProvisioning")).get("enabled") is True

    @property
    def reservation(self) -> str:
        """The first value of `reservationAffinity`, empty if it has none."""
        return next((str(value) for value in items(self.affinity.get("values"))), "")

    @property
    def takes_reservations(self) -> bool:
        """Whether it uses reserved machines."""
        return self.affinity.get("consumeReservationType") not in (None, "", "NO_RESERVATION")


_POOL: Final = "gcp:container/nodePool:NodePool"
_INSTANCE: Final = "gcp:compute/instance:Instance"
_RESERVATION: Final = "gcp:compute/reservation:Reservation"

TYPES: Final = frozenset({_POOL, _INSTANCE, _RESERVATION})


def demand(entry: Entry, ledger: Ledger) -> Iterator[Demand]:
    """The machines of one resource."""
    del ledger
    given = mapping(plain(entry.inputs))
    match entry.type:
        case str() if entry.type == _POOL:
            yield _pool(entry)
        case str() if entry.type == _INSTANCE:
            scheduling = mapping(given.get("scheduling"))
            market = SPOT if scheduling.get("provisioningModel") == "SPOT" else ON_DEMAND
            yield _in_zone(str(given.get("machineType") or ""), 1, str(entry.outputs.get("zone") or ""), market)
        case str() if entry.type == _RESERVATION:
            specific = mapping(given.get("specificReservation"))
            machine = str(mapping(specific.get("instanceProperties")).get("machineType") or "")
            yield _in_zone(machine, int(specific.get("count") or 0), str(given.get("zone") or ""), ON_DEMAND)
        case _:
            return


def _pool(entry: Entry) -> Demand:
    given = mapping(plain(entry.inputs))
    config, scaling = mapping(given.get("nodeConfig")), mapping(given.get("autoscaling"))
    location = str(entry.outputs.get("location") or given.get("location") or "")
    zones = tuple(str(zone) for zone in items(given.get("nodeLocations"))) or ((location,) if is_zone(location) else ())
    each = int(given.get("nodeCount") or given.get("initialNodeCount") or scaling.get("minNodeCount") or 0)
    count = int(scaling.get("totalMinNodeCount") or each * max(1, len(zones)))
    affinity = mapping(config.get("reservationAffinity")).get("consumeReservationType")
    if affinity not in (None, "", "NO_RESERVATION"):
        market = RESERVED
    elif config.get("flexStart") is True or mapping(given.get("queuedProvisioning")).get("enabled") is True:
        market = WAITING
    else:
        market = SPOT if config.get("spot") is True or config.get("preemptible") is True else ON_DEMAND
    region = region_of(zones[0] if zones else location)
    return Demand(machine=str(config.get("machineType") or ""), count=count, region=region, zones=zones, market=market)


def _in_zone(machine: str, count: int, zone: str, market: str) -> Demand:
    return Demand(machine=machine, count=count, region=region_of(zone), zones=(zone,), market=market)

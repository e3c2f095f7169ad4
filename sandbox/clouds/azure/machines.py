"""Machine sizes and their properties (`sizes.csv`), and the machines that pools and reservations request.

The catalog has the same data: this separate table judges what is built from the catalog.

Source: a cluster recorded in pulumi/pulumi-azure-native provider/pkg/provider/testdata/recorded/TestProviderUpgrade
(2025-11-21: 1.32 gave 1.32.9 on AKSUbuntu-2204gen2containerd-202511.07.0); NVIDIA/aicr for the image of Ubuntu 24.04.
The sandbox does not check which versions are available today.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import kubernetes_versions, minor
from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource, location_of, with_same_id
from gpucluster.sandbox.clouds.events.quotas import ON_DEMAND, RESERVED, SPOT, Demand
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

_RDMA: Final = r"(?i)standard_[a-z]+\d+[a-z]*r[a-z]*_.*"
_FAMILIES: Final = r"(?i)standard_n[cd]"
# MicrosoftDocs/azure-compute-docs vm-naming-conventions.md: family, vCPUs, letters, accelerator, version. The highest
# version of a size that is sold is 7 (2026-11).
_NO_VERSION: Final = r"(?i)standard_\w*_v\d\d+"
_MIG: Final = r"(?i)standard_(n[a-z]*\d+\w*_(a100|h100|h200)_v\d+|nd96asr_v4)"


def is_rdma(size: str) -> bool:
    """Whether machines of this size have InfiniBand: the `r` in their name.

    Source: MicrosoftDocs/azure-compute-docs setup-infiniband.md.
    """
    return re.fullmatch(_RDMA, size) is not None


def has_mig(size: str) -> bool:
    """Whether the GPUs of this size can be partitioned: A100, H100 and H200.

    Source: MicrosoftDocs/azure-aks-docs gpu-multi-instance.md.
    """
    return re.fullmatch(_MIG, size) is not None


@cache
def _table() -> dict[str, int | None]:
    return {row["size"]: int(row["temp_disk_gib"] or 0) or None for row in read_rows("sandbox/clouds/azure/sizes.csv")}


def is_unknown_type(size: str) -> bool:
    """Whether no size can have this name: for a family with all sizes in the table, a name not in it; for any other, a
    version of two digits.
    """
    if re.match(_FAMILIES, size):
        return size.lower() not in _table()
    return re.fullmatch(_NO_VERSION, size) is not None


def temp_disk(size: str) -> int | None:
    """The temporary disk of a size in GiB, None if the table does not contain it."""
    return _table().get(size.lower())


DEFAULT: Final = "1.32"
_PATCHES: Final = {"1.32": "1.32.9"}
_IMAGES: Final = {
    "Ubuntu2404": "AKSUbuntu-2404gen2containerd-202606.19.0",
    "Ubuntu": "AKSUbuntu-2204gen2containerd-202511.07.0",
}


def resolved(requested: str, before: str) -> str:
    """The patch version of a cluster or pool that requests `requested`; a matching existing version stays."""
    if requested.count(".") != 1:
        return requested
    return before if before.startswith(f"{requested}.") else _PATCHES.get(requested, f"{requested}.0")


def may_be(version: str) -> bool:
    """Whether AKS may have it: a Kubernetes version, at most one minor version, a preview, after the newest known. The
    table does not contain which old versions remain.
    """
    if not re.fullmatch(r"1\.\d{1,2}(\.\d{1,3})?", version):
        return False
    return minor(version)[1] <= max(minor(known)[1] for known in kubernetes_versions("azure")) + 1


def image_date(image: str) -> datetime.date:
    """The release of a node image, which ends with its year, month and day."""
    year, month, day = re.search(r"(\d{4})(\d{2})\.(\d{2})\.\d+$", image).groups()  # type: ignore[union-attr]
    return datetime.date(int(year), int(month), int(day))


def node_image(sku: Any, version: str) -> str:
    """The image of nodes with this operating system. version: of Kubernetes, which decides what `Ubuntu` means.

    Source: MicrosoftDocs/azure-aks-docs@fb060abe articles/aks/upgrade-os-version.md.
    """
    effective = "Ubuntu2404" if sku in (None, "Ubuntu") and minor(version) >= (1, 35) else str(sku)
    return _IMAGES.get(effective, _IMAGES["Ubuntu"])


CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
SNAPSHOT: Final = "azure-native:containerservice:Snapshot"


@dataclass(frozen=True)
class Pool:
    """A node pool as requested.

    cluster: the inputs of its cluster.
    """

    managed: ManagedResource
    given: Mapping[str, Any]
    cluster: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.given.get("name") or self.managed.name)

    @property
    def size(self) -> str:
        """The size of its machines."""
        return str(self.given.get("vmSize") or "")

    @property
    def has_fabric(self) -> bool:
        """Whether its machines have InfiniBand."""
        return is_rdma(self.size)

    @property
    def is_system(self) -> bool:
        """Whether it runs the system pods of the cluster."""
        return self.given.get("mode") == "System"

    @property
    def is_spot(self) -> bool:
        """Whether its machines can be preempted."""
        return self.given.get("scaleSetPriority") == "Spot"

    @property
    def scales(self) -> bool:
        """Whether the cluster autoscaler sets its size."""
        return self.given.get("enableAutoScaling") is True

    @property
    def zones(self) -> list[str]:
        """The zones it is spread over."""
        return [str(zone) for zone in items(self.given.get("availabilityZones"))]


def pools_of(managed: ManagedResource) -> Iterator[Pool]:
    """The pool of a resource, or the inline pools of a cluster."""
    if managed.token == CLUSTER:
        for given in own_profiles(managed, managed.inputs):
            yield Pool(managed, given, managed.inputs)
    else:
        around = managed.at(CLUSTER, managed.parent)
        yield Pool(managed, managed.inputs, around.inputs if around is not None else {})


def own_profiles(managed: ManagedResource, values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pools in a cluster's inputs or outputs, except those that are separate resources."""
    apart = {entry.name for entry in managed.under(AGENT_POOL, managed.id)}
    profiles = (mapping(profile) for profile in items(values.get("agentPoolProfiles")))
    return [profile for profile in profiles if profile.get("name") not in apart]


_RESERVATION: Final = "azure-native:compute:CapacityReservation"

TYPES: Final = frozenset({AGENT_POOL, CLUSTER, _RESERVATION})


def demand(entry: Entry, ledger: Ledger) -> Iterator[Demand]:
    """The machines of one resource."""
    given = mapping(plain(entry.inputs))
    match entry.type:
        case str() if entry.type == AGENT_POOL:
            parent = entry.id.rsplit("/", 2)[0]
            around = with_same_id(ledger, parent, {CLUSTER})
            yield _pool(given, str(around.inputs.get("location") or "") if around is not None else "")
        case str() if entry.type == CLUSTER:
            for profile in items(given.get("agentPoolProfiles")):
                yield _pool(mapping(profile), str(given.get("location") or ""))
        case str() if entry.type == _RESERVATION:
            sku = mapping(given.get("sku"))
            count, region = int(sku.get("capacity") or 0), location_of(given.get("location"))
            zones = _zones(given.get("zones"))
            yield Demand(machine=str(sku.get("name") or ""), count=count, region=region, zones=zones)
        case _:
            return


def _zones(given: Any) -> tuple[str, ...]:
    """The zones that share the machines; `none`, as a scenario names it, for those that Azure places anywhere."""
    return tuple(map(str, items(given))) or ("none",)


def _pool(given: Mapping[str, Any], location: str) -> Demand:
    spot = given.get("scaleSetPriority") == "Spot"
    return Demand(
        machine=str(given.get("vmSize") or ""),
        count=int(given.get("count") or 0),
        region=location_of(location),
        zones=_zones(given.get("availabilityZones")),
        market=RESERVED if given.get("capacityReservationGroupID") else SPOT if spot else ON_DEMAND,
    )

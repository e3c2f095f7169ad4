"""Availability in a region and zone: machine types, FSx for Lustre, managed Prometheus.

Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.catalog.aws_regions import aws_regions, local_zone_lustre, region_of_zone, sold_in
from gpucluster.catalog.machines import Machine
from gpucluster.catalog.zones import zones_of
from gpucluster.components.aws.location import Location, is_zone_id
from gpucluster.components.aws.lustre import LUSTRE_TIERS
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.storage import SharedStorage
from gpucluster.record import record

TRAINING = "the training pool"
"""Its name among the pools whose machines are looked up."""

_DESCRIBE = "aws ec2 describe-availability-zones --query 'AvailabilityZones[].[ZoneName,ZoneId]'"


@record(kw_only=True)
class LustrePlace:
    """sold: the deployment that FSx sells, as in the table of regions. beside_gpus: whether it is in the GPU nodes'
    zone, not in the first of the control plane's.
    """

    sold: str
    beside_gpus: bool


def lustre_place(location: Location) -> LustrePlace:
    """Zone of the shared file system: in a Local Zone only if FSx is known to sell one there."""
    local, region = location.local_zone, aws_regions()[location.region].lustre
    if local is not None and (sold := local_zone_lustre(local)):
        return LustrePlace(sold=sold, beside_gpus=True)
    return LustrePlace(sold=region or "persistent_2", beside_gpus=local is None)


def collects_metrics(region: str) -> bool:
    """Whether EKS has a managed collector of metrics there."""
    return aws_regions()[region].prometheus == "collector"


def place_problems(spec: ClusterSpec, machines: Mapping[str, Machine], location: Location) -> list[Problem]:
    """Why the cluster can't run there, in the terms of the stack's configuration. machines: by pool, in prose."""
    region = aws_regions()[location.region]
    problems = sale_problems(machines, location, held=spec.placement.kind in ("reservation", "blocks"))
    if region.prometheus == "no":
        why = "has no Amazon Managed Service for Prometheus, which stores metrics and evaluates alerts of the cluster"
        problems.append(Problem("region", f"is {region.name!r}, which {why}", "choose another region"))
    if location.local_zone is not None and spec.storage.home is not None:
        why = "a Local Zone, where EFS has no mount target"
        fix = "remove storage.home from the spec, or choose an Availability Zone"
        problems.append(Problem("zone", f"is {location.zone!r}, {why}", fix))
    return [*problems, *_storage_problems(spec.storage.shared, location)]


def sale_problems(machines: Mapping[str, Machine], location: Location, *, held: bool) -> list[Problem]:
    """Machines that are not sold there. held: the training pool has a reservation, which by itself proves that the zone
    has the machine.
    """
    found = {pool: _not_sold(shape, pool, location) for pool, shape in machines.items()}
    proven = {"zone"} if held else set[str]()
    return [one for pool, one in found.items() if one is not None and not (pool == TRAINING and one.field in proven)]


def _not_sold(shape: Machine, pool: str, location: Location) -> Problem | None:
    name, region = shape.machine_type, aws_regions()[location.region]
    zones = sold_in(name, region.name)
    if zones == ():
        others = ", ".join(dict.fromkeys(found for zone in zones_of(name) if (found := region_of_zone(zone))))
        why = f"is {region.name!r}, where {name} for {pool} is not available (list of {region.offerings})"
        return Problem("region", why, f"it is available in {others}")
    if zones is None or region.name in zones or location.local_zone or not is_zone_id(location.zone):
        return None
    if location.zone in zones:
        return None
    why = f"is {location.zone!r}, where {name} for {pool} is not available (list of {region.offerings})"
    return Problem("zone", why, f"in {region.name} it is available in {', '.join(zones)}")


def machine_notes(machines: Mapping[str, Machine], location: Location) -> list[str]:
    """Unknown availability of the machines in this location."""
    return [note for pool, shape in machines.items() if (note := _unknown(shape, pool, location))]


def _unknown(shape: Machine, pool: str, location: Location) -> str:
    name, zones = shape.machine_type, sold_in(shape.machine_type, location.region)
    if zones is None:
        return (
            f"whether {name} for {pool} is available in {location.region} is unknown: no list of its machines is known"
        )
    if location.region in zones:
        return f"the zones of {location.region} with {name} for {pool} are unknown: the list has the region only"
    if set(location.zone_ids) <= set(zones):
        return ""
    of = f"whether {name} for {pool} is available in {location.zone} is unknown"
    return f"{of}: in {location.region} it is available in {', '.join(zones)}"


def zone_notes(location: Location) -> list[str]:
    """Requirements of the location on the account, and ambiguities of a zone name."""
    if location.local_zone is not None:
        return [_local_zone_note(location)]
    refused = aws_regions()[location.region].without_eks
    named = [zone for zone in location.cluster_zones if not is_zone_id(zone)]
    if not refused or not named:
        return []
    return [
        f"EKS places no control plane in {' or '.join(refused)}, which {' or '.join(named)} may be in your account: "
        f"`{_DESCRIBE}` shows it; zones may be written as ids"
    ]


def _local_zone_note(location: Location) -> str:
    first, second = location.cluster_zones
    lustre = lustre_place(location)
    storage = "" if lustre.beside_gpus else f", and shared storage in {first}, so every read crosses zones"
    return (
        f"{location.zone} is a Local Zone, which the account must opt in to: control plane and system nodes are in "
        f"{first} and {second}{storage}; whether it has gp3 disks is unknown"
    )


def _storage_problems(shared: SharedStorage, location: Location) -> list[Problem]:
    """Requests for shared storage that FSx does not sell there."""
    if shared.kind != "lustre":
        return []
    place = lustre_place(location)
    field, where = ("zone", location.zone) if location.local_zone else ("region", location.region)
    problems: list[Problem] = []
    if shared.fabric and (place.sold != "persistent_2" or not place.beside_gpus):
        why = f"is {where!r}, where FSx for Lustre has no EFA, which storage.shared.fabric requests"
        problems.append(Problem(field, why, f"remove it from the spec, or choose another {field}"))
    tiers = LUSTRE_TIERS[place.sold]
    if shared.tier is not None and shared.tier not in tiers:
        words = ", ".join(map(str, tiers))
        why = f"is {where!r}, where FSx for Lustre has {words} MB/s per TiB and storage.shared.tier is {shared.tier}"
        problems.append(Problem(field, why, f"remove it from the spec, or choose another {field}"))
    return problems

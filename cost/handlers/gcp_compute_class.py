"""Machines that a GKE ComputeClass may start: node pools that it names, and machines by its rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.core.catalog.machines import Machine, gke_machine, machines, not_sold
from gpucluster.core.program.values import is_object
from gpucluster.cost.handlers.gcp_place import place_of, region_of
from gpucluster.cost.handlers.gcp_storage import Disk, google_disk_lines
from gpucluster.cost.handlers.gke_nodes import (
    CLUSTER,
    NODE_POOL,
    boot_disk,
    classes_of,
    location_of,
    most_of,
    nodes_of,
    pools_of,
    purchase_of,
)
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import (
    EXPECTED_GPUS,
    autoscaled,
    expected_gpus,
    machine_hours,
    machine_price,
)
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.model import UNBOUNDED, CostLine, Free, NotPriced, Unbounded
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read


@dataclass(frozen=True)
class Option:
    """One way to get a machine: what it is called in the class, its type, how it is paid for, where, its boot disk.

    pool: the node pool of the stack behind it, None for pools that GKE makes by itself.
    """

    rule: str
    machine: str
    purchase: str
    region: str
    disk: Disk
    disk_assumption: str
    pool: Pricing | None = None


def options_of(item: Pricing) -> Iterator[Option | str]:
    """Every option of `spec.priorities`, or why a rule cannot be read. Raises CannotPrice for rules not known yet."""
    for pool in pools_of(item, item.resource):
        found = item.of(pool)
        try:
            disk, assumption = boot_disk(found)
            queued = bool(found.get("queuedProvisioning", "enabled"))
            machine, region = found.text("nodeConfig", "machineType"), region_of(location_of(found))
            yield Option(pool.name, machine, purchase_of(found, queued=queued), region, disk, assumption, found)
        except CannotPrice as error:
            yield f"node pool {pool.name}: {error}"
    for number, rule in enumerate(item.items("spec", "priorities"), 1):
        if not is_object(rule):
            raise CannotPrice("its priorities are not known before the update")
        if rule.get("nodepools") is not None:
            continue
        name = f"rule {number}"
        machine = rule.get("machineType") or _machine_of(rule)
        if not isinstance(machine, str):
            yield f"{name} names neither a machine type nor GPUs that determine one"
            continue
        gib, kind = read(rule, "storage", "bootDiskSize"), read(rule, "storage", "bootDiskType")
        disk = Disk(str(kind or "pd-balanced"), as_number(gib or 100, f"storage.bootDiskSize of {name}"))
        assumption = "" if gib and kind else f"boot disk of {name} not fully declared: {disk.gib} GiB {disk.kind}"
        yield Option(name, machine, _purchase(rule), _region(item, rule), disk, assumption)


def _machine_of(rule: object) -> str | None:
    """The machine that the GPUs of a rule tell, None when they tell none."""
    gpus = read(rule, "gpu", "count")
    return None if gpus is None else gke_machine(str(read(rule, "gpu", "type")), as_number(gpus, "gpu.count"))


def _purchase(rule: object) -> str:
    if read(rule, "flexStart", "enabled"):
        return "flex_start"
    return "spot" if read(rule, "spot") else "on_demand"


def _region(item: Pricing, rule: object) -> str:
    """Where a rule's machines are: in the zones it names, else with the cluster."""
    zones = read(rule, "location", "zones")
    return region_of(str(zones[0])) if zones else region_of(place_of(cluster_of(item), "location"))


def cluster_of(item: Pricing) -> Pricing:
    """The one GKE cluster behind an object. Raises CannotPrice when there are none or several."""
    provider = item.resources.get(item.resource.provider)
    behind = provider.dependencies.get("kubeconfig", ()) if provider is not None else ()
    clusters = [found for urn in behind if (found := item.resources.get(urn)) is not None and found.type == CLUSTER]
    clusters = clusters or list(item.resources.of_type(CLUSTER))
    if len(clusters) != 1:
        raise CannotPrice("its cluster is not known: give its rules location.zones")
    return item.of(clusters[0])


@prices("kubernetes:cloud.google.com/v1:ComputeClass")
def compute_class(item: Pricing) -> Iterator[CostLine | NotPriced | Free]:
    """Machines of its most expensive rule: none, as expected, and as many as its pools and the cluster allow.

    The node pools of the stack that it names are counted here and not with themselves, so that nothing is there twice.
    """
    item = item.on("gcp")
    options: list[tuple[Option, Machine, Price]] = []
    notes: list[str] = []
    for option in options_of(item):
        if isinstance(option, str):
            yield item.not_priced(option, compute=True)
            continue
        if (reason := not_sold(option.machine, option.purchase)) is not None:
            notes.append(f"{option.rule} of {item.resource.name} can start nothing: {reason}")
            continue
        try:
            price = machine_price(item, option.machine, option.purchase, region=option.region)
            options.append((option, _machine(option.machine), price))
        except CannotPrice as error:
            yield item.not_priced(f"{option.rule}: {error}", compute=True)
    known = [entry for entry in options if entry[2].instead_of is None]
    if known:  # the dearest of them is the least that the class may cost; what a rule without a price adds is unknown
        for option, _, price in options:
            if price.instead_of is not None:
                reason = CannotPrice(f"{option.rule}: {price.instead_of.reason}", price.instead_of.row)
                yield item.not_priced(reason, compute=True)
        options = known
    if not options:
        if not notes:
            return
        raise CannotPrice("; ".join(notes))
    option, machine, price = max(options, key=lambda entry: entry[2].usd / entry[1].gpus)
    if len(options) > 1:
        notes.insert(0, f"priced as {option.rule}, the most expensive of {len(options)} ways to start a machine")
    most = _most(item, [entry[0] for entry in options])
    count, why = autoscaled(item, option.machine, most if isinstance(most, str) else most / machine.gpus)
    yield machine_hours(item, option.machine, count, price, autoscaled=True, assumption="; ".join([why, *notes]))
    yield from google_disk_lines(
        item, option.disk, count, what="boot disks", region=option.region, assumption=option.disk_assumption
    )
    if isinstance(count.ceiling, str) and expected_gpus(item) is None:
        reason = f"average number of machines: the class has no limit; set its annotation {EXPECTED_GPUS}"
        yield item.not_priced(reason, compute=True)


def _machine(name: str) -> Machine:
    if name not in machines():
        raise CannotPrice(f"{name} is not in the table of machines, so GPUs cannot be converted to machines")
    return machines()[name]


def _most(item: Pricing, options: list[Option]) -> Decimal | Unbounded:
    """GPUs at the most: of the pools it names, or within the cluster's limits where GKE makes pools as well."""
    pools = [option for option in options if option.pool is not None]
    if len(pools) < len(options):
        return _limit(item, {machines()[option.machine].gke_gpu for option in options})
    total = Decimal(0)
    for option in pools:
        most = UNBOUNDED if option.pool is None else most_of(option.pool)
        if isinstance(most, str):
            return most
        total += most * machines()[option.machine].gpus
    return total


def _limit(item: Pricing, kinds: set[str]) -> Decimal | Unbounded:
    """GPUs that the cluster's limits leave to the class: they count every node pool, so those of others go off; of
    pools that another class scales as many as they may have, which are in that one's ceiling.

    Source: SDK documentation of `clusterAutoscaling.resourceLimits`.
    """
    cluster, path = cluster_of(item), ("clusterAutoscaling", "resourceLimits")
    limits: dict[str, Decimal] = {}
    for index in range(len(cluster.items(*path))):
        limits[cluster.text(*path, index, "resourceType")] = cluster.number(*path, index, "maximum")
    if not kinds <= set(limits):
        return UNBOUNDED
    named = pools_of(item, item.resource)
    others = [item.of(pool) for pool in item.resources.of_type(NODE_POOL) if pool not in named]
    taken = sum((_gpus(pool, kinds) for pool in others), Decimal(0))
    return max(sum((limits[kind] for kind in kinds), Decimal(0)) - taken, Decimal(0))


def _gpus(pool: Pricing, kinds: set[str]) -> Decimal:
    """GPUs of these kinds that a pool has at the least, or at the most where a class scales it."""
    try:
        machine = machines().get(pool.text("nodeConfig", "machineType", default=""))
        known = machine is not None and machine.gke_gpu in kinds
        if machine is None or not known:
            return Decimal(0)
        most = most_of(pool) if classes_of(pool) else UNBOUNDED
        nodes = nodes_of(pool, flex_start=False)[0].floor if isinstance(most, str) else most
        return nodes * machine.gpus
    except CannotPrice:  # it is named with its own resource
        return Decimal(0)

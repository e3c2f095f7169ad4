"""GKE ComputeClasses: machines that come and go, in the pools they name or in pools that GKE makes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.catalog.machines import Machine, machines
from gpucluster.catalog.sold import not_sold
from gpucluster.cost.handlers.autoscaled import EXPECTED_GPUS, autoscaled, expected_gpus
from gpucluster.cost.handlers.compute_class import NODE_POOL, classes_of, pools_of
from gpucluster.cost.handlers.compute_class_options import Option, cluster_of, options_of
from gpucluster.cost.handlers.gcp_disks import google_disk_lines
from gpucluster.cost.handlers.gke_node_count import most_of, nodes_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import machine_hours, machine_price
from gpucluster.cost.model import UNBOUNDED, CostLine, Free, NotPriced, Unbounded
from gpucluster.cost.prices import Price
from gpucluster.cost.pricing import CannotPrice, Pricing


@prices("kubernetes:cloud.google.com/v1:ComputeClass")
def compute_class(item: Pricing) -> Iterator[CostLine | NotPriced | Free]:
    """Machines of its most expensive rule: none, as expected, and as many as its pools and the cluster allow.

    The node pools of the stack that it names are counted here and not with themselves, so that nothing is there twice.
    """
    item = item.on("gcp")
    options: list[tuple[Option, Machine, Price]] = []
    said: list[str] = []
    for option in options_of(item):
        if isinstance(option, str):
            yield item.not_priced(option, compute=True)
            continue
        if (reason := not_sold(option.machine, option.purchase)) is not None:
            said.append(f"{option.rule} of {item.resource.name} can start nothing: {reason}")
            continue
        try:
            price = machine_price(item, option.machine, option.purchase, region=option.region)
            options.append((option, _machine(option.machine), price))
        except CannotPrice as error:
            yield item.not_priced(f"{option.rule}: {error}", compute=True)
    known = [entry for entry in options if entry[2].instead_of is None]
    if (
        known
    ):  # the dearest of them is the least that the class may cost; what a rule without a price adds, nobody knows
        for option, _, price in options:
            if price.instead_of is not None:
                reason = CannotPrice(f"{option.rule}: {price.instead_of.reason}", price.instead_of.row)
                yield item.not_priced(reason, compute=True)
        options = known
    if not options:
        if not said:
            return
        raise CannotPrice("; ".join(said))
    option, machine, price = max(options, key=lambda entry: entry[2].usd / entry[1].gpus)
    if len(options) > 1:
        said.insert(0, f"priced as {option.rule}, the most expensive of {len(options)} ways to start a machine")
    most = _most(item, [entry[0] for entry in options])
    count, why = autoscaled(item, option.machine, most if isinstance(most, str) else most / machine.gpus)
    yield machine_hours(item, option.machine, count, price, autoscaled=True, assumption="; ".join([why, *said]))
    yield from google_disk_lines(
        item, option.disk, count, what="boot disks", region=option.region, assumption=option.disk_said
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

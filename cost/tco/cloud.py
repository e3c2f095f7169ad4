"""Cloud prices to compare owning with: those of a stack's training machines, for every purchase option."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.purchasing import Options
from gpucluster.cost.tco.against import Against, against
from gpucluster.cost.tco.own import Own


def inputs_of(options: Options) -> dict[str, Decimal]:
    """The co-located nodes of a stack, including spares, so that as many are owned as are compared.

    Empty if it has none, or if their numbers of GPUs differ.
    """
    gangs = [found.pool for found in options.pools if found.pool.gang]
    gpus = {machines()[pool.machine].gpus for pool in gangs}
    nodes = sum((pool.count.expected for pool in gangs), Decimal(0))
    if len(gpus) != 1 or not nodes or nodes % 1:
        return {}
    return {"nodes": nodes, "gpus_per_node": Decimal(gpus.pop()), "spare_share": Decimal(0)}


def against_ways(own: Own, options: Options) -> Iterator[Against]:
    """Owning against each priced purchase option of the co-located machines, machines only, second opinions marked."""
    for found in options.pools:
        if not found.pool.gang:
            continue
        gpus = machines()[found.pool.machine].gpus
        for option in found.options:
            marked = "" if option.rate.rankable else " ~"
            name = f"{found.pool.machine} {option.way.words}{marked}"
            idle_too = option.way.discount or option.way.by_the_day
            yield against(own, name, option.rate.usd / gpus, idle_too=idle_too)

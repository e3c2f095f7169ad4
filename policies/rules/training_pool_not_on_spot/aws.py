"""Nodes that train together are not reclaimed one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import NODE_GROUP, AwsMachines
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import says, text, whole

FIX: Final = (
    "Use on-demand capacity, a reservation or a capacity block (capacityType ON_DEMAND or CAPACITY_BLOCK); use spot "
    "only for pools of independent jobs."
)
READS: Final = MACHINES

_CAPACITY: Final = "targetCapacitySpecification"
_ALL: Final = 100


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            on_spot = _on_spot(machines)
            if on_spot is UNKNOWN:
                yield CannotTell(machines.resource, "whether it uses spot capacity is not known yet")
            elif on_spot:
                yield machines.finding(f"{machines.label} on spot capacity")


def _on_spot(machines: AwsMachines) -> bool | Unknown:
    inputs = machines.resource.inputs
    if machines.resource.type == NODE_GROUP:
        return says(inputs, "capacityType", word="SPOT")
    holders = [inputs, *([machines.template.inputs] if isinstance(machines.template, Resource) else ())]
    # In an Auto Scaling group, the rest up to 100 per cent is spot capacity; without a number, none is.
    on_demand = whole(inputs, "mixedInstancesPolicy", "instancesDistribution", "onDemandPercentageAboveBaseCapacity")
    signs: list[bool | Unknown] = [
        *(says(of, "instanceMarketOptions", "marketType", word="spot") for of in holders),
        *(UNKNOWN if (price := text(of, "spotPrice")) is UNKNOWN else price is not None for of in holders),
        says(inputs, _CAPACITY, "defaultTargetCapacityType", word="spot"),
        UNKNOWN if (count := whole(inputs, _CAPACITY, "spotTargetCapacity")) is UNKNOWN else bool(count),
        UNKNOWN if on_demand is UNKNOWN else on_demand is not None and on_demand < _ALL,
    ]
    return True if True in signs else UNKNOWN if UNKNOWN in signs else False

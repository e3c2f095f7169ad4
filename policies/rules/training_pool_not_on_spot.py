"""Nodes that train together are not reclaimed one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final, TypeVar

from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import any_of, flag, says, text, whole
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.clouds.pools import Machines
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule

_Some = TypeVar("_Some", bound=Machines)

_CAPACITY: Final = "targetCapacitySpecification"
_ALL: Final = 100


def _aws(stack: Stack) -> Iterator[Finding]:
    return _found(aws.training_pools(stack.resources), _on_spot)


def _on_spot(machines: aws.AwsMachines) -> bool | Unknown:
    inputs = machines.resource.inputs
    if machines.resource.type == aws.NODE_GROUP:
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
    return any_of(signs)


def _gcp(stack: Stack) -> Iterator[Finding]:
    def on_spot(nodes: gcp.NodePool) -> bool | Unknown:
        return any_of(flag(nodes.declared.inputs, "nodeConfig", name) for name in ("spot", "preemptible"))

    return _found(gcp.training_pools(stack.resources), on_spot)


def _azure(stack: Stack) -> Iterator[Finding]:
    def on_spot(nodes: azure.AgentPool) -> bool | Unknown:
        return says(nodes.declared.inputs, "scaleSetPriority", word="Spot")

    return _found(azure.training_pools(stack.resources), on_spot)


def _found(pools: Iterable[tuple[_Some, ...]], on_spot: Callable[[_Some], bool | Unknown]) -> Iterator[Finding]:
    for machines in chain.from_iterable(pools):
        answer = on_spot(machines)
        if answer is UNKNOWN:
            yield CannotTell(machines.resource, "whether it uses spot capacity is not known yet")
        elif answer:
            yield machines.finding(f"{machines.label} on spot capacity")


RULE: Final = StackRule(
    name="training-pool-not-on-spot",
    title="Nodes of a training pool are not spot machines",
    why="The cloud reclaims a spot machine with a few minutes' notice at most, and a multi-node job stops with the "
    "first of them: all other nodes are billed while it restarts from its checkpoint.",
    spec="purchase",
    severity=Severity.MEDIUM,
    order=10,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=aws.READS,
            fix="Use on-demand capacity, a reservation or a capacity block (capacityType ON_DEMAND or "
            "CAPACITY_BLOCK); use spot only for pools of independent jobs.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=gcp.READS,
            fix="Use a reservation, flex-start (flex_start with max_run_duration) or on-demand capacity; use spot "
            "only for pools of independent jobs.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=azure.READS,
            fix="Keep scale_set_priority Regular, or use a capacity reservation; use Spot only for independent jobs.",
        ),
        template=True,
    ),
)

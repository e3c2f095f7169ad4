"""Nodes of racks, whose GPUs share one NVLink domain, are bought and used by the rack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.core.catalog.racks import Rack, racks_by_machine
from gpucluster.core.program.inventory import GpuMachines, inventory
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import at, items, text
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_EKS: Final = "aws:eks/nodeGroup:NodeGroup"
_AKS: Final = "azure-native:containerservice:AgentPool"
_TAINTS: Final = {_EKS: "taints", _AKS: "nodeTaints"}
"""Input with the taints of pools that get none by themselves; GKE taints its pools with GPUs (GKE docs, GPUs)."""


def check(stack: Stack) -> Iterator[Finding]:
    for place in inventory(stack.resources):
        sold = racks_by_machine().get(place.names[0].machine.lower())
        if sold and not place.unused:
            yield from _number(place, sold)
            yield from _image(place, sold[0])
            yield from _taints(place, sold[0])


def _number(place: GpuMachines, sold: Sequence[Rack]) -> Iterator[Finding]:
    """sold: the whole rack first."""
    rack, most, least = sold[0], place.numbers.most, sold[-1].nodes
    if most is UNKNOWN:
        yield CannotTell(place.resource, f"the number of its {rack.machine_type} is not known yet")
    elif isinstance(most, int) and most % least:
        whole = -(-most // least) * least
        half = f" (or {least}, half a rack)" if least < rack.nodes else ""
        yield Violation(
            place.resource,
            f"{most} nodes of {rack.machine_type}; a rack has {rack.nodes} nodes x {rack.gpus} GPUs{half}, one NVLink "
            "domain",
            fix=f"Use {f'{whole - least} or ' if whole > least else ''}{whole} nodes.",
        )


def _image(place: GpuMachines, rack: Rack) -> Iterator[Finding]:
    image = text(place.resource.inputs, "amiType") if place.resource.type == _EKS else None
    if isinstance(image, str) and "x86_64" in image:
        what = f"amiType {image} on {rack.machine_type}, whose CPUs are {rack.architecture}: no node starts"
        yield Violation(place.resource, what, fix="Use the amiType AL2023_ARM_64_NVIDIA.")


def _taints(place: GpuMachines, rack: Rack) -> Iterator[Finding]:
    """Without one, pods that need no GPU fill nodes of a rack, and a job that needs all of it waits."""
    at_input = _TAINTS.get(place.resource.type)
    if at_input is None:
        return
    found: Any = items(place.resource.inputs, at_input)
    if found is UNKNOWN:
        yield CannotTell(place.resource, "the taints of its nodes are not known yet")
    elif not any(_keeps_out(one) for one in found):
        what = f"nodes of {rack.machine_type} without a taint: pods without GPUs may take them from a job of the rack"
        yield Violation(place.resource, what, fix=f"Set a taint with the effect NoSchedule in {at_input}.")


def _keeps_out(taint: Any) -> bool:
    effect = taint.rpartition(":")[2] if isinstance(taint, str) else at(taint, "effect")
    return taint is UNKNOWN or effect is UNKNOWN or effect in ("NoSchedule", "NoExecute", "NO_SCHEDULE", "NO_EXECUTE")


RULE: Final = StackRule(
    name="racks-whole",
    title="Racks are used whole",
    why="A rack is one NVLink domain and is sold whole: nodes that are left out are paid for and idle, and a job on "
    "nodes of two racks exchanges data over the slower network.",
    fix="Use whole racks.",
    reads="every input that names a machine of a rack (NVL72), with its number; amiType, taints and nodeTaints of "
    "node pools",
    severity=Severity.HIGH,
    order=35,
    check=check,
)

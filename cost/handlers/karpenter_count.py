"""How many machines a Karpenter pool runs: at the least, as expected, at the most."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from cost.handlers.whole_machines import plain
from cost.machines import MACHINES
from cost.model import UNBOUNDED, Count, Unbounded
from cost.subject import CannotPrice, Subject, as_number

__all__ = ["EXPECTED_GPUS", "expected_gpus", "machines_of"]

EXPECTED_GPUS: Final = "gpucluster/expected-gpus"
"""Annotation of a NodePool: GPUs that run on average."""


def machines_of(ask: Subject, machine: str) -> tuple[Count, str]:
    """(machines of type `machine`, what was assumed)."""
    replicas = ask.get("spec", "replicas")
    if replicas is not None:
        count = as_number(replicas, "spec.replicas")
        return Count.fixed(count), ""
    ceiling = _ceiling(ask, machine)
    asked = expected_gpus(ask)
    if asked is not None:
        if machine not in MACHINES:
            raise CannotPrice(f"{machine} has no row in the table of machines, so GPUs cannot be turned into machines")
        expected = asked / MACHINES[machine].gpus
        said = f"expected GPUs of {ask.resource.name}: {plain(asked)} on average (annotation {EXPECTED_GPUS})"
    elif isinstance(ceiling, str):
        return Count(Decimal(0), Decimal(0), ceiling), f"{ask.resource.name} has no limit: its ceiling is unbounded"
    else:
        share = ask.assumptions.expected_share
        expected, said = ceiling * share, f"expected_share: {share} of the limit of {ask.resource.name} runs on average"
    if not isinstance(ceiling, str) and expected > ceiling:
        expected, said = ceiling, f"{said}, which is more than its limit: the limit counts"
    return Count(expected, Decimal(0), ceiling), said


def expected_gpus(ask: Subject) -> Decimal | None:
    """GPUs that run on average as the pool says it, None when it does not."""
    value = ask.get("metadata", "annotations", EXPECTED_GPUS)
    return None if value is None else as_number(value, f"annotation {EXPECTED_GPUS}")


def _ceiling(ask: Subject, machine: str) -> Decimal | Unbounded:
    """Machines that `spec.limits` allow, `unbounded` when nothing limits them."""
    known = MACHINES.get(machine)
    most: list[Decimal] = []
    for key, per_machine in (
        ("nvidia.com/gpu", known.gpus if known else None),
        ("cpu", known.vcpus if known else None),
        ("nodes", 1),
    ):
        limit = ask.get("spec", "limits", key)
        if limit is None:
            continue
        if per_machine is None:
            raise CannotPrice(f"{machine} has no row in the table of machines, so limit {key} says nothing about it")
        most.append(as_number(limit, f"spec.limits.{key}") / per_machine)
    return min(most) if most else UNBOUNDED

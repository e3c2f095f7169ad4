"""How many machines a Karpenter pool runs: at the least, as expected, at the most."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.autoscaled import autoscaled
from gpucluster.cost.model import UNBOUNDED, Count, Unbounded
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number


def machines_of(item: Pricing, machine: str) -> tuple[Count, str]:
    """(machines of type `machine`, what was assumed)."""
    replicas = item.get("spec", "replicas")
    if replicas is not None:
        count = as_number(replicas, "spec.replicas")
        return Count.fixed(count), ""
    return autoscaled(item, machine, _ceiling(item, machine))


def _ceiling(item: Pricing, machine: str) -> Decimal | Unbounded:
    """Machines that `spec.limits` allow, `unbounded` when nothing limits them."""
    known = machines().get(machine)
    most: list[Decimal] = []
    for key, per_machine in (
        ("nvidia.com/gpu", known.gpus if known else None),
        ("cpu", known.vcpus if known else None),
        ("nodes", 1),
    ):
        limit = item.get("spec", "limits", key)
        if limit is None:
            continue
        if per_machine is None:
            raise CannotPrice(f"{machine} is not in the table of machines, so limit {key} cannot be applied to it")
        most.append(as_number(limit, f"spec.limits.{key}") / per_machine)
    return min(most) if most else UNBOUNDED

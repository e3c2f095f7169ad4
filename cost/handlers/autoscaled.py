"""How many machines an autoscaled pool runs on average, within its limit; shared by Karpenter and ComputeClasses."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import Count, Unbounded
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number

EXPECTED_GPUS: Final = "gpucluster/expected-gpus"
"""Annotation of a pool: GPUs that run on average."""


def expected_gpus(item: Pricing) -> Decimal | None:
    """GPUs that run on average as the pool says it, None when it does not."""
    value = item.get("metadata", "annotations", EXPECTED_GPUS)
    return None if value is None else as_number(value, f"annotation {EXPECTED_GPUS}")


def autoscaled(item: Pricing, machine: str, ceiling: Decimal | Unbounded) -> tuple[Count, str]:
    """(machines: none, as expected, and `ceiling` at the most; what was assumed).

    Raises CannotPrice when GPUs are expected of a machine that is in no table.
    """
    asked, name = expected_gpus(item), item.resource.name
    if asked is not None:
        if machine not in machines():
            raise CannotPrice(f"{machine} is not in the table of machines, so GPUs cannot be converted to machines")
        expected = asked / machines()[machine].gpus
        said = f"expected GPUs of {name}: {plain(asked)} on average (annotation {EXPECTED_GPUS})"
    elif isinstance(ceiling, str):
        return Count(Decimal(0), Decimal(0), ceiling), f"{name} has no limit: its ceiling is unbounded"
    else:
        share = item.assumptions.expected_share
        expected, said = ceiling * share, f"expected_share: {share} of the limit of {name} runs on average"
    if not isinstance(ceiling, str) and expected > ceiling:
        expected, said = ceiling, f"{said}, which is more than its limit: the limit counts"
    return Count(expected, Decimal(0), ceiling), said

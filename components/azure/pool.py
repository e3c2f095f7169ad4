"""A training pool for an existing AKS cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.machines import machine_problems, training_machine
from gpucluster.components.azure.purchase import purchase_notes, purchase_problems, scale_set_problems
from gpucluster.components.azure.quotas import quota_note
from gpucluster.components.azure.training import TrainingPlan, plan_training
from gpucluster.components.plan_facts import PoolPlan, old_pool_facts
from gpucluster.components.problem import Problem
from gpucluster.components.spec.parts import PoolSpec
from gpucluster.components.spec.training import CapacityBlockPurchase
from gpucluster.components.training import training_losses

# Source: AKS documentation, "Naming rules" (Linux node pools).
_NAME: Final = r"^[a-z][a-z0-9]{0,11}$"


def config_problems(spec: PoolSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the pool can't use the machine, or why its scale set is too small."""
    problems = machine_problems(spec, machine)
    return problems if location is None else [*problems, *scale_set_problems(spec, location)]


def plan_problems(spec: PoolSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every other reason why Azure can't run the pool."""
    del stack, machine
    named = (
        []
        if re.fullmatch(_NAME, spec.name)
        else [
            Problem(
                "name",
                f"is {spec.name!r}",
                "AKS allows 1 to 12 lower-case letters and digits for a pool, starting with a letter",
            )
        ]
    )
    return [*named, *purchase_problems(spec)]


def plan_pool(spec: PoolSpec, location: Location, machine: str | None) -> PoolPlan[TrainingPlan]:
    """The plan of a pool without problems."""
    shape = training_machine(spec, machine)
    training = plan_training(spec, shape, location)
    bought = [] if isinstance(spec.purchase, CapacityBlockPurchase) else [(shape, training.size)]
    quotas = quota_note(bought, [], region=location.region)
    facts = old_pool_facts(
        spec,
        shape,
        losses=training_losses(spec, shape),
        notes=[*purchase_notes(spec, shape, location), quotas],
    )
    return PoolPlan(name=spec.name, labels=spec.labels, training=training, facts=facts)

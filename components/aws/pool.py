"""A training pool for an existing EKS cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.machines import machine_problems, training_machine
from gpucluster.components.aws.places import TRAINING, machine_notes, sale_problems
from gpucluster.components.aws.quotas import quota_note
from gpucluster.components.aws.training import (
    TrainingPlan,
    plan_training,
    reservation_place_problems,
    training_notes,
    training_problems,
)
from gpucluster.components.plan_facts import PoolPlan, old_pool_facts
from gpucluster.components.problem import Problem
from gpucluster.components.spec.parts import PoolSpec
from gpucluster.components.training import training_losses


def config_problems(spec: PoolSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the pool can't use the machine, or can't use it there."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    held = spec.placement.kind in ("reservation", "blocks")
    return [
        *sale_problems({TRAINING: training_machine(spec, machine)}, location, held=held),
        *reservation_place_problems(spec, location),
    ]


def plan_problems(spec: PoolSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every other reason why AWS can't run the pool."""
    del stack, machine
    return training_problems(spec)


def plan_pool(spec: PoolSpec, location: Location, machine: str | None) -> PoolPlan[TrainingPlan]:
    """The plan of a pool without problems."""
    shape = training_machine(spec, machine)
    training = plan_training(spec, shape)
    notes = [
        *machine_notes({"the training pool": shape}, location),
        *training_notes(training, location),
        quota_note(training),
    ]
    facts = old_pool_facts(spec, shape, losses=training_losses(spec, shape), notes=notes)
    return PoolPlan(name=spec.name, labels=spec.labels, training=training, facts=facts)

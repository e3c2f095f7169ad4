"""A training pool for an existing GKE cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import machine_problems, training_machine, zone_problems
from gpucluster.components.gcp.network_plan import network_modes
from gpucluster.components.gcp.plan import label_problems
from gpucluster.components.gcp.purchase import purchase_losses, purchase_notes, purchase_problems
from gpucluster.components.gcp.quotas import quota_note
from gpucluster.components.gcp.training import TrainingPlan, plan_training, training_losses
from gpucluster.components.plan_facts import PoolPlan, old_pool_facts
from gpucluster.components.problem import Problem
from gpucluster.components.spec.parts import PoolSpec
from gpucluster.errors import InputError


def config_problems(spec: PoolSpec, machine: str | None, location: Location | None) -> list[Problem]:
    """Why the pool can't use the machine, or can't use it in the zone."""
    problems = machine_problems(spec, machine)
    if problems or location is None:
        return problems
    return zone_problems(training_machine(spec, machine), location, "the training pool")


def plan_problems(spec: PoolSpec, stack: str, machine: str | None) -> list[Problem]:
    """Every other reason why Google Cloud can't run the pool."""
    del stack
    return [*purchase_problems(spec, training_machine(spec, machine)), *label_problems(spec.labels)]


def plan_pool(spec: PoolSpec, location: Location, machine: str | None, *, gpu_subnets: int) -> PoolPlan[TrainingPlan]:
    """The plan of a valid pool. gpu_subnets: their number. Raises InputError if the machine needs another."""
    shape = training_machine(spec, machine)
    needed = len(network_modes(shape))
    if gpu_subnets != needed:
        problem = f"gpu_subnets has {gpu_subnets}; {shape.machine_type} has {needed} GPU networks: give one for each"
        raise InputError(f"gpucluster.gcp.TrainingPool {spec.name}", [problem])
    training = plan_training(spec, shape)
    quotas = quota_note(spec, shape, None, None, region=location.region, root_gib=training.root_gib)
    facts = old_pool_facts(
        spec,
        shape,
        losses=[*training_losses(spec, shape), *purchase_losses(spec, shape)],
        notes=[*purchase_notes(spec, shape, location), quotas],
    )
    return PoolPlan(name=spec.name, labels=spec.labels, training=training, facts=facts)

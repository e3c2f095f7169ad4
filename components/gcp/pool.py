"""A training pool for an existing GKE cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.cluster.plan_facts import PoolPlan, pool_plan
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.machines import plan_training_machine, refuse_labels, refuse_zones
from gpucluster.components.gcp.planning.network_plan import network_modes
from gpucluster.components.gcp.planning.quotas import report_quotas
from gpucluster.components.gcp.planning.training import TrainingPlan, plan_training, report_purchase
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import PoolSpec
from gpucluster.errors import InputError


def plan_pool(spec: PoolSpec, planning: Planning[Location], *, gpu_subnets: int) -> PoolPlan[TrainingPlan]:
    """The plan of a pool. gpu_subnets: their number. Raises InputError if the machine needs another."""
    shape = plan_training_machine(spec.accelerator, spec.training, planning)
    if not planning.config_problems:
        refuse_zones({shape: "the training pool"}, planning)
    refuse_labels(spec.labels, planning)
    training = plan_training(spec, shape, planning, queue=False)
    report_purchase(training, spec.purchase, spec.placement, planning)
    report_quotas(planning, training)
    needed = len(network_modes(shape))
    if gpu_subnets != needed and not planning.problems and not planning.config_problems:
        problem = f"gpu_subnets has {gpu_subnets}; {shape.machine_type} has {needed} GPU networks: give one for each"
        raise InputError(f"gpucluster.gcp.TrainingPool {spec.name}", [problem])
    return pool_plan(spec, training, planning)

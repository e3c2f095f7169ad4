"""A training pool for an existing EKS cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.location import Location
from gpucluster.components.aws.machines import plan_machine
from gpucluster.components.aws.planning.network_plan import NetworkPlan
from gpucluster.components.aws.planning.quotas import report_quotas
from gpucluster.components.aws.planning.training import TrainingPlan, plan_training
from gpucluster.components.cluster.plan_facts import PoolPlan, pool_plan
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import PoolSpec


def plan_pool(spec: PoolSpec, planning: Planning[Location]) -> PoolPlan[TrainingPlan]:
    """The user's subnet is taken to be as large as that of a cluster."""
    shape = plan_machine(spec, planning)
    training = plan_training(spec, shape, planning, most_nodes=NetworkPlan().most_nodes)
    report_quotas(planning)
    return pool_plan(spec, training, planning)

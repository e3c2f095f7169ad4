"""A training pool for an existing AKS cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

import re
from typing import Final

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.machines import plan_training_machine
from gpucluster.components.azure.planning.quotas import report_quotas
from gpucluster.components.azure.planning.training import TrainingPlan, plan_training
from gpucluster.components.cluster.plan_facts import PoolPlan, pool_plan
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import PoolSpec

# Source: AKS documentation, "Naming rules" (Linux node pools).
_NAME: Final = r"^[a-z][a-z0-9]{0,11}$"


def plan_pool(spec: PoolSpec, planning: Planning[Location]) -> PoolPlan[TrainingPlan]:
    """The plan of a pool."""
    if not re.fullmatch(_NAME, spec.name):
        fix = "AKS allows 1 to 12 lower-case letters and digits for a pool, starting with a letter"
        planning.refuse("name", f"is {spec.name!r}", fix)
    shape = plan_training_machine(spec.accelerator, spec.training, planning)
    training = plan_training(spec, shape, planning)
    report_quotas(planning, training)
    return pool_plan(spec, training, planning)

"""Declares a planned cluster on its cloud."""

from __future__ import annotations

from pathlib import Path

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from gpucluster.components.cloud import ClusterPlan, cloud_of, missing_sdk
from gpucluster.components.plan import PlanError
from gpucluster.components.stack_config import StackConfig, stack_config
from gpucluster.components.what_if import SET_VARIABLE, wanted
from gpucluster.errors import InputError

__all__ = ["declare", "running_stack"]


def running_stack() -> StackConfig:
    """The configuration of the stack this program runs for, with every problem in it.

    Raises InputError where an update runs with values that are meant for a preview.
    """
    if wanted() and not pulumi.runtime.is_dry_run():
        raise InputError(SET_VARIABLE, ["is for previews; unset it, and write into the spec what is to be built"])
    return stack_config(
        {**get_config_env(), **CONFIG.get()},
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        program=Path.cwd(),
        root=Path(pulumi.get_root_directory()),
    )


def declare(plan: ClusterPlan) -> pulumi.ComponentResource:
    """The cluster of a plan.

    Raises InputError with everything that its Kubernetes objects may not hold, or where the cloud's SDK is missing.
    """
    if missing := missing_sdk(plan.training.shape.cloud):
        raise InputError(f"cluster {plan.name}", [missing])
    cloud = cloud_of(plan.training.shape.cloud)
    for loss in plan.facts.losses:
        pulumi.log.warn(f"{plan.name}: not to be had on {cloud.title}: {loss}")
    for note in plan.facts.notes:
        pulumi.log.info(f"{plan.name}: {note}")
    pulumi.log.info(f"{plan.name}: API reachable {plan.access.summary}")
    try:
        return cloud.declare(plan)
    except PlanError as error:
        raise InputError(f"cluster {plan.name}", [str(problem) for problem in error.problems]) from None

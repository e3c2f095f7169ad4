"""Declares a planned cluster on its cloud."""

from __future__ import annotations

from pathlib import Path

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from components.aws.plan import AwsClusterPlan
from components.input_error import InputError
from components.plan import PlanError
from components.stack_config import StackConfig, stack_config

__all__ = ["declare", "running_stack"]


def running_stack() -> StackConfig:
    """The configuration of the stack this program runs for, with every problem in it."""
    return stack_config(
        {**get_config_env(), **CONFIG.get()},
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        program=Path.cwd(),
        root=Path(pulumi.get_root_directory()),
    )


def declare(plan: AwsClusterPlan) -> pulumi.ComponentResource:
    """The cluster of a plan. Raises InputError with everything that its Kubernetes objects may not hold."""
    try:
        return _aws(plan)
    except PlanError as error:
        raise InputError(f"cluster {plan.name}", error.problems) from None


def _aws(plan: AwsClusterPlan) -> pulumi.ComponentResource:
    # Imported here: an SDK takes seconds, a stack needs one cloud's only, and a refused plan needs none.
    import pulumi_aws as aws

    from components.aws.cluster import TrainingCluster

    for loss in plan.facts["losses"]:
        pulumi.log.warn(f"{plan.name}: not to be had on AWS: {loss}")
    for note in plan.facts["notes"]:
        pulumi.log.info(f"{plan.name}: {note}")
    pulumi.log.info(f"{plan.name}: API reachable {plan.access.summary}")
    provider = aws.Provider("aws", region=plan.location.region)
    return TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[provider]))

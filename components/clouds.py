"""Declares a spec's cluster on the cloud that a stack's configuration names."""

from __future__ import annotations

from pathlib import Path

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from components.input_error import InputError
from components.plan import PlanError, StoragePrice
from components.spec import ClusterSpec
from components.stack_config import StackConfig, stack_config
from components.yaml_file import shown_path

__all__ = ["declare", "running_stack"]


def running_stack() -> StackConfig:
    """The configuration of the stack this program runs for. Raises InputError with every mistake in it."""
    return stack_config(
        {**get_config_env(), **CONFIG.get()},
        project=pulumi.get_project(),
        stack=pulumi.get_stack(),
        program=Path.cwd(),
        root=Path(pulumi.get_root_directory()),
    )


def declare(spec: ClusterSpec, config: StackConfig, *, storage_price: StoragePrice) -> pulumi.ComponentResource:
    """The cluster of a spec, in the cloud and at the place of the stack's configuration.

    Raises InputError with every reason why the cloud can't carry it there.
    """
    clouds = {"aws": _aws}
    try:
        return clouds[config.cloud](spec, config, storage_price)
    except PlanError as error:
        raise InputError(shown_path(config.spec), error.problems) from None


def _aws(spec: ClusterSpec, config: StackConfig, storage_price: StoragePrice) -> pulumi.ComponentResource:
    from components.aws.plan import plan_cluster

    plan = plan_cluster(spec, config.location, stack=config.stack, machine=config.machine, storage_price=storage_price)

    # Imported here: an SDK takes seconds, a stack needs one cloud's only, and a refused plan needs none.
    import pulumi_aws as aws

    from components.aws.cluster import TrainingCluster

    for loss in plan.facts["losses"]:
        pulumi.log.warn(f"{plan.name}: not to be had on AWS: {loss}")
    for note in plan.facts["notes"]:
        pulumi.log.info(f"{plan.name}: {note}")
    pulumi.log.info(f"{plan.name}: API reachable {plan.access.summary}")
    provider = aws.Provider("aws", region=config.location.region)
    return TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[provider]))

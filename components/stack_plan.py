"""From a stack's configuration to the plan of its cluster, with every mistake on the way at once. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from gpucluster.components.cloud import ClusterPlan, cloud_of
from gpucluster.components.plan import Prices
from gpucluster.components.spec_file import plan_error, read_spec, what_if
from gpucluster.components.stack_config import StackConfig
from gpucluster.errors import InputError

__all__ = ["plan_stack"]


def plan_stack(config: StackConfig, prices: Prices) -> ClusterPlan:
    """The plan of the cluster that a stack's configuration and its spec describe.

    Raises InputError with all that is wrong in the configuration and in the spec, and, of a spec that can be read, all
    that the cloud can't carry.
    """
    wrong, others = list(config.problems), list[InputError]()
    spec = None
    cloud = None if config.cloud is None else cloud_of(config.cloud)
    if config.spec is not None:
        try:
            spec = read_spec(config.spec)
        except InputError as error:
            others.append(error)
        else:
            if cloud is not None:
                wrong += cloud.config_problems(spec, config.machine, config.location)
                problems = cloud.plan_problems(spec, config.stack, config.machine)
                if problems:
                    others.append(plan_error(config.spec, problems))
    if wrong or others or spec is None or cloud is None or config.location is None:
        raise InputError(config.source, [config.named(problem) for problem in wrong], *others)
    plan = cloud.plan_cluster(spec, config.location, config.stack, config.machine, prices)
    said = [] if config.spec is None else what_if(config.spec)
    return replace(cast(Any, plan), facts=replace(plan.facts, what_if=tuple(said))) if said else plan

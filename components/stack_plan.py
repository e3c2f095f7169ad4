"""From a stack's configuration to the plan of its cluster, with every mistake on the way at once. Imports no Pulumi."""

from __future__ import annotations

from components.aws.machines import machine_problems
from components.aws.plan import AwsClusterPlan, plan_cluster, plan_problems
from components.input_error import InputError
from components.plan import StoragePrice
from components.spec_file import plan_error, read_spec
from components.stack_config import StackConfig

__all__ = ["plan_stack"]


def plan_stack(config: StackConfig, storage_price: StoragePrice) -> AwsClusterPlan:
    """The plan of the cluster that a stack's configuration and its spec describe.

    Raises InputError with all that is wrong in the configuration and in the spec, and, of a spec that can be read, all
    that the cloud can't carry.
    """
    own, others = list(config.problems), list[InputError]()
    spec = None
    if config.spec is not None:
        try:
            spec = read_spec(config.spec)
        except InputError as error:
            others.append(error)
        else:
            if config.cloud is not None:
                own += [f"{config.prefix}{problem}" for problem in machine_problems(spec, config.machine)]
                problems = plan_problems(spec, stack=config.stack)
                if problems:
                    others.append(plan_error(config.spec, problems))
    if own or others or spec is None or config.location is None:
        raise InputError(config.source, own, *others)
    return plan_cluster(spec, config.location, stack=config.stack, machine=config.machine, storage_price=storage_price)

"""From a stack's configuration to the plan of its cluster, reporting every mistake at once. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast

from gpucluster.components.cloud import ClusterPlan, cloud_of
from gpucluster.components.paused import paused, paused_problems
from gpucluster.components.planning import Prices
from gpucluster.components.problem import Problem
from gpucluster.components.spec.file import SpecSource
from gpucluster.components.spec.model import Model
from gpucluster.components.stack_config import StackConfig
from gpucluster.errors import InputError

Spec = TypeVar("Spec", bound=Model)
Asked = TypeVar("Asked", bound=Model, contravariant=True)


class Carrier(Protocol[Asked]):
    """Decides whether a spec can run: a cloud, for a cluster, or a module of it, for a part."""

    def config_problems(self, spec: Asked, machine: str | None, location: Any | None, /) -> list[Problem]:
        """Problems of machine and location for the spec, in the terms of the stack's configuration."""
        ...

    def plan_problems(self, spec: Asked, stack: str, machine: str | None, /) -> list[Problem]:
        """Every other reason against the spec."""
        ...


def plan_stack(config: StackConfig, prices: Prices) -> ClusterPlan:
    """The plan of the cluster that a stack's configuration and its spec describe.

    Raises InputError with every problem of the configuration and of the spec, and, if the spec can be read, everything
    that the cloud can't run.
    """
    cloud = None if config.cloud is None else cloud_of(config.cloud)
    spec, source = usable(config, config.spec, cloud)
    assert cloud is not None
    plan = cloud.plan_cluster(spec, config.location, config.stack, config.machine, prices)
    if config.paused:
        if wrong := paused_problems(spec):
            raise InputError(config.source, [config.named(problem) for problem in wrong])
        plan = paused(plan)
    said = source.what_if()
    return replace(cast(Any, plan), facts=replace(plan.facts, what_if=tuple(said))) if said else plan


def usable(
    config: StackConfig, source: SpecSource[Spec] | None, carrier: Carrier[Spec] | None
) -> tuple[Spec, SpecSource[Spec]]:
    """The spec, if it can run with this configuration, and its source. Raises InputError."""
    wrong, others = list(config.problems), list[InputError]()
    spec = None
    if source is not None:
        try:
            spec = source.read()
        except InputError as error:
            others.append(error)
        else:
            if carrier is not None:
                wrong += carrier.config_problems(spec, config.machine, config.location)
                problems = carrier.plan_problems(spec, config.stack, config.machine)
                if problems:
                    others.append(source.error(problems))
    if wrong or others or source is None or spec is None or carrier is None or config.location is None:
        raise InputError(config.source, [config.named(problem) for problem in wrong], *others)
    return spec, source

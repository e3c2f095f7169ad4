"""From a stack's configuration to the plan of its cluster, reporting every mistake at once. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from gpucluster.components.cluster.cloud import Cloud, ClusterPlan, cloud_of
from gpucluster.components.planning.planning import Planning, Prices
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.file import SpecSource
from gpucluster.components.spec.model import Model
from gpucluster.components.stack.stack_config import StackConfig, paused, refuse_pause
from gpucluster.core.program.asked import notes_after_asking, now, read_asked
from gpucluster.core.program.facts import Facts
from gpucluster.errors import InputError

Spec = TypeVar("Spec", bound=Model)
Plan = TypeVar("Plan")


def plan_stack(config: StackConfig, prices: Prices) -> ClusterPlan:
    """The plan of the cluster that a stack's configuration and its spec describe.

    Raises InputError with every problem of the configuration and of the spec, and, if the spec can be read, everything
    that the cloud can't run.
    """
    cloud = None if config.cloud is None else cloud_of(config.cloud)

    def plan(spec: ClusterSpec, planning: Planning[Any]) -> ClusterPlan:
        assert cloud is not None
        planned = cloud.plan(spec, planning)
        if config.paused:
            refuse_pause(spec.purchase, planning)
        return planned

    planned, source = plan_source(config, config.spec, cloud, plan, prices)
    planned = paused(planned) if config.paused else planned
    facts = replace(_after_asking(planned.facts, config.account), what_if=tuple(source.what_if()))
    return planned if facts == planned.facts else replace(cast(Any, planned), facts=facts)


def _after_asking(facts: Facts, file: Path) -> Facts:
    """The facts with the answers of the account in place of notes. file: of the answers, if it was asked."""
    asked = read_asked(file)
    if asked is None:
        return facts
    return replace(facts, before_up=notes_after_asking(facts.before_up, facts.questions, asked, now()))


def plan_source(
    config: StackConfig,
    source: SpecSource[Spec] | None,
    cloud: Cloud[ClusterPlan] | None,
    plan: Callable[[Spec, Planning[Any]], Plan],
    prices: Prices | None = None,
) -> tuple[Plan, SpecSource[Spec]]:
    """The plan of a cluster or of a part of one, and its source. cloud: None if the configuration has none that can be
    used. Raises InputError.
    """
    wrong, others = list(config.problems), list[InputError]()
    if source is not None:
        try:
            spec = source.read()
        except InputError as error:
            others.append(error)
        else:
            if cloud is not None:
                planning = cloud.planning(config.location, config.stack, config.machine, prices)
                planned = plan(spec, planning)
                wrong += planning.config_problems
                if planning.problems:
                    others.append(source.error(planning.problems))
                if not wrong and not others and config.location is not None:
                    return planned, source
    raise InputError(config.source, [config.named(problem) for problem in wrong], *others)

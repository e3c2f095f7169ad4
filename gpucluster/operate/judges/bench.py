"""The judges, and their verdicts on a stack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from gpucluster.core.environment import installing
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.errors import InputError
from gpucluster.operate.judges.report import Judge, Verdict

_JUDGES: Final = {
    package: f"gpucluster.operate.judges.{name}.judge"
    for package, name in (("aws", "aws"), ("gcp", "gcp"), ("azure-native", "azure"), ("kubernetes", "kubernetes"))
}
"""Package of type tokens -> module of its judge, which imports its dependencies when it judges."""

NAMES: Final = tuple(module.split(".")[3] for module in _JUDGES.values())
"""Names of the judges."""


def judged(resources: Resources, only: Sequence[str] = (), *, installed: bool = False) -> list[Verdict]:
    """A verdict for every resource of a cloud, or of the requested judges, in the order of the plan.

    only: names of judges; by default one for each package. installed: skip judges that are not installed; otherwise
    InputError if one was requested by name, or if every judge that the plan needs is missing.
    """
    asked = [resource for resource in resources if _of_a_cloud(resource)]
    judges = _judges(only)
    lacking = {judge.package: _command(judge) for judge in judges if _command(judge)}
    if not installed:
        _refuse_without(judges, lacking, {_package(resource) for resource in asked}, only)
    verdicts = {} if only else {resource.urn: _without(resource) for resource in asked}
    for judge in judges:
        mine = [resource for resource in asked if _package(resource) == judge.package]
        if why := lacking.get(judge.package):
            found = [Verdict(resource=one, judge=judge.name, why=f"its judge is not installed; {why}") for one in mine]
        else:
            found = list(judge.judge(mine, resources)) if mine else []
        verdicts |= {verdict.resource.urn: verdict for verdict in found}
    return [verdicts[resource.urn] for resource in asked if resource.urn in verdicts]


def missing(resources: Resources) -> dict[str, str]:
    """Package of a plan whose judge is not installed -> how to install it."""
    packages = {_package(resource) for resource in resources if _of_a_cloud(resource)}
    return {judge.package: _command(judge) for judge in _judges() if judge.package in packages and _command(judge)}


def _judges(only: Sequence[str] = ()) -> list[Judge]:
    found = [import_module(module).JUDGE for module in _JUDGES.values()]
    return [judge for judge in found if not only or judge.name in only]


def _command(judge: Judge) -> str:
    """How to install a judge's dependencies; empty if they are installed."""
    module, package = judge.needs
    return "" if find_spec(module) else installing(package)


def _refuse_without(
    judges: Sequence[Judge], lacking: Mapping[str, str], packages: Set[str], only: Sequence[str]
) -> None:
    for judge in judges:
        if only and judge.package in lacking:
            raise InputError(f"--judge {judge.name}: {judge.title} is not installed; {lacking[judge.package]}")
    needed = packages & {judge.package for judge in judges}
    if needed and needed <= set(lacking):
        commands = sorted({lacking[package] for package in needed})
        raise InputError(f"no judge of this plan is installed; {', or '.join(commands)}")


def _without(resource: Resource) -> Verdict:
    return Verdict(resource=resource, judge="", why=f"no judge covers the package {_package(resource)}")


def _of_a_cloud(resource: Resource) -> bool:
    """Whether a resource belongs to a cloud: components have no own resources; providers and stacks are the
    engine's.
    """
    return resource.custom and _package(resource) != "pulumi"


def _package(resource: Resource) -> str:
    return resource.type.partition(":")[0]

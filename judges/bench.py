"""The judges, and what they say of a stack."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from gpucluster.errors import InputError
from gpucluster.judges.verdict import Judge, Verdict
from gpucluster.program.resources import Resource, Resources

__all__ = ["NAMES", "judged", "lacking"]

_JUDGES: Final = {
    package: f"gpucluster.judges.{name}.judge"
    for package, name in (("aws", "aws"), ("gcp", "gcp"), ("azure-native", "azure"), ("kubernetes", "kubernetes"))
}
"""Package of type tokens -> module of its judge; each is imported where a plan has resources of the package."""

NAMES: Final = tuple(module.split(".")[2] for module in _JUDGES.values())
"""Names of the judges."""


def judged(resources: Resources, only: Sequence[str] = ()) -> list[Verdict]:
    """A verdict for every resource of a cloud, in the order of the plan. only: names of judges; else all of them.

    Raises InputError where a judge that was asked for, or every judge that the plan needs, is not installed.
    """
    asked = [resource for resource in resources if _of_a_cloud(resource)]
    verdicts: dict[str, Verdict] = {}
    for package, module in _JUDGES.items():
        judge: Judge = import_module(module).JUDGE
        if only and judge.name not in only:
            continue
        mine = [resource for resource in asked if _package(resource) == package]
        if mine or judge.name in only:
            verdicts.update({verdict.resource.urn: verdict for verdict in _by(judge, mine, resources, only)})
    if asked and not only:
        _refuse_without_any(verdicts)
    others = {} if only else {resource.urn: _without(resource) for resource in asked}
    found = {**others, **verdicts}
    return [found[resource.urn] for resource in asked if resource.urn in found]


def lacking(judge: Judge) -> str:
    """How to install what a judge needs; empty where it is there."""
    module, extra = judge.needs
    return "" if find_spec(module) else f"pip install 'gpucluster[{extra}]'"


def _by(judge: Judge, asked: Sequence[Resource], around: Resources, only: Sequence[str]) -> list[Verdict]:
    command = lacking(judge)
    if not command:
        return list(judge.judge(asked, around))
    if judge.name in only:
        raise InputError(f"--judge {judge.name}: {judge.title} is not installed; {command}")
    return [Verdict(resource=one, judge=judge.name, why=f"{_ABSENT}; {command}") for one in asked]


_ABSENT: Final = "its judge is not installed"


def _refuse_without_any(verdicts: dict[str, Verdict]) -> None:
    reasons = {verdict.why for verdict in verdicts.values()}
    if reasons and all(why.startswith(_ABSENT) for why in reasons):
        commands = sorted({why.removeprefix(f"{_ABSENT}; ") for why in reasons})
        raise InputError(f"no judge of this plan is installed; {', or '.join(commands)}")


def _without(resource: Resource) -> Verdict:
    return Verdict(resource=resource, judge="", why=f"no judge knows the package {_package(resource)}")


def _of_a_cloud(resource: Resource) -> bool:
    """Components own nothing of their own; providers and stacks are the engine's."""
    return resource.custom and _package(resource) != "pulumi"


def _package(resource: Resource) -> str:
    return resource.type.partition(":")[0]

"""The judges, and their verdicts on a stack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Final, Protocol

from gpucluster.core.environment import installing
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.errors import InputError
from gpucluster.operate.judges.documented import broken_limits


class Outcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Remark:
    """path: the input, as named in the program; empty for the resource as a whole. text: the judge's message."""

    path: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """
    refusals: empty if the judge accepts.
    advice: warnings about accepted inputs, such as deprecated ones.
    left: inputs that the judge cannot check.
    why: the reason, if it was not judged.
    """

    resource: Resource
    judge: str
    refusals: tuple[Remark, ...] = ()
    advice: tuple[Remark, ...] = ()
    left: tuple[str, ...] = ()
    why: str = ""

    @property
    def outcome(self) -> Outcome:
        if self.why:
            return Outcome.NOT_JUDGED
        return Outcome.REFUSED if self.refusals else Outcome.ACCEPTED


@dataclass(kw_only=True)
class Reading:
    """Collects a judge's findings on the inputs of a resource, one by one."""

    refusals: list[Remark] = field(default_factory=list[Remark])
    advice: list[Remark] = field(default_factory=list[Remark])
    left: list[str] = field(default_factory=list[str])

    def verdict(self, resource: Resource, judge: str) -> Verdict:
        return Verdict(
            resource=resource,
            judge=judge,
            refusals=tuple(self.refusals),
            advice=tuple(self.advice),
            left=tuple(self.left),
        )


class Judge(Protocol):
    """A judge of a package's resources."""

    name: str
    """Its name in options."""

    title: str
    """A short description of its basis."""

    package: str
    """Package of the type tokens that it judges."""

    needs: tuple[str, str]
    """(module that it imports, package that has it)."""

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        """One verdict for each resource in `asked`. around: the whole stack."""
        ...


@dataclass(frozen=True, kw_only=True)
class Report:
    """file: as the user named it."""

    file: str
    verdicts: Sequence[Verdict]

    def of(self, outcome: Outcome) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.outcome is outcome]

    @cached_property
    def counts(self) -> dict[str, Counter[Outcome]]:
        """Name of a judge, empty for none -> the number of accepted, refused and unjudged resources."""
        found: dict[str, Counter[Outcome]] = {}
        for verdict in self.verdicts:
            found.setdefault(verdict.judge, Counter())[verdict.outcome] += 1
        return found


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
        group = [resource for resource in asked if _package(resource) == judge.package]
        if why := lacking.get(judge.package):
            found = [Verdict(resource=one, judge=judge.name, why=f"its judge is not installed; {why}") for one in group]
        else:
            found = list(judge.judge(group, resources)) if group else []
        verdicts |= {verdict.resource.urn: _with_documented(verdict) for verdict in found}
    return [verdicts[resource.urn] for resource in asked if resource.urn in verdicts]


def _with_documented(verdict: Verdict) -> Verdict:
    """The verdict of a judge with the limits that the vendor documents beside its schemas."""
    if verdict.why:
        return verdict
    found = (Remark(path, text) for path, text in broken_limits(verdict.resource))
    return replace(verdict, refusals=(*verdict.refusals, *found))


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
        raise InputError(f"no validator for this plan is installed; {', or '.join(commands)}")


def _without(resource: Resource) -> Verdict:
    return Verdict(resource=resource, judge="", why=f"no judge covers the package {_package(resource)}")


def _of_a_cloud(resource: Resource) -> bool:
    """Whether a resource belongs to a cloud: components have no own resources; providers and stacks are the
    engine's.
    """
    return resource.custom and _package(resource) != "pulumi"


def _package(resource: Resource) -> str:
    return resource.type.partition(":")[0]

"""One rule with a separate check per cloud: the modules in the rule's folder named like clouds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar

from gpucluster.catalog.clouds import clouds
from gpucluster.policies.rule import Finding, Stack, Violation
from gpucluster.program.resources import Resource
from gpucluster.record import record

_View = TypeVar("_View", bound=Resource | Stack)
_Seen = TypeVar("_Seen", bound=Resource | Stack, contravariant=True)


class _CloudCheck(Protocol[_Seen]):
    """A module named like a cloud, or `kubernetes`, in the folder of a rule; it skips resources of others.

    FIX: the change to make on that cloud. READS: resource types and facts that the check reads. CONFIG, if present:
    settings in the pack's configuration, like a rule's own `config`.
    """

    @property
    def FIX(self) -> str: ...

    @property
    def READS(self) -> str: ...

    @property
    def check(self) -> Callable[[_Seen], Iterable[Finding]]: ...


@record
class Judged(Generic[_View]):
    """The check, fix and reads of a rule on every cloud."""

    clouds: Mapping[str, _CloudCheck[_View]]

    @property
    def fix(self) -> str:
        return " ".join(f"{cloud}: {of.FIX[0].lower()}{of.FIX[1:]}" for cloud, of in self.clouds.items())

    @property
    def reads(self) -> str:
        return "; ".join(of.READS for of in self.clouds.values())

    @property
    def config(self) -> dict[str, Any]:
        return {name: of for cloud in self.clouds.values() for name, of in getattr(cloud, "CONFIG", {}).items()}

    def check(self, view: _View) -> Iterator[Finding]:
        """The findings of each cloud's check, with that cloud's fix."""
        for of in self.clouds.values():
            for finding in of.check(view):
                bare = isinstance(finding, Violation) and finding.fix is None
                yield replace(finding, fix=of.FIX) if bare else finding


class ResourceChecks(TypedDict):
    """Fields of a `ResourceRule` from the checks of its clouds."""

    fix: str
    reads: str
    check: Callable[[Resource], Iterable[Finding]]


class StackChecks(TypedDict):
    """Fields of a `StackRule` from the checks of its clouds."""

    fix: str
    reads: str
    check: Callable[[Stack], Iterable[Finding]]
    config: Mapping[str, Mapping[str, Any]]


def resource_checks(rule: str) -> ResourceChecks:
    """The checks in the folder of a rule, given its `__name__`. Raises LookupError without any."""
    judged = Judged[Resource](_checks(rule))
    return {"fix": judged.fix, "reads": judged.reads, "check": judged.check}


def stack_checks(rule: str) -> StackChecks:
    """The same for a rule about the stack."""
    judged = Judged[Stack](_checks(rule))
    return {"fix": judged.fix, "reads": judged.reads, "check": judged.check, "config": judged.config}


def _checks(rule: str) -> Mapping[str, Any]:
    """Title of a cloud -> its check."""
    folder = Path(sys.modules[rule].__path__[0])
    titles = {**{cloud.name: cloud.title for cloud in clouds().values()}, "kubernetes": "Kubernetes"}
    there = {name: title for name, title in titles.items() if (folder / f"{name}.py").exists()}
    found = {title: import_module(f"{rule}.{name}") for name, title in there.items()}
    if not found:
        name = rule.rpartition(".")[2]
        raise LookupError(f"no cloud has a check of {name}; add policies/rules/{name}/CLOUD.py")
    return found

"""One rule with a separate check for each cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypedDict, TypeVar

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.resources import Resource
from gpucluster.policies.engine.rule import Finding, Stack, Violation

_View = TypeVar("_View", bound=Resource | Stack)


@dataclass(frozen=True, kw_only=True)
class CloudCheck(Generic[_View]):
    """The check of one cloud, or of Kubernetes; it skips resources of others.

    reads: resource types and facts that the check reads. fix: the change to make on that cloud.
    """

    check: Callable[[_View], Iterable[Finding]]
    reads: str
    fix: str


class Checks(TypedDict, Generic[_View]):
    """Fields of a rule from the checks of its clouds."""

    fix: str
    reads: str
    check: Callable[[_View], Iterable[Finding]]


def per_cloud(**checks: CloudCheck[_View]) -> Checks[_View]:
    """The checks in this order, by the name of their cloud or `kubernetes`; a finding has the fix of its cloud."""
    titles = {**{cloud.name: cloud.title for cloud in clouds().values()}, "kubernetes": "Kubernetes"}

    def check(view: _View) -> Iterator[Finding]:
        for of in checks.values():
            for finding in of.check(view):
                bare = isinstance(finding, Violation) and finding.fix is None
                yield replace(finding, fix=of.fix) if bare else finding

    return {
        "fix": " ".join(f"{titles[name]}: {of.fix[0].lower()}{of.fix[1:]}" for name, of in checks.items()),
        "reads": "; ".join(of.reads for of in checks.values()),
        "check": check,
    }

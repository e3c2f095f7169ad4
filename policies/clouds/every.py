"""One rule, judged by each cloud's own check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from gpucluster.catalog.clouds import module_of, modules_of
from gpucluster.policies.rule import Finding, Stack, Violation
from gpucluster.program.resources import Resource
from gpucluster.record import record

__all__ = ["Judged", "on_every_cloud"]

_CLOUDS: Final = "gpucluster.policies.clouds"

_View = TypeVar("_View", bound=Resource | Stack)
_Seen = TypeVar("_Seen", bound=Resource | Stack, contravariant=True)


class _CloudCheck(Protocol[_Seen]):
    """A module in `clouds/<cloud>/checks/`.

    FIX: the change to make on that cloud. READS: resource types and facts the check looks at. CONFIG, where it has one:
    what the pack's user may set, as a rule's own `config`.
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
        """What each cloud's check finds, with that cloud's fix."""
        for of in self.clouds.values():
            for finding in of.check(view):
                bare = isinstance(finding, Violation) and finding.fix is None
                yield replace(finding, fix=of.FIX) if bare else finding


def on_every_cloud(view: type[_View], rule: str) -> Judged[_View]:
    """The checks called like a rule's module, on every cloud that has one; a check passes over what is another's.

    view: what the checks are given. rule: the rule's `__name__`. Raises LookupError where no cloud has one.
    """
    del view
    name = rule.rpartition(".")[2]
    found = {cloud.title: module for cloud, module in modules_of(f"{_CLOUDS}.{{cloud}}.checks.{name}")}
    if (kubernetes := module_of(f"{_CLOUDS}.kubernetes.checks.{name}")) is not None:
        found["Kubernetes"] = kubernetes
    if not found:
        raise LookupError(f"no cloud has a check called {name}; add policies/clouds/CLOUD/checks/{name}.py")
    return Judged(cast("Mapping[str, _CloudCheck[_View]]", found))

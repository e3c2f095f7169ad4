"""One rule, judged by each cloud's own check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from gpucluster.policies.rule import Finding, Stack, Violation
from gpucluster.program.resources import Resource

__all__ = ["Judged", "on_every_cloud"]

_View = TypeVar("_View", bound=Resource | Stack)
_Seen = TypeVar("_Seen", bound=Resource | Stack, contravariant=True)


class _CloudCheck(Protocol[_Seen]):
    """A module in `clouds/<cloud>/checks/`.

    FIX: the change to make on that cloud. READS: resource types and facts the check looks at.
    """

    @property
    def FIX(self) -> str: ...

    @property
    def READS(self) -> str: ...

    @property
    def check(self) -> Callable[[_Seen], Iterable[Finding]]: ...


@dataclass(frozen=True)
class Judged(Generic[_View]):
    """The check, fix and reads of a rule on every cloud."""

    clouds: Mapping[str, _CloudCheck[_View]]

    @property
    def fix(self) -> str:
        return " ".join(f"{cloud}: {of.FIX[0].lower()}{of.FIX[1:]}" for cloud, of in self.clouds.items())

    @property
    def reads(self) -> str:
        return "; ".join(of.READS for of in self.clouds.values())

    def check(self, view: _View) -> Iterator[Finding]:
        """What each cloud's check finds, with that cloud's fix."""
        for of in self.clouds.values():
            for finding in of.check(view):
                bare = isinstance(finding, Violation) and finding.fix is None
                yield replace(finding, fix=of.FIX) if bare else finding


def on_every_cloud(clouds: Mapping[str, _CloudCheck[_View]]) -> Judged[_View]:
    """clouds: name of the cloud -> its check module; a check passes over what is not its cloud's."""
    return Judged(clouds)

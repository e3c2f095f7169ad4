"""A judge's verdict on a resource."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Protocol

from gpucluster.core.program.resources import Resource, Resources


class Outcome(StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True)
class Remark:
    """path: the input, as named in the program; empty for the resource as a whole. said: the judge's own words."""

    path: str
    said: str


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

"""The findings on the stacks of a change: the cost of each before and after, broken rules, refusals by vendors, and
affected nodes.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Literal

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost.diff import Change, Diff
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.model import CostLine
from gpucluster.errors import InputError
from gpucluster.operate.judges.verdicts import Remark, judged, missing
from gpucluster.operate.pull_request.evidence import JobEvidence, PackFinding
from gpucluster.operate.pull_request.machine_changes import MachineChange
from gpucluster.policies.clouds.node_impacts import NodeImpact
from gpucluster.policies.engine.exemptions import Exemption
from gpucluster.policies.engine.rule import ChangeRule, Enforcement
from gpucluster.policies.report import Found


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """judge: its name."""

    resource: Resource
    judge: str
    remark: Remark


@dataclass(frozen=True, kw_only=True)
class Vendors:
    """unheard: unjudged resources, and the packages to install."""

    refusals: Sequence[Refusal] = ()
    unheard: Sequence[str] = ()


def vendors_of(resources: Resources) -> Vendors:
    """The verdicts of the installed judges. A plan is untrusted: if it makes a judge fail, the failure is reported."""
    unheard = [f"{package}: {command}" for package, command in missing(resources).items()]
    try:
        verdicts = judged(resources, installed=True)
    except Exception as error:
        return Vendors(unheard=[*unheard, f"the judges failed: {type(error).__name__}"])
    refusals = [
        Refusal(resource=verdict.resource, judge=verdict.judge, remark=remark)
        for verdict in verdicts
        for remark in verdict.refusals
    ]
    return Vendors(refusals=refusals, unheard=unheard)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A rule's finding. new: whether the base does not have the same one."""

    found: Found
    new: bool

    @property
    def mandatory(self) -> bool:
        return self.found.level is Enforcement.MANDATORY


@dataclass(frozen=True, kw_only=True)
class OtherFinding:
    """A finding of another policy pack, which the engine ran. new: whether the base does not have the same one."""

    found: PackFinding
    new: bool

    @property
    def mandatory(self) -> bool:
        return self.found.level == "mandatory"


@dataclass(frozen=True, kw_only=True)
class StackJudgement:
    """
    problem: why it is not judged, or why there is no plan; then there are no findings.
    refused: the program's error at the end of an update without a mandatory rule: over a budget that is set to fail.
    no_comparison: why there is no base for a comparison.
    diff: from before to after; either side is empty if the stack does not exist there.
    price_change: the effect of the change's price book, which no other amount contains; None if it is equal.
    exemptions: those that are missing or different in the base.
    vendors: their schemas' verdicts on the plan.
    nodes: the effect on nodes of affected pools.
    others: findings of other policy packs. others_problem: why those did not run.
    jobs: the outcome of jobs on its live cluster. jobs_problem: why it is unknown despite the request.
    machines: the places with GPU machines on either side.
    """

    name: str
    base: str
    head: str
    problem: str = ""
    refused: str = ""
    no_comparison: str = ""
    diff: Diff | None = None
    findings: Sequence[Finding] = ()
    price_change: Diff | None = None
    exemptions: Sequence[Exemption] = ()
    steps: Mapping[str, int] = field(default_factory=dict[str, int])
    vendors: Vendors = field(default_factory=Vendors)
    nodes: Sequence[NodeImpact] = ()
    others: Sequence[OtherFinding] = ()
    others_problem: str = ""
    jobs: Sequence[JobEvidence] = ()
    jobs_problem: str = ""
    machines: Sequence[MachineChange] = ()

    @property
    def mandatory(self) -> list[Finding]:
        return [one for one in self.findings if one.mandatory]

    @property
    def advice(self) -> list[Finding]:
        return [one for one in self.findings if not one.mandatory]

    @property
    def new_advice(self) -> list[Finding]:
        return [one for one in self.advice if one.new]

    @property
    def ending(self) -> list[NodeImpact]:
        """Pools whose jobs are ended."""
        return [one for one in self.nodes if not one.harmless]

    @property
    def stuck(self) -> list[JobEvidence]:
        """Jobs that would not run."""
        return [job for job in self.jobs if job.verdict in ("refused", "waits")]

    @property
    def before(self) -> Estimate | None:
        """None if there is no comparison."""
        return self.diff.old.estimate if self.diff and not self.no_comparison else None

    @property
    def after(self) -> Estimate | None:
        """None if there is no plan."""
        return self.diff.new.estimate if self.diff and not self.problem else None

    @property
    def moves(self) -> bool:
        """Whether there is any relevant difference except findings."""
        found = self.diff
        return bool(
            self.problem
            or self.refused
            or self.no_comparison
            or self.base != "built"
            or self.head != "planned"
            or self.exemptions
            or self.vendors.refusals
            or self.stuck
            or self.others_problem
            or any(one.new for one in self.others)
            or self.jobs_problem
            or self.ending
            or any(one.moves for one in self.machines)
            or (self.price_change and self.price_change.moves)
            or (found and (found.moves or found.losses))
        )

    def monthly(self, finding: Finding) -> tuple[str, Decimal] | None:
        """(its resource or the enclosing part, USD per month) for a finding; None if neither has a price."""
        found = finding.found
        if found.resource is None or self.diff is None:
            return None
        around = [parent.name for parent in found.checked.resources.parents(found.resource)]
        sides = (self.diff.new.estimate, self.diff.old.estimate)
        # A deleted resource has its previous cost.
        for side in reversed(sides) if isinstance(found.rule, ChangeRule) else sides:
            own = _sum(line for line in side.lines if line.urn == found.resource.urn)
            parts = {part.name: part.monthly.expected for part in side.parts}
            for name, amount in ((found.resource.name, own), *((name, parts.get(name)) for name in around)):
                if amount:
                    return name, amount
        return None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """All stacks, and parts of the change that affect its judgement.

    price_problem: why the price book of the change cannot be used; empty if it can, or is the same.
    only_new: whether mandatory findings that the base has, too, do not fail.
    """

    base: str
    head: str
    pack: str
    today: datetime.date
    stacks: Sequence[StackJudgement]
    touched: Mapping[str, Sequence[str]]
    price_problem: str = ""
    only_new: bool = False

    @cached_property
    def mandatory(self) -> Sequence[tuple[StackJudgement, Finding]]:
        """Every mandatory finding, the most severe first."""
        order = ["critical", "high", "medium", "low"]
        found = [(stack, one) for stack in self.stacks for one in stack.mandatory]
        return sorted(found, key=lambda item: order.index(item[1].found.rule.severity.value))

    @property
    def failing(self) -> Sequence[tuple[StackJudgement, Finding]]:
        """The mandatory findings that fail."""
        return [item for item in self.mandatory if item[1].new or not self.only_new]

    @property
    def tolerated(self) -> Sequence[tuple[StackJudgement, Finding]]:
        """The mandatory findings that do not fail, because the base has them, too."""
        return [item for item in self.mandatory if self.only_new and not item[1].new]

    @property
    def others(self) -> Sequence[tuple[StackJudgement, OtherFinding]]:
        """The findings of other packs that fail."""
        found = [(stack, one) for stack in self.stacks for one in stack.others if one.mandatory]
        return [item for item in found if item[1].new or not self.only_new]

    @property
    def unrun(self) -> Sequence[StackJudgement]:
        """Stacks on which other packs did not run."""
        return [stack for stack in self.stacks if stack.others_problem]

    @property
    def without_plan(self) -> Sequence[StackJudgement]:
        """Stacks that could not be planned or judged."""
        return [stack for stack in self.stacks if stack.problem]

    @property
    def refused(self) -> Sequence[StackJudgement]:
        """Stacks whose program ends an update, although no mandatory rule does."""
        return [stack for stack in self.stacks if stack.refused]

    @property
    def verdict(self) -> Literal["passes", "fails", "cannot tell"]:
        """Whether it may be merged; `cannot tell` if the only obstacle is an unknown change of cost."""
        if not self.passes:
            return "fails"
        return "cannot tell" if self.change.direction == "cannot tell" else "passes"

    @property
    def change(self) -> Change:
        """The additional cost of all stacks with both sides."""
        return Change.of(stack.diff.change for stack in self.compared if stack.diff)

    @property
    def compared(self) -> Sequence[StackJudgement]:
        """Stacks with both sides; a new one costs nothing before."""
        return [stack for stack in self.stacks if stack.before is not None and stack.after is not None]

    @property
    def passes(self) -> bool:
        rules = self.failing or self.others or self.unrun
        return not (rules or self.without_plan or self.refused or self.price_problem or self.stuck)

    @property
    def stuck(self) -> Sequence[StackJudgement]:
        """Stacks on whose cluster a job would not run, or with an unknown outcome."""
        return [stack for stack in self.stacks if stack.stuck or stack.jobs_problem]

    @property
    def calm(self) -> bool:
        """Whether there is nothing to read except the total."""
        quiet = (not stack.moves and not stack.new_advice for stack in self.stacks)
        return self.passes and not self.touched and all(quiet)


def _sum(lines: Iterable[CostLine]) -> Decimal:
    return sum((line.monthly for line in lines), Decimal(0))


def write_reports(judged: Judgement, folder: Path) -> None:
    """Writes the cost report of each stack with a plan. Raises InputError if the folder can't be written."""
    from gpucluster.core.documents.formats import written
    from gpucluster.cost.documents.report.report import report_document

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for stack in judged.stacks:
            if (cost := stack.after) is not None:
                document = report_document(cost, f"Cost of {stack.name}", stack.name)
                for form in ("html", "json", "csv"):
                    (folder / f"{stack.name}.{form}").write_text(f"{written(document, form)}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} can't be written: {error.strerror}; give another --reports") from None

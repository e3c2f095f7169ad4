"""Judges evidence by rules and prices: the cost of each stack before and after, its findings, and affected nodes.

Plans come from unreviewed code. If one of them breaks a reader of ours, that stack's result is "cannot be judged",
which does not pass, and the others are judged as if it did not exist.
"""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpucluster.cost.diff import Side, diff
from gpucluster.cost.estimate import Estimate, estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.verdict import budget_verdict
from gpucluster.errors import Fault
from gpucluster.policies.engine.exemptions import Exemption, exemptions
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Changes
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.report import Checked, Found, Report, check_stack
from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.files import Read, read_file
from gpucluster.program.resources import Resources
from gpucluster.program.values import is_list, is_object
from gpucluster.pull_request.check_changes import touched
from gpucluster.pull_request.evidence import Evidence, StackEvidence
from gpucluster.pull_request.judgement import Finding, Judgement, StackJudgement
from gpucluster.pull_request.vendors import Vendors


@dataclass(frozen=True, kw_only=True)
class Judge:
    """The criteria of plans: one price book for both sides, one pack, one day.

    new_book, price_problem: the price book of the change, if it is different, or why it cannot be used.
    ask: returns the vendors' findings on a plan.
    """

    book: PriceBook
    pack: Pack
    settings: Settings
    today: datetime.date
    new_book: PriceBook | None = None
    price_problem: str = ""
    ask: Callable[[Resources], Vendors] = lambda _: Vendors()

    def judge(self, evidence: Evidence, changed_files: Iterable[str]) -> Judgement:
        """changed_files: from the forge, or from git; the evidence's own list is not used."""
        return Judgement(
            base=evidence.base,
            head=evidence.head,
            pack=self.pack.name,
            today=self.today,
            stacks=[self._fenced(stack) for stack in evidence.stacks],
            touched=touched(changed_files),
            price_problem=self.price_problem,
        )

    def _fenced(self, stack: StackEvidence) -> StackJudgement:
        try:
            return self._stack(stack)
        except NotReadable as error:
            problem = str(error)
        except Fault:  # of the judge, which is not part of the change
            raise
        except Exception as error:  # including plans made to break a reader
            problem = f"it cannot be judged: {type(error).__name__}"
        return StackJudgement(name=stack.name, base=stack.base, head=stack.head, problem=problem)

    def _stack(self, stack: StackEvidence) -> StackJudgement:
        plan = _read(stack.plan, f"the plan of {stack.name}")
        state = _read(stack.state, f"the state of {stack.name}")
        if (stack.head == "planned") != (plan is not None) or (stack.base == "built") != (state is not None):
            raise NotReadable("the file lacks entries that it declares")
        standing = state.resources if state else Resources([])
        resources = plan.resources if plan else Resources([])
        changes = Changes(ended=plan.ended, before=standing, after=resources) if plan else None
        checked = self._check(stack.name, resources, changes) if plan else None
        found = list(Report(pack=self.pack.name, files=[checked], today=self.today)) if checked else []
        known = self._known(standing) if state and plan else set[object]()
        old = self._side("before", standing)
        new = self._side("after", resources, plan)
        findings = [Finding(found=one, new=_key(one) not in known) for one in found]
        by_new = self._side("new prices", resources, book=self.new_book) if plan and self.new_book else None
        return StackJudgement(
            name=stack.name,
            base=stack.base,
            head=stack.head,
            problem=stack.head_problem or ("" if stack.head != "failed" else "its preview failed"),
            no_comparison=stack.base_problem or "its preview failed" if stack.base == "failed" else "",
            diff=diff(old, new),
            findings=findings,
            refused=_refused(new.estimate, findings) if plan else "",
            price_change=None if by_new is None else diff(new, by_new),
            exemptions=_new_exemptions(standing, resources),
            steps=_steps(stack.plan),
            vendors=self.ask(resources),
            nodes=checked.nodes if checked else (),
            jobs=stack.jobs,
            jobs_problem=stack.jobs_problem,
        )

    def _side(
        self, title: str, resources: Resources, plan: Read | None = None, *, book: PriceBook | None = None
    ) -> Side:
        found = estimate(resources, book or self.book)
        return Side(title, found, resources, steps=plan is not None, ended=plan.ended if plan else ())

    def _check(self, name: str, resources: Resources, changes: Changes | None) -> Checked:
        return check_stack(name, resources, changes, pack=self.pack, settings=self.settings, today=self.today)

    def _known(self, standing: Resources) -> set[object]:
        """The findings in the base."""
        checked = self._check("base", standing, None)
        return {_key(one) for one in Report(pack=self.pack.name, files=[checked], today=self.today)}


def _refused(found: Estimate, findings: Iterable[Finding]) -> str:
    verdict = budget_verdict(found)
    if verdict is None or verdict.outcome != "over" or verdict.budget.on_exceed != "fail":
        return ""
    said = any(one.mandatory and one.found.rule.name == "budget" for one in findings)
    return "" if said else verdict.sentence


def _read(document: Mapping[str, Any] | None, what: str) -> Read | None:
    return None if document is None else read_file(json.dumps(_ordered(document)), what)


def _ordered(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A plan or state with its resources sorted by name.

    The engine changes their order from run to run, and some findings list resources in that order: they would differ
    between runs.
    """

    def by_urn(record: object) -> str:
        return str(record.get("urn")) if is_object(record) else ""

    steps, deployment = document.get("steps"), document.get("deployment")
    if is_list(steps):
        return {**document, "steps": sorted(steps, key=by_urn)}
    resources = deployment.get("resources") if is_object(deployment) else None
    if is_object(deployment) and is_list(resources):
        return {**document, "deployment": {**deployment, "resources": sorted(resources, key=by_urn)}}
    return document


def _key(found: Found) -> object:
    return found.rule.name, found.resource.urn if found.resource else None, found.violation.what


def _new_exemptions(before: Resources, after: Resources) -> Sequence[Exemption]:
    known = {_accepts(one) for one in _exemptions(before)}
    return [one for one in _exemptions(after) if _accepts(one) not in known]


def _exemptions(resources: Resources) -> Iterator[Exemption]:
    yield from (one for one in exemptions(resources) if isinstance(one, Exemption))


def _accepts(one: Exemption) -> object:
    return one.rule, one.resource, one.reason, one.owner, one.until


def _steps(plan: Mapping[str, Any] | None) -> Mapping[str, int]:
    """Operation -> number of resources that a reader counts."""
    counted = Counter(str(step.get("op")) for step in (plan or {}).get("steps", ()))
    return {op: counted[op] for op in ("create", "update", "replace", "delete") if counted[op]}

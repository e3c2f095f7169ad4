"""Parts of a change that affect its judgement, by the names of its files and by the exemptions in its plans."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from gpucluster.core.program.readers.files import Read, read_file
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import Resources
from gpucluster.core.program.spec_places import specs_of
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.diff import Revision, diff
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.errors import Fault
from gpucluster.operate.pull_request.evidence import Evidence, PackFinding, StackEvidence
from gpucluster.operate.pull_request.judgement import (
    Finding,
    Judgement,
    OtherFinding,
    StackJudgement,
    Vendors,
)
from gpucluster.operate.pull_request.machine_changes import machine_changes
from gpucluster.operate.pull_request.revisions import LOCKS
from gpucluster.policies.engine.exemptions import Exemption, exemptions
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Changes, Violation
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.report import Checked, Found, Report, check_stack

_KINDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "policies": ("policies/*", "*/policies/*", "PulumiPolicy.yaml", "*/PulumiPolicy.yaml"),
        "prices": ("cost/prices/*", "*prices*.csv"),
        "workflows": (".github/*", ".gitlab-ci.yml", "ci/*", ".ci/*"),
        "the lock": (*LOCKS, *(f"*/{pattern}" for pattern in LOCKS), "pyproject.toml", "package.json"),
        "the check itself": (
            "gpucluster/operate/pull_request/*",
            "cost/*",
            "gpucluster/core/program/*",
            "sandbox/*",
            "Makefile",
        ),
    }
)
"""Kind -> patterns of paths, the first matching kind counts; `*` matches across folders."""


_ABOUT_THE_TOTAL: Final = frozenset({"budget", "budget-ceiling", "budget-warning"})


def touched(files: Iterable[str], own: Sequence[str] = ()) -> dict[str, list[str]]:
    """Kind -> its changed files, in the order above; kinds without any are omitted.

    own: files and folders of the pack and its settings.
    """
    kinds = {**_KINDS, "policies": (*_KINDS["policies"], *own, *(f"{folder}/*" for folder in own))}
    found: dict[str, list[str]] = {}
    for file in sorted(files):
        kind = next((kind for kind, patterns in kinds.items() if any(fnmatch(file, one) for one in patterns)), None)
        if kind is not None:
            found.setdefault(kind, []).append(file)
    return {kind: found[kind] for kind in _KINDS if kind in found}


@dataclass(frozen=True, kw_only=True)
class Judge:
    """The criteria of plans: one price book for both sides, one pack, one day.

    new_book, price_problem: the price book of the change, if it is different, or why it cannot be used.
    ask: returns the vendors' findings on a plan. project: a folder of the change, whose specs findings name; None if
    only its evidence is here. only_new: whether mandatory findings that the base has, too, do not fail.
    own_files: see `touched`.
    """

    book: PriceBook
    pack: Pack
    settings: Settings
    today: datetime.date
    new_book: PriceBook | None = None
    price_problem: str = ""
    ask: Callable[[Resources], Vendors] = lambda _: Vendors()
    project: Path | None = None
    only_new: bool = False
    own_files: tuple[str, ...] = ()

    def judge(self, evidence: Evidence, changed_files: Iterable[str]) -> Judgement:
        """changed_files: from the forge, or from git; the evidence's own list is not used."""
        return Judgement(
            base=evidence.base,
            head=evidence.head,
            pack=self.pack.name,
            today=self.today,
            stacks=[self._fenced(stack) for stack in evidence.stacks],
            touched=touched(changed_files, self.own_files),
            price_problem=self.price_problem,
            only_new=self.only_new,
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
        existing = state.resources if state else Resources([])
        resources = plan.resources if plan else Resources([])
        changes = Changes(ended=plan.ended, before=existing, after=resources) if plan else None
        computed = frozenset(stack.computed_ends)
        checked = self._check(stack.name, resources, changes, computed, plan.spec) if plan else None
        found = list(Report(pack=self.pack.name, files=[checked], today=self.today)) if checked else []
        base = self._check("base", existing, None, computed) if state else None
        before = list(Report(pack=self.pack.name, files=[base], today=self.today)) if base and plan else []
        old = self._side("before", existing)
        new = self._side("after", resources, plan)
        cost = diff(old, new)
        known = Counter(_key(one) for one in before)
        findings = [*_compared(found, known, costs_more=cost.change.direction in ("more", "cannot tell"))]
        by_new = self._side("new prices", resources, book=self.new_book) if plan and self.new_book else None
        return StackJudgement(
            name=stack.name,
            base=stack.base,
            head=stack.head,
            problem=stack.head_problem or ("" if stack.head != "failed" else "its preview failed"),
            no_comparison=stack.base_problem or "its preview failed" if stack.base == "failed" else "",
            diff=cost,
            findings=findings,
            refused=_refused(new.estimate, findings) if plan else "",
            price_change=None if by_new is None else diff(new, by_new),
            exemptions=_new_exemptions(existing, resources),
            steps=_steps(stack.plan),
            vendors=self.ask(resources),
            nodes=checked.nodes if checked else (),
            machines=machine_changes(base.machines if base else (), checked.machines if checked else ()),
            others=_others(stack),
            others_problem=stack.packs_problem,
            jobs=stack.jobs,
            jobs_problem=stack.jobs_problem,
        )

    def _side(
        self, title: str, resources: Resources, plan: Read | None = None, *, book: PriceBook | None = None
    ) -> Revision:
        found = estimate(resources, book or self.book)
        return Revision(title, found, resources, steps=plan is not None, ended=plan.ended if plan else ())

    def _check(
        self, name: str, resources: Resources, changes: Changes | None, computed: frozenset[str], spec: str = ""
    ) -> Checked:
        return check_stack(
            name,
            resources,
            changes,
            pack=self.pack,
            settings=self.settings,
            today=self.today,
            specs=specs_of(spec, self.project) if self.project else (),
            computed_ends=computed,
        )


def _refused(found: Estimate, findings: Iterable[Finding]) -> str:
    verdict = budget_verdict(found)
    if verdict is None or verdict.outcome != "over" or verdict.budget.on_exceed != "fail":
        return ""
    violation = any(one.mandatory and one.found.rule.name == "budget" for one in findings)
    return "" if violation else verdict.sentence


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


def _compared(found: Iterable[Found], known: Counter[object], *, costs_more: bool) -> Iterator[Finding]:
    """Each is new unless the base has as many like it; one about the total is also new if the stack costs more."""
    for one in found:
        worse = costs_more and one.rule.name in _ABOUT_THE_TOTAL
        yield Finding(found=one, new=worse or known[_key(one)] <= 0)
        known[_key(one)] -= 1


def _others(stack: StackEvidence) -> Sequence[OtherFinding]:
    def key(one: PackFinding) -> object:
        return one.pack, one.policy, one.resource, Violation(None, one.message).kind

    known = {key(one) for one in stack.packs_before}
    found = [OtherFinding(found=one, new=key(one) not in known) for one in stack.packs_after]
    return sorted(found, key=lambda one: (not one.mandatory, one.found.pack, one.found.policy, one.found.resource))


def _key(found: Found) -> object:
    return found.rule.name, found.resource.urn if found.resource else None, found.violation.kind


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

"""The judgement of a pull request as a comment: verdict, totals, mandatory findings, and folded details.

Its order depends only on amounts and names, so that the same change gives the same text. All foreign text is quoted, so
that nothing in it is a link, a mention or markup.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.core.documents.document import (
    LONGEST,
    Comment,
    Document,
    Folded,
    Notes,
    Row,
    Section,
    Table,
    counted,
    quote_code,
    quoted,
)
from gpucluster.core.documents.formats import written
from gpucluster.cost.documents.closing import besides_total
from gpucluster.cost.documents.diff.diff import diff_sections
from gpucluster.cost.documents.diff.diff_text import missing
from gpucluster.cost.documents.text import basis
from gpucluster.cost.pricing.money import money, ranged
from gpucluster.operate.pull_request.comment_json import judgement_json
from gpucluster.operate.pull_request.judgement import Finding, Judgement, OtherFinding, StackJudgement
from gpucluster.operate.pull_request.machine_changes import machine_sections
from gpucluster.operate.pull_request.verdict import totals, verdict_of
from gpucluster.policies.clouds.node_impacts import NodeImpact
from gpucluster.policies.engine.rule import explained_by

LONGEST_SUMMARY: Final = 1_000_000
"""GitHub's limit of a step's summary is 1 MiB."""
_NAMED: Final = 8

_LONGEST: Final = 400
"""Maximum characters of a finding."""

_STUCK: Final = {"refused": "is refused", "waits": "would wait"}


def comment(found: Judgement, *, longest: int = LONGEST, elsewhere: str = "the job summary") -> str:
    """The text, without its marker. elsewhere: where the reader finds the complete text."""
    return written(judgement_document(found, longest=longest, elsewhere=elsewhere), "markdown")


def judgement_document(found: Judgement, *, longest: int = LONGEST, elsewhere: str = "") -> Document:
    """The whole judgement. longest: bytes of a comment, which says `elsewhere` where it omits something."""
    estimates = [side for stack in found.stacks for side in (stack.before, stack.after) if side is not None]
    origin = (
        "The plan was computed from this branch in a sandbox: treat it as advice, not as proof. Rules: pack "
        f"{quoted(found.pack)}. Base: {quoted(found.base[:12])}"
    )
    return Document(
        title="gpucluster",
        answer=verdict_of(found),
        basis="" if found.calm else f"{basis(*estimates, month=True)}. {origin}",
        sections=lambda: () if found.calm else _sections(found),
        model=lambda: judgement_json(found),
        comment=Comment(headed=True, longest=longest, elsewhere=elsewhere),
    )


def _sections(found: Judgement) -> Iterator[Section]:
    yield from machine_sections(
        {stack.name: stack.machines for stack in found.stacks},
        unknown=(
            {stack.name for stack in found.stacks if stack.no_comparison},
            {stack.name for stack in found.stacks if stack.head == "failed"},
        ),
    )
    yield _totals(found)
    besides = [(stack, besides_total(stack.after, quoted)) for stack in found.stacks if stack.after and stack.moves]
    if texts := [f"{quoted(stack.name)}, {text}" for stack, text in besides if text]:
        yield Notes("", texts)
    yield from _prices(found)
    if touched := [*_touched(found)]:
        yield Notes("Changes to the checks themselves", touched)
    if found.without_plan:
        problems = [f"{quoted(stack.name)}: {quoted(stack.problem, 1_200)}" for stack in found.without_plan]
        yield Notes("No plan", problems)
    if found.refused:
        refused = [f"{quoted(stack.name)}: {quoted(stack.refused, _LONGEST)}" for stack in found.refused]
        yield Notes("Refused by its own program", refused)
    yield from _nodes(found)
    if found.stuck:
        yield Notes("Jobs that would not run", [*_stuck(found)])
    if found.failing:
        yield _table("Required changes", found.failing)
        yield f"Next: make these changes; {quoted('gpucluster guardrails pr-check')} shows this text before you push."
    if found.tolerated:
        yield _table("Mandatory findings of the base, which do not fail this change", found.tolerated)
    if others := [(stack, one) for stack in found.stacks for one in stack.others if one.mandatory or one.new]:
        yield Table(
            caption="Findings of other policy packs",
            heads=("finding", "stack", "resource"),
            rows=[_other(*item) for item in others],
            left=range(3),
            more=lambda rows: counted(len(rows), "more finding"),
        )
    if found.unrun:
        problems = [f"{quoted(stack.name)}: {quoted(stack.others_problem, _LONGEST)}" for stack in found.unrun]
        yield Notes("Policy packs that did not run", problems)
    if refusals := [
        f"{one.judge} in {quoted(stack.name)}: {quoted(one.resource.name)} ({quoted(one.resource.type)}): "
        f"{f'{quoted(one.remark.path)}: ' if one.remark.path else ''}{quoted(one.remark.text, _LONGEST)}"
        for stack in found.stacks
        for one in stack.vendors.refusals
    ]:
        yield Notes("Refused by the vendors' schemas (advice)", refusals)
    yield from (Folded(_summary(stack), [*_details(stack)]) for stack in found.stacks if stack.after is not None)


def _table(caption: str, findings: Sequence[tuple[StackJudgement, Finding]]) -> Table:
    """One row for what is alike but for its resource, as in several pools of one loop."""
    alike: dict[object, list[Row]] = {}
    for item in findings:
        row = _finding(*item)
        alike.setdefault((*row.cells[:2], *row.below), []).append(row)
    return Table(
        caption=caption,
        heads=("finding", "stack", "resource", "a month", "line"),
        rows=[_joined(rows) for rows in alike.values()],
        left=range(5),
        more=lambda rows: counted(int(sum(row.amount for row in rows)), "more mandatory finding"),
    )


def _joined(rows: Sequence[Row]) -> Row:
    """The row of several that differ in resource, cost and line. amount: their number."""
    if len(rows) == 1:
        return replace(rows[0], amount=Decimal(1))
    named, costs, lines = ([*dict.fromkeys(row.cells[at] for row in rows if row.cells[at])] for at in (2, 3, 4))
    each = f"{costs[0]} each" if len(costs) == 1 else _listed(costs)
    cells = (*rows[0].cells[:2], _listed(named), each, _listed(lines))
    return Row(cells, rows[0].below, amount=Decimal(len(rows)))


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return f"{', '.join(texts[:_NAMED])}{more}"


def _totals(found: Judgement) -> Table:
    sums: list[Row] = []
    if len(found.stacks) > 1:
        total = totals(found)
        name = "Total" if total.compared == len(found.stacks) else f"Total of {total.compared} compared"
        sides_ = ranged(total.before, total.gap_before), ranged(total.after, total.gap_after)
        sums.append(Row((name, *sides_, found.change.shown, _violations(found.stacks)), strong=True))
    return Table(
        heads=("stack", "before", "after", "change", "violations"),
        rows=[_stack_row(stack) for stack in found.stacks],
        sums=sums,
        left=(0, 4),
        more=lambda rows: f"{len(rows):,} more stacks",
    )


def _stack_row(stack: StackJudgement) -> Row:
    old, new = stack.before, stack.after
    before = "new stack" if stack.base == "absent" else "no comparison"
    if old is not None and stack.base == "built":
        before = ranged(old.monthly.expected, old.gaps.expected)
    after = "not in the project" if stack.head == "absent" else "no plan"
    if new is not None and stack.head == "planned":
        after = ranged(new.monthly.expected, new.gaps.expected)
    moved = stack.diff.change.shown if stack.diff and old is not None and new is not None else ""
    violations = _violations([stack]) if stack.head == "planned" and not stack.problem else ""
    return Row((quoted(stack.name), before, after, moved, violations))


def _violations(stacks: Sequence[StackJudgement]) -> str:
    mandatory = sum(len(stack.mandatory) for stack in stacks)
    new = sum(len(stack.new_advice) for stack in stacks)
    words = [f"{mandatory:,} mandatory"] if mandatory else []
    return ", ".join([*words, *([f"{new:,} new advice"] if new else [])]) or "none"


def _prices(found: Judgement) -> Iterator[str]:
    if found.price_problem:
        yield f"The price book of this change cannot be used: {quoted(found.price_problem, _LONGEST)}"
        return
    moved = [(stack, stack.price_change) for stack in found.stacks if stack.price_change and stack.price_change.moves]
    if moved:
        shown = ", ".join(f"{quoted(stack.name)} {one.change.shown}{missing([one])}" for stack, one in moved[:20])
        yield (
            f"This change also edits prices, which no amount here includes. Effect on the same plans, a month: {shown}."
        )


def _touched(found: Judgement) -> Iterator[str]:
    yield from (f"{kind}: {_few(files)}" for kind, files in found.touched.items())
    for stack in found.stacks:
        for one in stack.exemptions:
            accepted = f"{quoted(one.rule)} for {quoted(one.resource)} until {one.until.isoformat()}"
            yield f"exemption in {quoted(stack.name)}: {accepted}, by {quoted(one.owner)}: {quoted(one.reason, 200)}"


def _few(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 5:,} more" if len(texts) > 5 else ""
    return f"{', '.join(map(quoted, texts[:5]))}{more}"


def _stuck(found: Judgement) -> Iterator[str]:
    """Jobs that would not run, by a rehearsal on the live cluster of the change."""
    for stack in found.stuck:
        for job in stack.stuck:
            name = f"{quoted(job.title, 200)} ({quoted(job.source, 200)})"
            yield f"{name} on {quoted(stack.name)} {_STUCK[job.verdict]}: {quoted(job.why, _LONGEST)}"
    for stack in found.stuck:
        if stack.jobs_problem:
            yield f"unknown on {quoted(stack.name)}: {quoted(stack.jobs_problem, _LONGEST)}"


def _nodes(found: Judgement) -> Iterator[Table]:
    """The effect on the nodes of pools, if jobs on any of them end."""
    touched = [(stack, one) for stack in found.stacks for one in stack.nodes]
    if not all(one.harmless for _, one in touched):
        yield Table(
            caption="Effect on nodes",
            heads=("stack", "pool", "what happens to it", "changed", "at stake per hour since the last checkpoint"),
            rows=[_node_row(*item) for item in sorted(touched, key=lambda item: item[1].harmless)],
            left=range(5),
        )


def _node_row(stack: StackJudgement, one: NodeImpact) -> Row:
    pool = f"{quoted(one.impact.pool.name)}, {quoted(one.impact.pool.label)}"
    return Row((quoted(stack.name), pool, one.what, _few(one.impact.because), one.at_stake or "nothing"))


def _finding(stack: StackJudgement, finding: Finding) -> Row:
    """The error with the change to make below it, its place, and the cost of its resource or of the enclosing part."""
    found, about = finding.found, stack.monthly(finding)
    known = "" if finding.new else " (in the base too)"
    fix = quoted(found.violation.fix, _LONGEST) if found.violation.fix else quote_code(found.rule.fix)
    edits = [f"Write in {quoted(edit.path)}: {quoted(edit.snippet, _LONGEST)}" for edit in found.edits]
    cost = "" if about is None else f"{'' if about[0] == found.subject else f'{quoted(about[0])} '}{money(about[1])}"
    line = quoted(found.where) if found.where else ""
    return Row(
        (f"{quoted(found.rule.name)}{known}: {quoted(found.violation.what, _LONGEST)}", quoted(stack.name),
         quoted(found.subject), cost, line),
        [f"Fix: {fix} See {quoted(explained_by(found.rule))}.", *edits],
    )  # fmt: skip


def _other(stack: StackJudgement, other: OtherFinding) -> Row:
    found = other.found
    known = "" if other.new else ", in the base too"
    text = f"{quoted(found.policy)} of {quoted(found.pack)} ({found.level}{known}): {quoted(found.message, _LONGEST)}"
    return Row((text, quoted(stack.name), quoted(found.resource or "the whole stack")))


def _advice(stack: StackJudgement, finding: Finding) -> str:
    found, about = finding.found, stack.monthly(finding)
    place = f" at {quoted(found.where)}" if found.where else ""
    cost = "" if about is None else f" ({money(about[1])} a month)"
    subject = quoted(found.subject)
    return f"{quoted(found.rule.name)}: {subject}{cost}{place}: {quoted(found.violation.what, _LONGEST)}"


def _summary(stack: StackJudgement) -> str:
    """Names of stacks are letters, digits, `.`, `_`, `-`."""
    steps = ", ".join(f"{number:,} to {op}" for op, number in stack.steps.items())
    advice = counted(len(stack.advice), "advisory finding") if stack.advice else ""
    return f"{stack.name}: {', '.join(filter(None, [steps or 'no resource changes', advice]))}"


def _details(stack: StackJudgement) -> Iterator[Section]:
    found = stack.diff
    assert found is not None
    if stack.head == "absent":
        yield "This stack is no longer in the project, but its resources exist and are billed until you destroy it."
    if stack.no_comparison:
        yield f"No comparison, because the base has none: {quoted(stack.no_comparison, 600)}"
    if found.moves or found.losses:
        changes = [replace(one, detail="") if isinstance(one, Table) else one for one in diff_sections(found)]
        yield from (one for one in changes if isinstance(one, Notes) or not stack.no_comparison)
    if running := [job for job in stack.jobs if job.verdict == "runs"]:
        prices = [f"${job.hourly} an hour" if job.hourly else "price not known" for job in running]
        texts = [f"{quoted(job.title, 200)}: {price}" for job, price in zip(running, prices, strict=True)]
        yield Notes("Jobs that would run, and what their machines cost", texts)
    for heading, items in (
        ("New advice", stack.new_advice),
        ("Unchanged advice", [one for one in stack.advice if not one.new]),
    ):
        if items:
            yield Notes(heading, [_advice(stack, one) for one in items])

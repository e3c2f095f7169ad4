"""The judgement of a pull request as one comment: verdict, table, mandatory findings, and folded details.

It has at most the requested length, counted in bytes of UTF-8. Totals and mandatory findings come first; every list
ends with the number of omitted entries and their location. The order depends only on amounts and names, so that the
same change gives the same text. All foreign text is in code spans, in which nothing is a link, a mention or markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gpucluster.core.documents.document import sentence
from gpucluster.core.documents.markdown import bytes_of, code, fitting, row
from gpucluster.core.program.resources import urn_name
from gpucluster.cost.diff import LineChange, Loss
from gpucluster.cost.documents.diff.diff import MARKS
from gpucluster.cost.documents.diff.diff_text import line_cells, missing, part_cells, total_rows, unpriced_lists
from gpucluster.cost.documents.text import basis
from gpucluster.cost.pricing.money import money, ranged
from gpucluster.operate.pull_request.judgement import Judgement, StackJudgement
from gpucluster.operate.pull_request.render.findings import advice_line, mandatory_line, vendor_line
from gpucluster.operate.pull_request.render.summary import counted, first_line, totals
from gpucluster.policies.clouds.node_impacts import NodeImpact

LONGEST_COMMENT: Final = 65_536
"""GitHub's limit of a comment."""

LONGEST_SUMMARY: Final = 1_000_000
"""GitHub's limit of a step's summary is 1 MiB."""

_STUCK: Final = {"refused": "is refused", "waits": "would wait"}

_HEADS: Final = ("| | before | after | change |", "| --- | ---: | ---: | ---: |")
_LINE_HEADS: Final = (
    "| | resource | line | before | after | change |",
    "| --- | --- | --- | ---: | ---: | ---: |",
)

_CLOSING: Final = 1_500
"""Bytes reserved for the end."""

_NOTE: Final = "The code of this change made the plan, in a sandbox: it informs reviewers and proves nothing."


def comment(found: Judgement, *, longest: int = LONGEST_COMMENT, elsewhere: str = "the job summary") -> str:
    """The text, without its marker. elsewhere: where the reader finds the complete text."""
    out = [first_line(found)]
    if found.calm:
        return out[0]
    room = longest - _CLOSING
    out += ["", *_table(found, room // 4)]
    out += _prices(found)
    if found.touched or any(stack.exemptions for stack in found.stacks):
        out += ["", "**Changes to the checks themselves**", "", *_touched(found, room // 10, elsewhere)]
    if found.without_plan:
        out += ["", "**No plan**", "", *_problems(found, room // 6, elsewhere)]
    if found.refused:
        out += ["", "**Refused by its own program**", "", *_refused(found, room // 10, elsewhere)]
    out += _nodes(found, room // 8, elsewhere)
    if found.stuck:
        out += ["", "**Jobs that would not run**", "", *_stuck(found, room // 8, elsewhere)]
    vendors = _vendors(found, room // 8, elsewhere)
    if found.mandatory:
        rows = fitting(
            found.mandatory,
            lambda item: mandatory_line(*item),
            room - bytes_of(out) - bytes_of(vendors) - 1_000,
            lambda left: f"- {counted(len(left), 'more mandatory finding')} in {elsewhere}",
        )
        out += ["", "**Required changes**", "", *rows]
    out += vendors
    detailed = [stack for stack in found.stacks if stack.after is not None]
    for number, stack in enumerate(detailed):
        share = (room - bytes_of(out)) // (len(detailed) - number)
        out += _folded(stack, share, elsewhere)
    sides = [side for stack in found.stacks for side in (stack.before, stack.after) if side is not None]
    note = f"{sentence(basis(*sides, month=True))} {_NOTE}"
    return "\n".join([*out, "", note, f"Rules: pack {code(found.pack)}. Base: {code(found.base[:12])}."])


def _table(found: Judgement, room: int) -> list[str]:
    head = ["| stack | before | after | change | violations |", "| --- | ---: | ---: | ---: | --- |"]
    rows = fitting(found.stacks, _stack_row, room, lambda left: row(f"{len(left):,} more stacks"))
    if len(found.stacks) > 1:
        total = totals(found)
        before = ranged(total.before, total.gap_before)
        after = ranged(total.after, total.gap_after)
        name = "**Total**" if total.compared == len(found.stacks) else f"**Total of {total.compared} compared**"
        rows.append(row(name, before, after, f"**{found.change.shown}**", _violations(found.stacks)))
    return [*head, *rows]


def _stack_row(stack: StackJudgement) -> str:
    old, new = stack.before, stack.after
    before = "new stack" if stack.base == "absent" else "no comparison"
    if old is not None and stack.base == "built":
        before = ranged(old.monthly.expected, old.gaps.expected)
    after = "not in the project" if stack.head == "absent" else "no plan"
    if new is not None and stack.head == "planned":
        after = ranged(new.monthly.expected, new.gaps.expected)
    moved = stack.diff.change.shown if stack.diff and old is not None and new is not None else ""
    violations = _violations([stack]) if stack.head == "planned" and not stack.problem else ""
    return row(code(stack.name), before, after, moved, violations)


def _violations(stacks: Sequence[StackJudgement]) -> str:
    mandatory = sum(len(stack.mandatory) for stack in stacks)
    new = sum(len(stack.new_advice) for stack in stacks)
    words = [f"**{mandatory:,} mandatory**"] if mandatory else []
    return ", ".join([*words, *([f"{new:,} new advice"] if new else [])]) or "none"


def _prices(found: Judgement) -> list[str]:
    if found.price_problem:
        return ["", f"The price book of this change cannot be used: {code(found.price_problem, 400)}"]
    moved = [(stack, stack.price_change) for stack in found.stacks if stack.price_change and stack.price_change.moves]
    if not moved:
        return []
    shown = ", ".join(
        f"{code(stack.name)} {prices.change.shown}{missing([prices], code)}" for stack, prices in moved[:20]
    )
    return [
        "",
        f"This change also edits prices, which no amount here includes. Effect on the same plans, a month: {shown}.",
    ]


def _touched(found: Judgement, room: int, elsewhere: str) -> list[str]:
    lines = [f"- {kind}: {_few(files)}" for kind, files in found.touched.items()]
    for stack in found.stacks:
        for one in stack.exemptions:
            accepted = f"{code(one.rule)} for {code(one.resource)} until {one.until.isoformat()}"
            lines.append(
                f"- exemption in {code(stack.name)}: {accepted}, by {code(one.owner)}: {code(one.reason, 200)}"
            )
    return fitting(lines, str, room, lambda left: f"- {len(left):,} more in {elsewhere}")


def _few(files: Sequence[str]) -> str:
    more = f" and {len(files) - 5:,} more" if len(files) > 5 else ""
    return f"{', '.join(map(code, files[:5]))}{more}"


def _problems(found: Judgement, room: int, elsewhere: str) -> list[str]:
    def line(stack: StackJudgement) -> str:
        return f"- {code(stack.name)}: {code(stack.problem, 1_200)}"

    return fitting(found.without_plan, line, room, lambda left: f"- {counted(len(left), 'more stack')} in {elsewhere}")


def _refused(found: Judgement, room: int, elsewhere: str) -> list[str]:
    def line(stack: StackJudgement) -> str:
        return f"- {code(stack.name)}: {code(stack.refused, 400)}"

    return fitting(found.refused, line, room, lambda left: f"- {counted(len(left), 'more stack')} in {elsewhere}")


def _stuck(found: Judgement, room: int, elsewhere: str) -> list[str]:
    """Jobs that would not run, by a rehearsal on the live cluster of the change."""
    lines = [
        f"- {code(job.title, 200)} ({code(job.source, 200)}) on {code(stack.name)} {_STUCK[job.verdict]}: "
        f"{code(job.why, 400)}"
        for stack in found.stuck
        for job in stack.stuck
    ]
    lines += [
        f"- unknown on {code(stack.name)}: {code(stack.jobs_problem, 400)}"
        for stack in found.stuck
        if stack.jobs_problem
    ]
    return fitting(lines, str, room, lambda left: f"- {len(left):,} more in {elsewhere}")


def _nodes(found: Judgement, room: int, elsewhere: str) -> list[str]:
    """The effect on the nodes of pools, if jobs on any of them end."""
    touched = [(stack, one) for stack in found.stacks for one in stack.nodes]
    if all(one.harmless for _, one in touched):
        return []
    rows = fitting(
        sorted(touched, key=lambda item: item[1].harmless),
        lambda item: _node_row(*item),
        room,
        lambda left: row("", f"{len(left):,} more in {elsewhere}"),
    )
    head = ["| stack | pool | what happens to it | changed | at stake for each hour since the last checkpoint |"]
    return ["", "**Effect on nodes**", "", *head, "| --- | --- | --- | --- | --- |", *rows]


def _node_row(stack: StackJudgement, one: NodeImpact) -> str:
    changed = _few(one.impact.because)
    pool = f"{code(one.impact.pool.name)}, {code(one.impact.pool.label)}"
    return row(code(stack.name), pool, one.what, changed, one.at_stake or "nothing")


def _vendors(found: Judgement, room: int, elsewhere: str) -> list[str]:
    """Refusals by vendors' schemas, in their own words; and parts of the plans without a judge."""
    refusals = [(stack, one) for stack in found.stacks for one in stack.vendors.refusals]
    out: list[str] = []
    if refusals:
        rows = fitting(
            refusals,
            lambda item: vendor_line(*item),
            room,
            lambda left: f"- {counted(len(left), 'more refusal')} in {elsewhere}",
        )
        out += ["", "**Refused by the vendors' schemas** (advice)", "", *rows]
    unheard = dict.fromkeys(one for stack in found.stacks for one in stack.vendors.unheard)
    if unheard:
        out += ["", f"Not checked against the vendors' schemas: {', '.join(code(one) for one in unheard)}."]
    return out


def _folded(stack: StackJudgement, room: int, elsewhere: str) -> list[str]:
    """The details of one stack; nothing if there are none or no room."""
    body = _detail(stack, room - 400, elsewhere)
    out = ["", f"<details><summary>{_summary(stack)}</summary>", "", *body, "", "</details>"]
    return out if body and bytes_of(out) <= room else []


def _summary(stack: StackJudgement) -> str:
    """The line above the fold, in which Markdown does not work: names of stacks are letters, digits, `.`, `_`, `-`."""
    steps = ", ".join(f"{number:,} to {op}" for op, number in stack.steps.items())
    advice = counted(len(stack.advice), "advisory finding") if stack.advice else ""
    return f"{stack.name}: {', '.join(filter(None, [steps or 'no resource changes', advice]))}"


def _detail(stack: StackJudgement, room: int, elsewhere: str) -> list[str]:
    found = stack.diff
    assert found is not None
    out: list[str] = []
    if stack.head == "absent":
        out += [
            "This stack is no longer in the project, but its resources exist and are billed until you destroy it.",
            "",
        ]
    if stack.no_comparison:
        out += [f"No comparison, because the base has none: {code(stack.no_comparison, 600)}"]
    elif found.moves:
        out += _HEADS
        out += [row(f"**{name}**", *cells) for name, *cells in total_rows(found)]
        parts = [part for part in found.parts if part.moves]
        out += fitting(
            parts,
            lambda part: row(code(part.name), *part_cells(part)),
            room // 6,
            lambda left: row(f"{len(left):,} more parts in {elsewhere}"),
        )
    running = [job for job in stack.jobs if job.verdict == "runs"]
    if running:
        lines = fitting(
            running,
            lambda job: f"- {code(job.title, 200)}: {f'${job.hourly} an hour' if job.hourly else 'price not known'}",
            room // 6,
            lambda left: f"- {counted(len(left), 'more job')} in {elsewhere}",
        )
        out += ["", "Jobs that would run, and what their machines cost:", "", *lines]
    if found.losses:
        lines = fitting(
            found.losses,
            _loss,
            room // 4,
            lambda left: f"- {counted(len(left), 'more resource')} in {elsewhere}",
        )
        out += ["", "Data and reserved capacity that are deleted or replaced:", "", *lines]
    for heading, items in unpriced_lists(found):
        lines = fitting(
            items,
            lambda one: f"- {code(urn_name(one.urn))} ({code(one.type)}): {code(one.reason, 300)}",
            room // 6,
            lambda left: f"- {counted(len(left), 'more resource')} in {elsewhere}",
        )
        out += ["", f"{heading}:", "", *lines]
    if found.changed and not stack.no_comparison:
        lines = fitting(
            found.changed,
            _line,
            room // 3,
            lambda left: row("", f"{len(left):,} more lines in {elsewhere}"),
        )
        out += ["", *_LINE_HEADS, *lines]
    for heading, items in (
        ("New advice", stack.new_advice),
        ("Unchanged advice", [one for one in stack.advice if not one.new]),
    ):
        if items:
            lines = fitting(
                items,
                lambda one: advice_line(stack, one),
                (room - bytes_of(out)) // 2,
                lambda left: f"- {len(left):,} more in {elsewhere}",
            )
            out += ["", f"{heading}:", "", *lines]
    return out[1:] if out and not out[0] else out


def _line(line: LineChange) -> str:
    """Mark, resource, line, before, after, change."""
    return row(f"`{MARKS[line.kind]}`", code(line.resource), code(line.name), *line_cells(line))


def _loss(loss: Loss) -> str:
    """One resource that is deleted or replaced."""
    cost = f"; {money(loss.monthly)} a month before" if loss.monthly else ""
    because = f", forced by {', '.join(map(code, loss.because[:3]))}" if loss.because and not loss.retained else ""
    return f"- {code(loss.name)} ({code(loss.type)}): {loss.outcome}{because}{cost}"

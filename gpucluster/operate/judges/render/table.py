"""A report as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gpucluster.operate.judges.verdicts import Outcome, Remark, Report, Verdict

_LONGEST = 300
"""Maximum characters of a remark: some list a thousand values. JSON has them all."""


def as_table(report: Report, *, closing: bool = True) -> str:
    """Refused resources, advice, unjudged resources with reasons, and a closing line."""
    lines = [line for verdict in report.of(Outcome.REFUSED) for line in _refused(verdict)]
    lines += _advised(report)
    lines += _not_judged(report)
    if closing:
        lines += _counts(report)
    return "\n".join(lines)


def _refused(verdict: Verdict) -> Iterator[str]:
    resource = verdict.resource
    position = f" ({resource.source_position})" if resource.source_position else ""
    yield f"[refused] {resource.name}  {resource.type}{position}"
    yield from (f"    {_said(remark)}" for remark in verdict.refusals)
    yield ""


def _advised(report: Report) -> Iterator[str]:
    """The advice; identical advice on many resources is one line."""
    found: dict[tuple[str, Remark], list[str]] = {}
    for verdict in report.verdicts:
        for remark in verdict.advice:
            found.setdefault((verdict.resource.type, remark), []).append(verdict.resource.name)
    for (type_, remark), names in found.items():
        yield f"[advice] {_few(names)}  {type_}"
        yield f"    {_said(remark)}"
    if found:
        yield ""


def _not_judged(report: Report) -> Iterator[str]:
    types = Counter((verdict.why, verdict.resource.type) for verdict in report.of(Outcome.NOT_JUDGED))
    by_reason: dict[str, list[str]] = {}
    for (why, type_), count in sorted(types.items()):
        by_reason.setdefault(why, []).append(f"{count} {type_}")
    for why, listed in by_reason.items():
        yield f"[not judged] {why}"
        yield from (f"    {one}" for one in listed)
    if by_reason:
        yield ""


def _counts(report: Report) -> Iterator[str]:
    if not report.verdicts:
        yield "No resources of a cloud."
        return
    rows = [("JUDGE", *(outcome.value.upper() for outcome in Outcome))]
    rows += [
        (name or "none", *(str(counts[outcome]) for outcome in Outcome))
        for name, counts in sorted(report.counts.items())
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for name, *numbers in rows:
        cells = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        yield "  ".join((name.ljust(widths[0]), *cells))


def _said(remark: Remark) -> str:
    said = " ".join(remark.said.split())
    short = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 4]} ..."
    return f"{remark.path}: {short}" if remark.path else short


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"

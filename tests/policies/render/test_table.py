"""A report for people."""

from __future__ import annotations

import dataclasses
import json

from gpucluster.core.documents.formats import written
from gpucluster.core.documents.terminal import as_text
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.rule import Edit, Violation
from gpucluster.policies.render.document import check_document
from gpucluster.policies.render.junit import as_junit
from gpucluster.policies.render.sarif import as_sarif
from gpucluster.policies.report import Report

URN = "urn:pulumi:dev::shop::{}$aws:ec2/placementGroup:PlacementGroup::group"
OFFER = (
    "    to accept one of them, add to exemptions, with its name, a reason and an owner: "
    '{{"rule": "near", "resource": "{}", '
)
LAST = '"reason": "", "owner": "", "until": "2026-12-21"}\n'


def text(report: Report, width: int = 108, *, closing: bool = True) -> str:
    return written(check_document(report, closing=closing), "table", width)


def test_findings_of_a_rule_are_one_row_mandatory_ones_first_with_a_ready_exemption(report: Report) -> None:
    assert text(report) == (
        "plans/one.json\n"
        "\n"
        "rule  level      resource         line\n"
        "near  mandatory  2 findings\n"
        f"    {URN.format('a')} (infra/my program.py:14): far\n"
        "    <away>\\x00\n"
        f"    {URN.format('b')}: further\n"
        "    why: It costs.\n"
        f"    fix of {URN.format('a')}: Mend it.\n"
        f"    fix of {URN.format('b')}: Move it.\n"
        "    see: gpucluster guardrails explain near\n"
        f'    write in {URN.format("a")}, placements[0].tags: {{"team": "a\\u001b"}}\n'
        f'    write in {URN.format("a")}, tags: [{{"key": "team", "value": ""}}]\n'
        f"{OFFER.format(URN.format('a'))}{LAST}"
        "\n"
        "told  advisory   the whole stack\n"
        "    nothing stated\n"
        "    why: It costs.\n"
        "    fix: Mend it.\n"
        "    see: gpucluster guardrails explain told\n"
        "\n"
        "two.json: no findings\n"
        "\n"
        "2 resources checked against 3 rules; findings: 2 mandatory, 1 advisory.\n"
        "\n"
        "Next: gpucluster guardrails explain NAME"
    )


def test_at_60_columns_sentences_wrap_and_lines_to_copy_do_not(report: Report) -> None:
    narrow, wide = text(report, 60), text(report)
    assert "".join(narrow.split()) == "".join(wide.split())
    assert [line for line in narrow.splitlines() if len(line) > 60] == [
        line for line in wide.splitlines() if line.startswith(("    to accept one", "    write in"))
    ]


def test_one_clean_file_is_one_line(report: Report) -> None:
    clean = dataclasses.replace(report, files=report.files[1:])
    assert text(clean) == "0 resources checked against 1 rules; findings: none."


def test_without_closing_line_a_clean_run_says_nothing(report: Report) -> None:
    assert text(dataclasses.replace(report, files=report.files[1:]), closing=False) == ""


def test_a_mandatory_finding_is_red_at_a_terminal_that_shows_colours(report: Report) -> None:
    shown = as_text(check_document(report), 108, styled=True)
    red, bold, end = "\x1b[1;31m", "\x1b[1m", "\x1b[0m"
    assert [line for line in shown.splitlines() if bold[:-1] in line] == [
        f"{red}near{end}  {red}mandatory{end}  {red}2 findings{end}",
        f"{bold}told{end}  {bold}advisory{end}   {bold}the whole stack{end}",
    ]


def test_resources_with_the_same_finding_are_one_list_and_get_the_same_values(report: Report) -> None:
    one = report.files[0]
    [(outcome, level)] = [pair for pair in one.outcomes if pair[0].rule.name == "near"]
    edit = Edit(("tags",), {"team": "a"})
    disks = [Resource(urn=f"urn:pulumi:dev::shop::aws:ebs/volume:Volume::{name}", type="", name=name) for name in "cab"]
    same = [Violation(disk, "tags: `team` missing", "Write team=a.", edits=(edit,)) for disk in disks]
    file = dataclasses.replace(
        one,
        outcomes=[(dataclasses.replace(outcome, violations=tuple(same)), level)],
        resources=Resources(disks),
    )
    found = dataclasses.replace(report, files=[file])
    assert text(found, closing=False).splitlines()[1:7] == [
        "near  mandatory  3 findings",
        "    c, a, b: tags: `team` missing",
        "    why: It costs.",
        "    fix: Write team=a.",
        "    see: gpucluster guardrails explain near",
        '    write in tags: {"team": "a"}',
    ]
    whole = json.loads(written(check_document(found), "json"))
    assert [(one["resource"], one["edits"]) for one in whole["findings"]] == [
        (name, [{"at": "tags", "write": {"team": "a"}}]) for name in "cab"
    ]
    assert len(json.loads(as_sarif(found))["runs"][0]["results"]) == 3
    assert as_junit(found).count("<failure") == 3

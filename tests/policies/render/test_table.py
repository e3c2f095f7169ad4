"""A report for people."""

from __future__ import annotations

import dataclasses

from gpucluster.core.documents.formats import written
from gpucluster.policies.render.document import check_document
from gpucluster.policies.report import Report

URN = "urn:pulumi:dev::shop::{}$aws:ec2/placementGroup:PlacementGroup::group"
OFFER = '    to accept it, add to exemptions, with a reason and an owner: {{"rule": "near", "resource": "{}", '
LAST = '"reason": "", "owner": "", "until": "2026-12-21"}\n'


def text(report: Report, width: int = 108, *, closing: bool = True) -> str:
    return written(check_document(report, closing=closing), "table", width)


def test_findings_stand_under_their_file_mandatory_ones_first_with_a_ready_exemption(report: Report) -> None:
    assert text(report) == (
        "plans/one.json\n"
        "\n"
        "rule  level      resource         line\n"
        "near  mandatory  group            infra/my program.py:14\n"
        "    far <away>\\x00\n"
        "    why: It costs.\n"
        "    fix: Mend it.\n"
        "    see: gpucluster guardrails explain near\n"
        '    write in placements[0].tags: {"team": "a\\u001b"}\n'
        '    write in tags: [{"key": "team", "value": ""}]\n'
        f"{OFFER.format(URN.format('a'))}{LAST}"
        "\n"
        "near  mandatory  group\n"
        "    further\n"
        "    why: It costs.\n"
        "    fix: Move it.\n"
        "    see: gpucluster guardrails explain near\n"
        f"{OFFER.format(URN.format('b'))}{LAST}"
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
    assert narrow.split() == wide.split()
    assert [line for line in narrow.splitlines() if len(line) > 60] == [
        line for line in wide.splitlines() if line.startswith("    to accept it")
    ]


def test_one_clean_file_is_one_line(report: Report) -> None:
    clean = dataclasses.replace(report, files=report.files[1:])
    assert text(clean) == "0 resources checked against 1 rules; findings: none."


def test_without_closing_line_a_clean_run_says_nothing(report: Report) -> None:
    assert text(dataclasses.replace(report, files=report.files[1:]), closing=False) == ""

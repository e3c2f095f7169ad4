"""A report for people."""

from __future__ import annotations

import dataclasses

from gpucluster.policies.render.table import as_table

URN = "urn:pulumi:dev::shop::{}$aws:ec2/placementGroup:PlacementGroup::group"
OFFER = '    to accept it, add to exemptions, with a reason and an owner: {{"rule": "near", "resource": "{}", '
LAST = '"reason": "", "owner": "", "until": "2026-12-21"}'


def test_findings_stand_under_their_file_mandatory_ones_first_with_a_ready_exemption(report):
    assert as_table(report).splitlines() == [
        "plans/one.json",
        "",
        "[mandatory] near  group (infra/my program.py#14,3)",
        "    far <away>\x00",
        "    why: It costs.",
        "    fix: Mend it.",
        '    write in placements[0].tags: {"team": "a\\u001b"}',
        '    write in tags: [{"key": "team", "value": ""}]',
        "    see: gpucluster guardrails explain near",
        OFFER.format(URN.format("a")) + LAST,
        "",
        "[mandatory] near  group",
        "    further",
        "    why: It costs.",
        "    fix: Move it.",
        "    see: gpucluster guardrails explain near",
        OFFER.format(URN.format("b")) + LAST,
        "",
        "[advisory] told  the whole stack",
        "    nothing stated",
        "    why: It costs.",
        "    fix: Mend it.",
        "    see: gpucluster guardrails explain told",
        "",
        "two.json: no findings",
        "",
        "2 resources checked against 3 rules; findings: 2 mandatory, 1 advisory.",
        "Next: gpucluster guardrails explain NAME",
    ]


def test_one_clean_file_is_one_line(report):
    clean = dataclasses.replace(report, files=report.files[1:])
    assert as_table(clean) == "0 resources checked against 1 rules; findings: none."


def test_without_closing_line_a_clean_run_says_nothing(report):
    assert as_table(dataclasses.replace(report, files=report.files[1:]), closing=False) == ""

"""A report with a finding of every kind: with and without a line, mandatory and advisory, about the whole stack."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.rule import Edit, Enforcement, Outcome, ReportRule, Severity, StackRule, Violation
from gpucluster.policies.report import Checked, Report

TODAY = datetime.date(2026, 11, 21)
SHORT: dict[str, Any] = {"why": "It costs.", "fix": "Mend it.", "reads": "everything"}


def _group(name: str, within: str, line: str | None = None) -> Resource:
    urn = f"urn:pulumi:dev::shop::{within}$aws:ec2/placementGroup:PlacementGroup::{name}"
    return Resource(urn=urn, type="aws:ec2/placementGroup:PlacementGroup", name=name, source_position=line)


@pytest.fixture
def report() -> Report:
    near = StackRule(name="near", title="Nodes are near", severity=Severity.HIGH, check=lambda _: (), **SHORT)
    told = ReportRule(name="told", title="It is told", severity=Severity.LOW, check=lambda *_: (), **SHORT)
    clean = StackRule(name="clean", title="All is clean", severity=Severity.LOW, check=lambda _: (), **SHORT)
    placed, twin = _group("group", "a", "infra/my program.py#14,3"), _group("group", "b")
    edits = (Edit(("placements", 0, "tags"), {"team": "a\x1b"}), Edit(("tags",), [{"key": "team", "value": ""}]))
    far = (Violation(placed, "far <away>\x00", edits=edits), Violation(twin, "further", fix="Move it."))
    one = Checked(
        file="plans/one.json",
        outcomes=[
            (Outcome(rule=told, violations=(Violation(None, "nothing stated"),)), Enforcement.ADVISORY),
            (Outcome(rule=near, violations=far), Enforcement.MANDATORY),
            (Outcome(rule=clean), Enforcement.ADVISORY),
        ],
        resources=Resources([placed, twin]),
    )
    two = Checked(file="two.json", outcomes=[(Outcome(rule=clean), Enforcement.ADVISORY)], resources=Resources([]))
    return Report(pack="training", files=[one, two], today=TODAY)

"""Compliant clusters have no finding of any rule, and leave nothing open but the budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.examples import Example
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.packs import TRAINING
from tests.cases import cases
from tests.policies.programs import PROGRAMS, planned, program_of
from tests.policies.test_cases import TODAY, changed


def _findings(program: dict[str, Any]) -> list[tuple[str, str]]:
    resources = read_file(json.dumps(planned(Example(resources=program, fail={}))), "program").resources
    outcomes = evaluate(TRAINING.rules, resources, today=TODAY)
    found = [(outcome.rule.name, one.what) for outcome in outcomes for one in (*outcome.violations, *outcome.unknown)]
    return [finding for finding in found if not finding[0].startswith(("budget", "not-known-yet"))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compliant_cluster_has_no_finding(name: str) -> None:
    assert _findings(program_of(name)) == []


@cases
def test_a_cluster_without_a_training_pool_or_with_others_beside_it_has_none(of: str, written: dict[str, Any]) -> None:
    program = Example(resources=program_of(of), fail={})
    assert _findings(dict(changed(program, written))) == []

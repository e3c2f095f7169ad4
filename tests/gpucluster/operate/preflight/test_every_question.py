"""Every kind of question has a test that passes it and one that fails it, in `questions.csv`: the same one if it does
both. Those of Azure are tables, of which `azure/test_questions.py` holds the same.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws.account import open_account
from gpucluster.operate.preflight.gcp.account import account_of
from gpucluster.operate.preflight.gcp.own_use import Own
from gpucluster.operate.preflight.machine import this_machine
from tests.components.gcp.planning.test_plan import plan
from tests.gpucluster.operate.preflight.aws.plans import HERE
from tests.gpucluster.operate.preflight.conftest import DECLARED
from tests.gpucluster.operate.preflight.gcp.asked import client

FOLDER = Path(__file__).parent
ROWS = list(csv.DictReader((FOLDER / "questions.csv").read_text().splitlines()))
NO_API = {("aws", "file system")}
"""Always `can't tell`."""


def _kinds(where: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """That somebody answers."""
    if where == "gcp":
        return {*account_of(client(), "me", Own(client(), plan())).askers}
    if where == "aws":
        caller = Caller(
            session=None, region="us-east-1", account="123456789012", arn="arn:aws:iam::123456789012:user/x"
        )
        monkeypatch.setattr("gpucluster.operate.preflight.aws.account.caller_at", lambda _: caller)
        return {*open_account(plan(), HERE, lambda: DECLARED).askers}
    return {*this_machine("aws", FOLDER, lambda: DECLARED).askers}


@pytest.mark.parametrize("where", ["aws", "gcp", ""])
def test_every_kind_is_in_the_table(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [row["about"] for row in ROWS if row["where"] == where]
    assert (sorted(listed), len(listed)) == (sorted(_kinds(where, monkeypatch)), len({*listed}))


def _verdicts(row: Mapping[str, str], column: str) -> set[str]:
    """The verdicts that a test and its parameters mention."""
    name, _, function = row[column].partition("::")
    tree = ast.parse((FOLDER / row["where"] / name).read_text())
    [found] = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == function]
    texts = {str(one.value) for one in ast.walk(found) if isinstance(one, ast.Constant)}
    return texts & {"fine", "stops up", "warns"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['where']}-{row['about']}")
def test_both_tests_assert_their_verdict(row: Mapping[str, str]) -> None:
    if (row["where"], row["about"]) in NO_API:
        assert (row["passes"], row["fails"]) == ("", "")
        return
    assert "fine" in _verdicts(row, "passes")
    assert _verdicts(row, "fails") & {"stops up", "warns"}

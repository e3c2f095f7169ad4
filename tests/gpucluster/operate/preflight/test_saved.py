"""Saved answers are a scenario of the sandbox, and tell nothing of the account."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.program.asked import read_asked
from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, Verdict, fine
from gpucluster.operate.preflight.document import Found
from gpucluster.operate.preflight.saved import masked, save
from gpucluster.sandbox.clouds.events.scenario import Capacity, Quota
from gpucluster.sandbox.run.scenario_file import read_scenario

CORES = Question(about="quota", subject="L-417A185B", needed=960, unit="vCPUs", place="us-east-1")
BLOCK = Question(about="reservation", subject="cr-0123456789abcdef0", place="us-east-1a")
CARDS = Question(about="quota", subject="L-DF5E4CA3", needed=200, place="us-east-1")
PROGRAM = Question(about="program", subject="aws")
ADDRESS = Question(about="address", subject="access.cidrs", place="this machine", decides=False)

SMALL: dict[str, Any] = {"cloud": "aws", "name": "L-417A185B", "region": "us-east-1", "limit": 384, "usage": 192}
UNCOUNTED: dict[str, Any] = {"cloud": "aws", "name": "L-00000000", "region": "us-east-1", "limit": 1}
FEW: dict[str, Any] = {"cloud": "aws", "zone": "us-east-1a", "machine": "p5.48xlarge", "available": 2}


def _found(*answers: Answer) -> Found:
    at = datetime(2026, 11, 29, 12, 0, 0, 5, tzinfo=UTC)
    return Found(stack="dev", identity="123456789012 as me@x.org", not_asked=None, answers=answers, asked=at)


def _saved(tmp_path: Path) -> Path:
    file = tmp_path / "account.dev.yaml"
    short = Answer(
        question=CORES,
        verdict=Verdict.STOPS,
        found="384 vCPUs in account 123456789012",
        fix="ask me@x.org",
        scenario={"quotas": [SMALL]},
    )
    others = [
        fine(BLOCK, "5 of 5 free", scenario={"capacity": [FEW]}),
        fine(CARDS, "5,000", scenario={"quotas": [UNCOUNTED, SMALL]}),
        fine(PROGRAM, "/home/me/aws"),
        fine(ADDRESS, "198.51.100.9"),
    ]
    save(_found(short, *others), "aws", file)
    return file


def test_the_sandbox_takes_the_answers_as_a_scenario(tmp_path: Path) -> None:
    scenario = read_scenario(_saved(tmp_path))
    assert (scenario.quotas, scenario.capacity) == ((Quota(**SMALL),), (Capacity(**FEW),))


def test_plans_read_the_answers_of_the_account_alone(tmp_path: Path) -> None:
    asked = read_asked(_saved(tmp_path))
    assert asked is not None
    assert [(one.subject, one.verdict, one.found) for one in asked.answers] == [
        ("L-417A185B", "stops up", "384 vCPUs in account ********9012"),
        ("cr-0123456789abcdef0", "fine", "5 of 5 free"),
        ("L-DF5E4CA3", "fine", "5,000"),
    ]
    assert (asked.at, asked.answers[0].answers(CORES)) == (datetime(2026, 11, 29, 12, tzinfo=UTC), True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("arn:aws:iam::123456789012:role/up", "arn:aws:iam::********9012:role/up"),
        ("1,152 of 1,920 vCPUs", "1,152 of 1,920 vCPUs"),
        ("subscription 00112233-4455-6677-8899-AABBCCDDEEFF", "subscription ********-EEFF"),
        ("user jo.doe+x@example.org may not", "user someone@… may not"),
        ("vpc-0a1b2c3d4e5f60718 overlaps", "vpc-********0718 overlaps"),
    ],
)
def test_ids_are_masked(text: str, expected: str) -> None:
    assert masked(text) == expected

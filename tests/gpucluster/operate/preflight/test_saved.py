"""Saved answers are a scenario of the sandbox, and tell nothing of the account."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.core.program.asked import read_asked
from gpucluster.core.program.questions import Question
from gpucluster.errors import InputError
from gpucluster.operate.preflight.answers import Answer, Verdict, fine
from gpucluster.operate.preflight.document import Found
from gpucluster.operate.preflight.saved import masked, save
from gpucluster.sandbox.clouds.events.quotas import shortage
from gpucluster.sandbox.clouds.events.scenario import Capacity, Quota
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.run.scenario_file import read_scenario
from tests.sandbox.clouds.conftest import ledger

__all__ = ["ledger"]

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


def _node_group(ledger: Ledger, stack: str, nodes: int) -> Entry:
    """As the program of a stack declares it."""

    def entry(type_: str, id_: str, inputs: dict[str, Any], **outputs: Any) -> Entry:
        urn = f"urn:pulumi:{stack}::gpucluster::{type_}::{id_}"
        return Entry(
            provider="aws",
            scope="us-east-1",
            type=type_,
            id=id_,
            name=id_,
            urn=urn,
            inputs=inputs,
            outputs={**inputs, **outputs},
        )

    ledger.put(entry("aws:ec2/subnet:Subnet", "subnet-1", {}, availabilityZone="us-east-1a"))
    ledger.put(entry("aws:ec2/launchTemplate:LaunchTemplate", "lt-1", {"instanceType": "p5.48xlarge"}))
    inputs = {"subnetIds": ["subnet-1"], "launchTemplate": {"id": "lt-1"}, "scalingConfig": {"desiredSize": nodes}}
    return entry("aws:eks/nodeGroup:NodeGroup", f"{stack}-nodes", inputs, status="ACTIVE")


@pytest.mark.parametrize(("limit", "fits"), [(1920, True), (1919, False)])
def test_two_stacks_of_the_sandbox_are_refused_what_the_account_refuses(
    limit: int, fits: bool, tmp_path: Path, ledger: Ledger
) -> None:
    """The account has five nodes of `second`, and one of another project, whose stack is not named."""
    row = {**SMALL, "limit": limit + 192, "usage": 960 + 192, "stacks": {"second": 960, "theirs": 192}}
    file = tmp_path / "account.dev.yaml"
    save(_found(fine(CORES, "", scenario={"quotas": [row]})), "aws", file, ["dev", "second"])
    assert "theirs" not in file.read_text()
    scenario = read_scenario(file)
    second = _node_group(ledger, "second", 5)
    assert shortage(second, scenario, ledger) is None
    ledger.put(second)
    assert (shortage(_node_group(ledger, "dev", 5), scenario, ledger) is None) == fits
    assert shortage(_node_group(ledger, "second", 6), scenario, ledger) is None
    assert shortage(_node_group(ledger, "second", 11), scenario, ledger) is not None


def test_machines_that_metrics_do_not_have_yet_count(tmp_path: Path) -> None:
    row = {**SMALL, "usage": 0, "stacks": {"second": 960}}
    file = tmp_path / "account.dev.yaml"
    save(_found(fine(CORES, "", scenario={"quotas": [row]})), "aws", file, ["second"])
    [quota] = read_scenario(file).quotas
    assert (quota.usage, quota.stacks) == (960, {"second": 960})


def test_stacks_that_use_more_than_all_are_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "account.yaml"
    file.write_text(yaml.safe_dump({"quotas": [{**SMALL, "stacks": {"second": 960}}]}))
    with pytest.raises(InputError) as caught:
        read_scenario(file)
    assert "stacks use 960, more than the usage, 192: they are a part of it" in str(caught.value)


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

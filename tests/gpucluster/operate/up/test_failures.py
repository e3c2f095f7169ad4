"""Errors of clouds get a meaning and a next step."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpucluster.core.catalog.tables import read_rows
from gpucluster.operate.up.failures import errors_of, failures

KINDS = read_rows("gpucluster/operate/up/failures.csv")

# What each refusal that the sandbox prints means; the other ones pass by themselves.
MEANT = {
    "quota": ("quota", False),
    "spot-quota": ("quota", False),
    "global-quota": ("quota", False),
    "count": ("most networks|quota", False),
    "capacity": ("no free machines", True),
    "timeout": ("still working", False),
}


@pytest.mark.parametrize(
    "row",
    [row for row in read_rows("sandbox/clouds/answers.csv") if row["kind"] in MEANT],
    ids=lambda row: "-".join((row["cloud"], row["kind"], row["type"])),
)
def test_every_refusal_that_the_sandbox_knows_is_explained(row: dict[str, str]) -> None:
    cloud = "aws" if row["cloud"] == "*" else row["cloud"]
    message = re.sub(r"\{\w+\}", "x", row["text"])
    [found] = failures([("training", message)], cloud, "dev")
    meaning, capacity = MEANT[row["kind"]]
    assert re.search(meaning, found.meaning)
    assert (found.resource, found.capacity) == ("training", capacity)


@pytest.mark.parametrize(
    ("cloud", "message", "expected"),
    [
        ("aws", "api error UnauthorizedOperation: You are not authorized to perform this operation.", "permission"),
        ("aws", "operation error STS: GetCallerIdentity, api error ExpiredToken: expired", "login"),
        ("gcp", "googleapi: Error 403: Lustre API has not been used in project 1 before or it is disabled", "API"),
        ("gcp", "Error 412: Constraint constraints/compute.restrictVpcPeering violated", "organisation policy"),
        ("azure", 'Code="MissingSubscriptionRegistration" Message="The subscription is not registered"', "provider"),
        ("azure", 'Code="AuthorizationFailed" Message="The client does not have authorization"', "permission"),
        ("azure", "AADSTS700082: The refresh token has expired", "login"),
        ("azure", "the stack is currently locked by 1 lock(s)", "another update"),
    ],
)
def test_what_an_account_refuses_is_explained(cloud: str, message: str, expected: str) -> None:
    [found] = failures([("", message)], cloud, "dev")
    assert expected in found.meaning
    assert "{" not in found.next


def test_each_meaning_is_told_once() -> None:
    message = "api error InsufficientInstanceCapacity: none"
    found = failures([("a", message), ("b", message), ("c", "api error AccessDenied: no"), ("d", "odd")], "aws", "dev")
    assert [one.resource for one in found] == ["a", "c"]


def test_a_text_of_another_cloud_means_nothing() -> None:
    assert failures([("", "GCE_STOCKOUT")], "aws", "dev") == []


def test_every_row_has_a_source_and_says_what_to_do() -> None:
    assert [row for row in KINDS if not (row["source"] and row["meaning"] and row["next"])] == []
    assert [row for row in KINDS if row["capacity"] not in ("", "yes")] == []


def test_errors_are_read_from_the_event_log(tmp_path: Path) -> None:
    urn = "urn:pulumi:dev::gpucluster::aws:eks/nodeGroup:NodeGroup::trial-training"
    events = [
        {"sequence": 0, "preludeEvent": {}},
        {"sequence": 1, "diagnosticEvent": {"severity": "info", "message": "fine"}},
        {"sequence": 2, "diagnosticEvent": {"severity": "error", "message": "no machines", "urn": urn}},
        {"sequence": 3, "diagnosticEvent": {"severity": "error", "message": "update failed"}},
    ]
    log = tmp_path / "events"
    log.write_text("\n".join([*map(json.dumps, events), '{"sequence": 4, "diag']))
    assert errors_of(log) == [("trial-training", "no machines"), ("", "update failed")]


def test_an_engine_that_wrote_no_log_has_no_errors(tmp_path: Path) -> None:
    assert errors_of(tmp_path / "events") == []
